import { plusMs } from '../../domain/base/time.ts';
import { FRESH_CRON } from '../../domain/cron/cron-state.ts';
import { FRESH_CONFIG } from '../../domain/furiko/config-state.ts';
import type { CronRow } from '../../ports/cron-store.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';
import type { Deps } from '../process/deps.ts';

const TRIES_MAX = 10;
/** A caller may die after its change and before its wake-up; the sweep looks at the CronJob then. */
const ARMED_MS = 60_000;

/** Kinds that a scheduler looks after: they own the Jobs that it creates. */
export type OwnerKind = CronRow['kind'];

/** The row of an object that has none yet. */
export const freshRow = (kind: OwnerKind, uid: string, key: CronRow['key']): CronRow => {
  const base = { uid, key, version: 0, alarmAt: null };
  return kind === 'CronJob' ? { ...base, kind, state: FRESH_CRON } : { ...base, kind, state: FRESH_CONFIG };
};

/** Called before a CronJob or JobConfig is created, changed, or deleted. */
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
