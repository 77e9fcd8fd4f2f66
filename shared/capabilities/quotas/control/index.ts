export { LIMITS, ROOM, ROOM_OF_CHANGE } from './job-steps.ts';
export { createQuotaCommands, createQuotaGuard } from './quota-changes.ts';
export { createQuotaState } from './quota-state.ts';
export { sweepQuotas } from './sweep-quotas.ts';
