import type { SilenceRow } from '../../domain/schedulers/silence.ts';
import { FRESH_CONFIG } from '../furiko/domain/index.ts';
import { FRESH_CRON } from '../schedules/domain/index.ts';
import { SILENT_CRON } from '../schedules/schema/index.ts';

/** What the schedulers of all capabilities keep of an object at which nobody has looked, by kind. */
export const CAPABILITY_FRESH = {
  CronJob: FRESH_CRON,
  JobConfig: FRESH_CONFIG,
};

/** Which objects may never make a Job. */
export const SILENCE_ROWS: readonly SilenceRow[] = [SILENT_CRON];
