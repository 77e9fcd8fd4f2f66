import type { EpochMs } from './brand.ts';

export type IndexState = 'pending' | 'claimed' | 'launched' | 'running' | 'succeeded' | 'failed';

/** The state of one index (or slot): the truth about it. */
export type IndexRecord = {
  readonly state: IndexState;
  /** Number of the latest attempt, 0 before the first; never restarts, not after a resize either. */
  readonly attempt: number;
  /** How often the latest attempt's launch was refused for good; (attempt, nonce) names one RunTask. */
  readonly nonce: number;
  /** The board wants the active attempt to end for a reason of its own (parallelism was lowered). */
  readonly stopping: boolean;
  readonly failures: number;
  readonly ignored: number;
  readonly infra: number;
  readonly spot: number;
  /** A pending index in back-off: not before this moment. */
  readonly notBefore: EpochMs | null;
};

export const FRESH: IndexRecord = {
  state: 'pending',
  attempt: 0,
  nonce: 0,
  stopping: false,
  failures: 0,
  ignored: 0,
  infra: 0,
  spot: 0,
  notBefore: null,
};

/** Claimed, launched or running: the attempt counts against parallelism. */
export const isActive = (state: IndexState): boolean =>
  state === 'claimed' || state === 'launched' || state === 'running';
