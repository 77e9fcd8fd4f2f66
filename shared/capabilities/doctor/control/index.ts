import { createScheduledCheck } from './scheduled-check.ts';

/** The alarm on what it finds has the same period. */
export const doctorCheck = { everyMin: 5, create: createScheduledCheck };
