import type { Chunk } from './board.ts';
import type { EpochMs, TaskArn } from './brand.ts';
import type { AttemptId, AttemptTimes, Ending, Fact } from './fact.ts';
import type { LaunchTraits } from './launch-row.ts';
import type { PodFailureRule } from './manifest.ts';
import type { Status } from './status.ts';

/** What one pass wants. It is data: it can be printed, compared and replayed. */
export type Plan = {
  /** ┐ one conditional write, guarded by the version that was read; null: nothing has changed */
  readonly status: Status | null;
  /** ┘ and the chunks that this commit folds the journal into */
  readonly folds: readonly ChunkFold[];
  /** History, written before the commit: writing it twice, or for a commit that is lost, does no harm. */
  readonly ended: readonly EndedAttempt[];
  /** The Job is over for good: its rows may vanish. Done before the commit that says so. */
  readonly expire: boolean;
  /** It has been finished for longer than its time to live: it is to be deleted. */
  readonly outlived: boolean;
  /** Pending indexes whose turn it is, but which are in back-off. */
  readonly held: readonly { readonly index: number; readonly until: EpochMs }[];
  /** Asked of the world after the commit, never before. */
  readonly actions: readonly Action[];
  /** Facts that this pass could not take, for want of chunks: they are to be sent again. */
  readonly deferred: readonly Fact[];
  /** Publish what is committed now. */
  readonly publish: boolean;
  /** For metrics, after the commit. */
  readonly counted: Counted;
};

export type ChunkFold = {
  readonly no: number;
  readonly expectedVersion: number;
  readonly chunk: Chunk;
  readonly length: number;
};

export type EndedAttempt = AttemptId & {
  readonly taskArn: TaskArn | null;
  readonly ending: Ending;
  readonly times: AttemptTimes;
  readonly judgement: Judgement;
  /** Of the index before this attempt, and of this attempt before its end: what its Pod shows. */
  readonly failures: number;
  readonly ignored: number;
  readonly restarts: number;
  /** Its Pod was being deleted when it ended: users see no Pod of it, its record stays for logs and history. */
  readonly gone?: true | undefined;
};

/** What an attempt's end counts as, and who says so. */
export type Judgement = { readonly as: Outcome; readonly because: string };

export type Outcome =
  | 'succeeded'
  /** it counts, and the index is tried again */
  | 'failed'
  /** it counts, and the index is not tried again */
  | 'failedForGood'
  /** podFailurePolicy: it does not count, and the index is tried again */
  | 'ignored'
  /** the same Pod goes on in a new task: restartPolicy OnFailure */
  | 'restarted'
  /** the same Pod goes on waiting: its task did not start */
  | 'unstarted'
  /** infrastructure took it: it counts against a budget of its own */
  | 'lost'
  | 'lostToSpot'
  /** we ended it, and it counts for nothing */
  | 'released';

export type Action =
  /** claims of one launch row */
  | {
      readonly kind: 'launch';
      readonly row: number;
      readonly attempts: readonly AttemptId[];
      /** By index; those that are not here have nothing to say. */
      readonly traits: ReadonlyMap<number, LaunchTraits>;
      /** Older claims of the Job that nobody has answered. */
      readonly ahead: number;
    }
  /** claims to cancel or attempts to stop, of one launch row; `podDeleted`: a user has deleted their Pods */
  | {
      readonly kind: 'stop';
      readonly row: number;
      readonly attempts: readonly AttemptId[];
      readonly podDeleted?: true;
    }
  /** a live task that is no current attempt's; `podDeleted`: it was one, and a user has deleted its Pod */
  | { readonly kind: 'stopTask'; readonly taskArn: TaskArn; readonly podDeleted?: true }
  /** look all active attempts up */
  | { readonly kind: 'inspect' }
  /** look at this Job again then */
  | { readonly kind: 'wake'; readonly at: EpochMs };

export type Counted = {
  readonly facts: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly ignored: number;
  readonly failedIndexes: number;
  readonly lost: number;
  readonly refused: number;
  /** Pods that a rule of podFailurePolicy matched, by its action. */
  readonly policyActions: { readonly [A in PodFailureRule['action']]: number };
};
