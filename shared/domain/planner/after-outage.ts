import type { EpochMs } from '../base/time.ts';
import type { Status } from '../scoreboard/status.ts';

/**
 * STATUS as a pass must read it when every message in flight was lost, as the embedded runtime's are when it is killed: no
 * recorded alarm will ring, and no claim will be answered before it is sent again. Without this, the Job would wait for the
 * sweep, and then for each claim to be due again. Sending twice is harmless.
 */
export const afterOutage = (status: Status, now: EpochMs): Status => ({
  ...status,
  alarms: [],
  inFlight: status.inFlight.map((claim) => ({ ...claim, dueAt: now })),
  unannounced: status.unannounced === null ? null : { ...status.unannounced, dueAt: now },
});
