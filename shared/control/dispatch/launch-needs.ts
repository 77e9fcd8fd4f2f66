import { LAUNCH_NEEDS } from '../../capabilities/lists/dispatches.ts';
import type { AttemptId } from '../../domain/base/fact.ts';
import type { Withdrawal } from '../../domain/scoreboard/launch-row.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { Deps } from '../process/deps.ts';
import { warnOperator } from './launch-all.ts';
import { readSources } from './read-sources.ts';
import { templateForLaunch } from './template.ts';

/** Launches, sorted by whether their tasks have what they need. */
type Sorted = {
  readonly launch: readonly AttemptId[];
  /** The rate at which it is made had no room for them. */
  readonly later: readonly AttemptId[];
  /** It cannot be had. */
  readonly withdraw: readonly Withdrawal[];
};

/** Decides which launches may happen: what tasks need must exist before they start. */
export async function sortByNeed(spec: StoredSpec, ids: readonly AttemptId[], deps: Deps): Promise<Sorted> {
  let sorted: Sorted = { launch: ids, later: [], withdraw: [] };
  for (const { prepare } of LAUNCH_NEEDS) {
    const { launch } = sorted;
    const prepared = await prepare(
      spec,
      launch.map(({ index }) => index),
      deps,
    );
    if (prepared === null) continue;
    const { ready, refused } = prepared;
    sorted = {
      launch: launch.filter(({ index }) => ready.has(index)),
      later: [...sorted.later, ...launch.filter(({ index }) => !ready.has(index) && !refused.has(index))],
      withdraw: [
        ...sorted.withdraw,
        ...launch.flatMap((id) => {
          const why = refused.get(id.index);
          return why === undefined ? [] : [{ id, why }];
        }),
      ],
    };
  }
  return sorted;
}

/**
 * Decides which launches may happen by what their Pods name: a ConfigMap, a Secret, or a claim. What is missing is asked for again
 * later, and the Pods say what it is.
 *
 * @returns also the number of the template to launch from
 */
export async function sortBySources(
  spec: StoredSpec,
  ids: readonly AttemptId[],
  deps: Deps,
): Promise<Sorted & { readonly template: number }> {
  const none = { launch: [], later: [], withdraw: [], template: 0 };
  if (ids.length === 0) return none;
  const named = await readSources(spec, deps);
  const found = named.kind === 'ready' ? await templateForLaunch(spec, named, deps) : named;
  if (typeof found === 'number') return { ...none, launch: ids, template: found };
  if (named.kind === 'ready' && found.kind === 'later') return { ...none, later: ids };
  const { reason } = found;
  if (found.kind === 'refused' && found.misconfigured === true) warnOperator(spec, reason, ids.length, deps);
  const kind = found.kind === 'fatal' ? 'fatal' : 'later';
  return { ...none, withdraw: ids.map((id) => ({ id, why: { kind, reason } })) };
}
