import type { OtherJobs } from '../../../../cli/client/other-jobs.ts';
import type { TimedKind } from '../../../../cli/client/timed-kind.ts';
import { FURIKO_JOBS, JOB_CONFIG_TIMES } from '../../furiko/client/index.ts';

/** What has a schedule beside CronJobs, in the order in which a name is looked for. */
export const TIMED_KINDS: readonly TimedKind[] = [JOB_CONFIG_TIMES];

/** Jobs that are Jobs of another API, too. */
export const OTHER_JOBS: readonly OtherJobs[] = [FURIKO_JOBS];
