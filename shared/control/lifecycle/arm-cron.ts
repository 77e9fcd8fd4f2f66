import { plusMs } from '../../domain/base/time.ts';
import { CAPABILITY_FRESH } from '../../capabilities/lists/schedulers.ts';
import type { FreshStates } from '../../domain/schedulers/scheduler-states.ts';
import type { OwnerKind } from '../../domain/kinds/api-kinds.ts';
import type { CronRow } from '../../ports/cron-store.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';
import type { Deps } from '../process/deps.ts';

const TRIES_MAX = 10;
/** A caller may die after its change and before its wake-up; the sweep looks at the object then. */
const ARMED_MS = 60_000;

const FRESH: FreshStates = CAPABILITY_FRESH;

/** The row of an object that has none yet. */
export const freshRow = <K extends OwnerKind>(kind: K, uid: string, key: CronRow['key']): CronRow<K> => ({
  kind,
  uid,
  key,
  version: 0,
  alarmAt: null,
  state: FRESH[kind],
});

/** Called before an object that makes Jobs is created, changed, or deleted. */
export async function armCron(
  kind: OwnerKind,
  uid: string,
  key: CronRow['key'],
  { crons, clock }: Deps,
): Promise<void> {
  await retryOnConflict(`scheduler of ${key.namespace}/${key.name}`, TRIES_MAX, async () => {
    const row = (await crons.read(uid)) ?? freshRow(kind, uid, key);
    const at = plusMs(clock.now(), ARMED_MS);
    if (row.alarmAt !== null && row.alarmAt <= at) return 'armed';
    return (await crons.write({ ...row, alarmAt: at })).kind === 'lost' ? 'conflict' : 'armed';
  });
}
