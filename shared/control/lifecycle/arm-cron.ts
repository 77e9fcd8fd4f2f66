import { plusMs } from '../../domain/base/time.ts';
import { FRESH_CRON } from '../../domain/cron/cron-state.ts';
import type { CronRow } from '../../ports/cron-store.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';
import type { Deps } from '../process/deps.ts';

const TRIES_MAX = 10;
/** A caller may die after its change and before its wake-up; the sweep looks at the CronJob then. */
const ARMED_MS = 60_000;

/** Called before a CronJob is created, changed, or deleted. */
export async function armCron(uid: string, key: CronRow['key'], { crons, clock }: Deps): Promise<void> {
  await retryOnConflict(`scheduler of ${key.namespace}/${key.name}`, TRIES_MAX, async () => {
    const row = (await crons.read(uid)) ?? { uid, key, version: 0, state: FRESH_CRON, alarmAt: null };
    const at = plusMs(clock.now(), ARMED_MS);
    if (row.alarmAt !== null && row.alarmAt <= at) return 'armed';
    return (await crons.write({ ...row, alarmAt: at })).kind === 'lost' ? 'conflict' : 'armed';
  });
}
