import type { ItemValues } from '../../domain/base/late-text.ts';
import type { IndexRecord, PodState } from '../../domain/scoreboard/index-record.ts';
import type { PodWait } from '../../domain/pending/pod-wait.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import type { AttemptRecord, LaunchSlot, StoredSpec } from '../../ports/job-store.ts';

/** One attempt, which Kubernetes calls a Pod. `ended`: another attempt of the index may have followed. */
export type PodPick = {
  readonly index: number;
  readonly attempt: number;
  readonly state: PodState | 'ended';
  /** Number of the row that last published it; omitted: the Job's. */
  readonly version?: number;
  /** false: it is to end, but that is not published yet. */
  readonly mayStop?: boolean;
  /** It was published as being deleted, and nothing since: users see it like that, whatever has happened to it. */
  readonly isPublishedStopping?: boolean;
};

/** Everything that is known about an attempt. Its phase comes from the board; record and launch add detail. */
export type PodFacts = Omit<PodPick, 'version'> & {
  readonly spec: StoredSpec;
  readonly status: Status;
  readonly version: number;
  /** How it ended; for a Pod that waits for its next task, how the previous task ended. */
  readonly record: AttemptRecord | null;
  /** For a Pod that continues in another task: how the previous one ended, as far as that is still known. */
  readonly before: AttemptRecord | null;
  readonly launch: LaunchSlot | null;
  /** The board's record of the index, if this is its newest attempt; null: it is not, or was not read. */
  readonly current: IndexRecord | null;
  /** How often its index had failed, and been ignored, when it was created. */
  readonly madeAfter: Pick<IndexRecord, 'failures' | 'ignored'>;
  /** What it works on; null: its Job has no work list, or the list is gone with the Job. */
  readonly item: ItemValues | null;
  /** The address of its task; null: it does not run, its Job has no names, or its name is not there yet. */
  readonly ip: string | null;
  /** What it waits for, if that is known; null: nothing. */
  readonly wait: PodWait | null;
};
