import type { ChangeStep } from '../control/lifecycle/change-steps.ts';
import type { Step } from '../control/lifecycle/reserve-all.ts';
import { LIMITS, ROOM, ROOM_OF_CHANGE } from './quotas/control/index.ts';

/** What fills in a new Job, or limits what it may say, before anything is taken for it. */
export const LIMITING_STEPS: readonly Step[] = [LIMITS];

/** What a new Job takes before its names and items. */
export const ROOM_STEPS: readonly Step[] = [ROOM];

/** What a changed Job takes. */
export const CHANGE_STEPS: readonly ChangeStep[] = [ROOM_OF_CHANGE];
