import type { EpochMs } from '../domain/base/time.ts';

/** Time as one process sees it; two processes may differ by seconds. All waits of `control` use it. */
export type Clock = {
  now(): EpochMs;
  /** Resolves after `ms`, not before. */
  sleep(ms: number): Promise<void>;
};
