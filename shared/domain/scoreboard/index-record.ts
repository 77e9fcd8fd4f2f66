import type { EpochMs } from '../base/time.ts';

/** `excluded`: this Job does not run the index; it stays so. All others may have Pods. */
export type IndexState = PodState | 'pending' | 'excluded';
/** A state in which the latest attempt's Pod exists, or has ended for good. */
export type PodState = 'claimed' | 'launched' | 'running' | 'succeeded' | 'failed' | 'waiting';

/** The state of one index (or slot): the truth about it. */
export type IndexRecord = {
  readonly state: IndexState;
  /** Number of the latest attempt; 0 before the first, and for an inherited success, which has none. It never restarts, not even after a resize. */
  readonly attempt: number;
  /** How often the latest attempt's launch was finally refused; (attempt, nonce) names one RunTask. */
  readonly nonce: number;
  /** The board wants the active attempt to end for a reason of its own (parallelism was lowered). */
  readonly stopping: boolean;
  /** A user has deleted the active attempt's Pod: it is being stopped, and its end counts. */
  readonly podDeleted: boolean;
  /** It was evicted, a deletion that podFailurePolicy can tell apart: its Pod has the condition DisruptionTarget. */
  readonly evicted: boolean;
  /** Muster has deleted it, because it had not started in time. */
  readonly overdue: boolean;
  /** A deadline has passed: the active attempt is being stopped, and its end counts. */
  readonly late: 'attempt' | 'index' | null;
  /** Why a user wants the active attempt to end: its index is never to run again, or to start over. */
  readonly wish: 'cancel' | 'requeue' | null;
  /** A user holds the index back: it gets no new attempt until it is released. */
  readonly held: boolean;
  readonly failures: number;
  readonly ignored: number;
  readonly infra: number;
  readonly spot: number;
  /** How often the latest attempt's containers were restarted in a new task (restartPolicy OnFailure). */
  readonly restarts: number;
  /** The same for all attempts before it, in total. */
  readonly earlierRestarts: number;
  /**
   * When the latest attempt's Pod was created, in seconds since 1970. It is its claim, if the Job says how long a Pod may take to
   * start; otherwise the creation of its first task, if the Pod continues in another; null: it does not, or the time is unknown.
   */
  readonly podCreatedSec: number | null;
  /** When the latest attempt's first task ran, in seconds since 1970, if its Pod has a deadline; null: it has none, or none ran yet. */
  readonly ranSec: number | null;
  /** When the index's first Pod was created, in seconds since 1970, if its attempts have a deadline together. */
  readonly launchedSec: number | null;
  /** Since when the latest attempt has failed to start, for a lasting reason. */
  readonly unstartedSince: EpochMs | null;
  /** A pending or waiting index in back-off must not start before this moment. */
  readonly notBefore: EpochMs | null;
};

export const FRESH: IndexRecord = {
  state: 'pending',
  attempt: 0,
  nonce: 0,
  stopping: false,
  podDeleted: false,
  evicted: false,
  overdue: false,
  late: null,
  wish: null,
  held: false,
  failures: 0,
  ignored: 0,
  infra: 0,
  spot: 0,
  restarts: 0,
  earlierRestarts: 0,
  podCreatedSec: null,
  ranSec: null,
  launchedSec: null,
  unstartedSince: null,
  notBefore: null,
};

/** It has succeeded in the Job that this one repeats; here, no attempt of it was ever made. */
export const isInherited = ({ state, attempt }: Pick<IndexRecord, 'state' | 'attempt'>): boolean =>
  state === 'succeeded' && attempt === 0;

/** The state of the latest attempt's Pod; null: it has ended, or there never was one. */
export const podStateOf = (state: IndexState): PodState | null =>
  state === 'pending' || state === 'excluded' ? null : state;

/** Claimed, launched, or running: there may be a task. */
export const isActive = (state: IndexState): boolean =>
  state === 'claimed' || state === 'launched' || state === 'running';

/** The attempt's Pod exists: it is active, or waits for its next task. It counts against parallelism. */
export const hasPod = (state: IndexState): boolean => isActive(state) || state === 'waiting';
