import { CAPABILITY_FRESH } from '../../shared/capabilities/lists/schedulers.ts';
import type { CronRow } from '../../shared/ports/cron-store.ts';

const [first] = Object.entries<object>(CAPABILITY_FRESH);

/** Whether there is any kind whose objects make Jobs: without one, a store reads no scheduler's row. */
export const HAS_SCHEDULERS = first !== undefined;

type Wish = Partial<Omit<CronRow, 'kind' | 'state'>>;

/** A row at which nobody has looked, of the first kind that has schedulers: stores do the same for all kinds. */
export function aSchedulerRow(wish: Wish = {}): CronRow {
  const [kind, state] = first ?? ['None', {}];
  const key = { namespace: 'default', name: 'nightly' };
  return { kind, uid: 'cron-1', key, version: 0, state, alarmAt: null, ...wish } as CronRow;
}
