export { FRESH_CRON } from './cron-state.ts';
export { slotsOfCronJob } from './slots-of-cron-job.ts';
