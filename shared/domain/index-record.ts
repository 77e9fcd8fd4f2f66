import type { EpochMs } from './brand.ts';

export type IndexState = 'pending' | 'claimed' | 'launched' | 'running' | 'succeeded' | 'failed' | 'waiting';

/** The state of one index (or slot): the truth about it. */
export type IndexRecord = {
  readonly state: IndexState;
  /** Number of the latest attempt, 0 before the first; never restarts, not after a resize either. */
  readonly attempt: number;
  /** How often the latest attempt's launch was refused for good; (attempt, nonce) names one RunTask. */
  readonly nonce: number;
  /** The board wants the active attempt to end for a reason of its own (parallelism was lowered). */
  readonly stopping: boolean;
  /** A user has deleted the active attempt's Pod: it is being stopped, and its end counts. */
  readonly podDeleted: boolean;
  /** It was evicted, which is a deletion that podFailurePolicy may tell from others: its Pod has the condition DisruptionTarget. */
  readonly evicted: boolean;
  readonly failures: number;
  readonly ignored: number;
  readonly infra: number;
  readonly spot: number;
  /** How often the latest attempt's containers were started again in a new task (restartPolicy OnFailure). */
  readonly restarts: number;
  /** Since when the latest attempt has failed to start, for a reason that does not pass by itself. */
  readonly unstartedSince: EpochMs | null;
  /** A pending or waiting index in back-off: not before this moment. */
  readonly notBefore: EpochMs | null;
};

export const FRESH: IndexRecord = {
  state: 'pending',
  attempt: 0,
  nonce: 0,
  stopping: false,
  podDeleted: false,
  evicted: false,
  failures: 0,
  ignored: 0,
  infra: 0,
  spot: 0,
  restarts: 0,
  unstartedSince: null,
  notBefore: null,
};

/** Claimed, launched or running: there may be a task. */
export const isActive = (state: IndexState): boolean =>
  state === 'claimed' || state === 'launched' || state === 'running';

/** The attempt's Pod exists: it is active, or waits for its next task to be allowed. It counts against parallelism. */
export const hasPod = (state: IndexState): boolean => isActive(state) || state === 'waiting';
