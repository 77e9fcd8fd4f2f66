export { SILENT_CRON } from './silent-cron.ts';
export { CRON_JOB_TEMPLATE } from './template-of-cron-job.ts';
