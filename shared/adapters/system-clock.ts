import { setTimeout as sleep } from 'node:timers/promises';
import { asEpochMs } from '../domain/base/time.ts';
import type { Clock } from '../ports/clock.ts';

/** This process's clock and timers. */
export const systemClock: Clock = {
  now: () => asEpochMs(Date.now()),
  sleep: (ms) => sleep(ms),
};
