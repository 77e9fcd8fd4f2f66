export { FRESH_CRON } from './cron-state.ts';
