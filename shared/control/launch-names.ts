import { type EpochMs, plusMs } from '../domain/brand.ts';
import type { AttemptId, Fact } from '../domain/fact.ts';
import { refusedRetryMs } from '../domain/pace.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { Fatal, Later } from '../ports/tasks.ts';
import type { Deps } from './deps.ts';
import { prepareHosts } from './hosts-prepare.ts';

type Refused = { readonly id: AttemptId; readonly why: Later | Fatal };

/** Launches by what their names allow; `later`: what the rate of names had no room for. */
type ByName = {
  readonly launch: readonly AttemptId[];
  readonly later: readonly AttemptId[];
  readonly refused: readonly Refused[];
};

/** What may be launched, of a Job whose tasks have names: those come first. */
export async function sortByName(spec: StoredSpec, ids: readonly AttemptId[], deps: Deps): Promise<ByName> {
  const prepared = await prepareHosts(
    spec,
    ids.map(({ index }) => index),
    deps,
  );
  if (prepared === null) return { launch: ids, later: [], refused: [] };
  const { ready, refused } = prepared;
  return {
    launch: ids.filter(({ index }) => ready.has(index)),
    later: ids.filter(({ index }) => !ready.has(index) && !refused.has(index)),
    refused: ids.flatMap((id) => {
      const why = refused.get(id.index);
      return why === undefined ? [] : [{ id, why }];
    }),
  };
}

/** A launch that was withdrawn since its name cannot be had; null: it was not. */
export function refusalOf(id: AttemptId, refused: readonly Refused[], at: EpochMs): Fact | null {
  const why = refused.find(({ id: { index, attempt, nonce } }) => {
    return index === id.index && attempt === id.attempt && nonce === id.nonce;
  })?.why;
  if (why === undefined) return null;
  if (why.kind === 'fatal') return { ...id, kind: 'rejected', reason: why.reason, at };
  return { ...id, kind: 'refused', reason: why.reason, retryAt: plusMs(at, refusedRetryMs(id.nonce)), at };
}
