import type { EpochMs } from './brand.ts';
import type { Status } from './status.ts';

/**
 * STATUS as a pass must read it when every message on its way was lost, as the embedded runtime's are when it is killed:
 * no alarm that it remembers will ring, and no claim will be answered before it is sent again. Without this the Job
 * would wait for the sweep, and for each claim's repetition after that. Sending twice is harmless.
 */
export const afterOutage = (status: Status, now: EpochMs): Status => ({
  ...status,
  alarms: [],
  inFlight: status.inFlight.map((claim) => ({ ...claim, dueAt: now })),
});
