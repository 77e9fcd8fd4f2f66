import type { JobUid } from '../domain/brand.ts';
import type { Fact } from '../domain/fact.ts';
import { launchRowOf } from '../domain/launch-row.ts';
import type { Status } from '../domain/status.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import type { DispatchMessage, SeenTask } from '../ports/queues.ts';
import type { Deps } from './deps.ts';
import { isNameless, namesOf } from './host-calls.ts';

/**
 * Tells the dispatchers what a pass has to do with names, once it has committed: rows of tasks that were seen to run or to
 * stop are looked at, or, when the Job is over with it, all its names go. Nothing for a Job whose tasks have none.
 *
 * @param before STATUS as it was loaded
 * @param after as it is committed
 */
export async function tellNames(
  spec: StoredSpec,
  before: Status,
  after: Status,
  facts: readonly Fact[],
  { hostnames, queues }: Pick<Deps, 'hostnames' | 'queues'>,
): Promise<void> {
  if (hostnames === null || namesOf(spec) === null) return;
  const { uid } = spec.identity;
  const messages = isNameless(after.phase) ? closing(uid, before) : looksAt(uid, facts);
  if (messages.length > 0) await queues.dispatch(messages, 0);
}

const closing = (uid: JobUid, before: Status): readonly DispatchMessage[] =>
  isNameless(before.phase) ? [] : [{ kind: 'closeHosts', uid }];

function looksAt(uid: JobUid, facts: readonly Fact[]): readonly DispatchMessage[] {
  const rows = new Map<number, SeenTask[]>();
  for (const fact of facts) {
    if (fact.kind !== 'running' && fact.kind !== 'stopped') continue;
    const seen = rows.get(launchRowOf(fact.index)) ?? [];
    rows.set(launchRowOf(fact.index), seen);
    if (fact.kind !== 'running' || fact.ip === undefined) continue;
    const { index, attempt, nonce, taskArn, ip } = fact;
    seen.push({ index, attempt, nonce, taskArn, ip });
  }
  return [...rows].map(([row, seen]) => ({ kind: 'hosts', uid, row, seen }));
}
