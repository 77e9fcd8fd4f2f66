export { addCron } from './cron-commands.ts';
export { SCHEDULED_LINE } from './scheduled-line.ts';
export { SIMULATED_CRON_JOB } from './simulated-cron-job.ts';
