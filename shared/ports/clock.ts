import type { EpochMs } from '../domain/brand.ts';

/** Time as one process sees it; two processes may differ by seconds. All waiting of `control` goes through here. */
export type Clock = {
  now(): EpochMs;
  /** Resolves after `ms`, not before. */
  sleep(ms: number): Promise<void>;
};
