export { FRESH_CRON } from './cron-state.ts';
export { slotsOf } from './slots.ts';
