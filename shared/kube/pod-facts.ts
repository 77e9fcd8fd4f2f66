import type { IndexRecord, IndexState } from '../domain/index-record.ts';
import type { PodWait } from '../domain/pod-wait.ts';
import type { Status } from '../domain/status.ts';
import type { AttemptRecord, LaunchSlot, StoredSpec } from '../ports/job-store.ts';

/** One attempt, which Kubernetes calls a Pod. `ended`: another attempt of the index may have followed. */
export type PodPick = {
  readonly index: number;
  readonly attempt: number;
  readonly state: Exclude<IndexState, 'pending'> | 'ended';
  /** Number of the row that told of it last; left out: the Job's. */
  readonly version?: number;
  /** Users were told that it is being deleted, and of nothing since: they have it, whatever has become of it. */
  readonly isToldStopping?: boolean;
};

/** All that is known of an attempt. Its phase comes from the board; record and launch add detail. */
export type PodFacts = Omit<PodPick, 'version'> & {
  readonly spec: StoredSpec;
  readonly status: Status;
  readonly version: number;
  /** How it ended; of a Pod that waits for its next task, how the task before ended. */
  readonly record: AttemptRecord | null;
  /** Of a Pod that goes on in another task: how the one before ended, as far as that is still known. */
  readonly before: AttemptRecord | null;
  readonly launch: LaunchSlot | null;
  /** What the board says of the index, where this is its newest attempt; null: it is not, or was not read. */
  readonly current: IndexRecord | null;
  /** How often its index had failed, and been ignored, when it was made. */
  readonly madeAfter: Pick<IndexRecord, 'failures' | 'ignored'>;
  /** What it waits for, where that is known; null: for nothing. */
  readonly wait: PodWait | null;
};
