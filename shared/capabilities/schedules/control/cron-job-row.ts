import type { CronRow } from '../../../ports/cron-store.ts';

/** What the scheduler keeps of a CronJob. */
export type CronJobRow = CronRow<'CronJob'>;
