import type { JobUid } from '../../../domain/base/ids.ts';
import type { Fact } from '../../../domain/base/fact.ts';
import { launchRowOf } from '../../../domain/scoreboard/launch-row.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import type { DispatchMessage } from '../../../ports/queues.ts';
import type { Deps } from '../../../control/process/deps.ts';
import type { CommittedStatus } from '../../../control/reconcile/after-pass.ts';
import type { SeenTask } from '../ports/host-orders.ts';
import { READY_ROW, isNameless, namesOf } from './host-calls.ts';

/**
 * Sends the dispatchers what a pass requires for names, after its commit: rows of tasks that were seen running or stopped are
 * checked, and the name that says that all run when that changes; once the Job no longer needs them, all its names are removed. Does nothing for a Job whose tasks have no names.
 */
export async function updateHosts(
  { spec, before, after, facts }: CommittedStatus,
  { ports, queues }: Pick<Deps, 'ports' | 'queues'>,
): Promise<void> {
  if (ports.hostnames === undefined || namesOf(spec) === null) return;
  const { uid } = spec.identity;
  const messages = isNameless(after.phase)
    ? closing(uid, before)
    : [...concerns(uid, facts), ...readiness(uid, before, after)];
  if (messages.length > 0) await queues.dispatch(messages, 0);
}

const closing = (uid: JobUid, before: Status): readonly DispatchMessage[] =>
  isNameless(before.phase) ? [] : [{ kind: 'closeHosts', uid }];

/** All of the Job's indexes run, or they do not any more. */
const readiness = (uid: JobUid, before: Status, after: Status): readonly DispatchMessage[] =>
  (before.gang?.isReady ?? false) === (after.gang?.isReady ?? false)
    ? []
    : [{ kind: 'hosts', uid, row: READY_ROW, seen: [] }];

function concerns(uid: JobUid, facts: readonly Fact[]): readonly DispatchMessage[] {
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
