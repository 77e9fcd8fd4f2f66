export { LIMITS, ROOM, ROOM_OF_CHANGE } from './room-steps.ts';
export { createQuotaCommands, createQuotaGuard } from './quota-changes.ts';
export { createQuotaState } from './quota-state.ts';
export { sweepQuotas } from './sweep-quotas.ts';
