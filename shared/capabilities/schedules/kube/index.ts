export { CRON_JOB_KIND } from './cronjob-kind.ts';
