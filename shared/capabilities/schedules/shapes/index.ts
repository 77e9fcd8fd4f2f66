export { CRON_JOB_SHAPES } from './cron-shapes.ts';
