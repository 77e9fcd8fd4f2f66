export { CRON_JOB_ANNOTATIONS } from './schedule-annotations.ts';
