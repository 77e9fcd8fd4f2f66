export { FURIKO_JOBS } from './furiko-jobs.ts';
export { JOB_CONFIG_TIMES } from './timed-config.ts';
