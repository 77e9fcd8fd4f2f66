import type { ChangeStep, FirstOfChange } from '../../control/lifecycle/change-steps.ts';
import type { Step } from '../../control/lifecycle/reserve-all.ts';
import { NAMES, namesOfChange } from '../hostnames/control/index.ts';
import { LIMITS, ROOM, ROOM_OF_CHANGE } from '../quotas/control/index.ts';

/** What fills in a new Job, or limits what it may say, before anything is taken for it. */
export const LIMITING_STEPS: readonly Step[] = [LIMITS];

/** What a new Job takes before all else. */
export const ROOM_STEPS: readonly Step[] = [ROOM];

/** What a new Job takes before its items. */
export const TAKING_STEPS: readonly Step[] = [NAMES];

/** What a changed Job takes first. */
export const FIRST_OF_CHANGE: readonly FirstOfChange[] = [namesOfChange];

/** What a changed Job takes. */
export const CHANGE_STEPS: readonly ChangeStep[] = [ROOM_OF_CHANGE];
