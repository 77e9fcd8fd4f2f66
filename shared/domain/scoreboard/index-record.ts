import { BitFields, type BitValues, count, flag, secAfter, timeAfter, word } from '../base/bit-fields.ts';

/** `excluded`: this Job does not run the index; it stays so. All others may have Pods. */
export type IndexState = PodState | 'pending' | 'excluded';
/** A state in which the latest attempt's Pod exists, or has ended for good. */
export type PodState = 'claimed' | 'launched' | 'running' | 'succeeded' | 'failed' | 'waiting';

/** What most records do not have, a row each, which says how it is stored. A new row makes the accessors anew: see their test. */
export const EXTRAS = {
  /** How often the latest attempt's launch was finally refused; (attempt, nonce) names one RunTask. */
  nonce: count(1),
  /** The board wants the active attempt to end for a reason of its own (parallelism was lowered). */
  stopping: flag(2),
  failures: count(4),
  ignored: count(8),
  infra: count(16),
  spot: count(32),
  /** A pending or waiting index in back-off must not start before this moment. */
  notBefore: timeAfter(64),
  /** A user has deleted the active attempt's Pod: it is being stopped, and its end counts. */
  podDeleted: flag(128),
  /** How often the latest attempt's containers were restarted in a new task (restartPolicy OnFailure). */
  restarts: count(256),
  /** Since when the latest attempt has failed to start, for a lasting reason. */
  unstartedSince: timeAfter(512),
  /** It was evicted, a deletion that podFailurePolicy can tell apart: its Pod has the condition DisruptionTarget. */
  evicted: flag(1024),
  /**
   * When the latest attempt's Pod was created, in seconds since 1970. It is its claim, if the Job says how long a Pod may take to
   * start; otherwise the creation of its first task, if the Pod continues in another; null: it does not, or the time is unknown.
   */
  podCreatedSec: secAfter(2048),
  /** The restarts of all attempts before it, in total. */
  earlierRestarts: count(4096),
  /** Muster has deleted it, because it had not started in time. */
  overdue: flag(8192),
  /** A user holds the index back: it gets no new attempt until it is released. */
  held: flag(16384),
  /** When the latest attempt's first task ran, in seconds since 1970, if its Pod has a deadline; null: it has none, or none ran yet. */
  ranSec: secAfter(32768),
  /** When the index's first Pod was created, in seconds since 1970, if its attempts have a deadline together. */
  launchedSec: secAfter(65536),
  /** A deadline has passed: the active attempt is being stopped, and its end counts. */
  late: word({ attempt: 131072, index: 262144 }),
  /** Why a user wants the active attempt to end: its index is never to run again, or to start over. */
  wish: word({ cancel: 524288, requeue: 1048576 }),
};

/** Kept in a separate list, so that a chunk without failures stays small. */
export type Extras = BitValues<typeof EXTRAS>;

/** The state of one index (or slot): the truth about it. */
export type IndexRecord = Extras & {
  readonly state: IndexState;
  /** Number of the latest attempt; 0 before the first, and for an inherited success, which has none. It never restarts, not even after a resize. */
  readonly attempt: number;
};

export const EXTRA_FIELDS = new BitFields<Extras>(EXTRAS);

export const NO_EXTRAS: Extras = EXTRA_FIELDS.usual;

export const FRESH: IndexRecord = { ...NO_EXTRAS, state: 'pending', attempt: 0 };

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
