import type { EpochMs } from '../base/time.ts';
import type { TaskArn } from '../base/ids.ts';
import type { AttemptId, AttemptTimes, Ending, Fact } from '../base/fact.ts';
import type { LaunchTraits } from '../scoreboard/launch-row.ts';
import type { PolicyAction } from '../manifests/manifest.ts';
import type { Status } from '../scoreboard/status.ts';
import type { Why } from '../scoreboard/why.ts';
import type { ChunkFold } from '../scoreboard/journal.ts';

/** What one pass decides. It is data: it can be printed, compared, and replayed. */
export type Plan = {
  /** ┐ one conditional write, guarded by the version that was read; null: nothing has changed */
  readonly status: Status | null;
  /** ┘ and the chunks that this commit folds the journal into */
  readonly folds: readonly ChunkFold[];
  /** History, written before the commit: writing it twice, or for a lost commit, does no harm. */
  readonly ended: readonly EndedAttempt[];
  /** The Job is finally over: its rows may expire. Done before the commit that says so. */
  readonly expire: boolean;
  /** It has been finished for longer than its time to live and must be deleted. */
  readonly outlived: boolean;
  /** Pending indexes whose turn it is, but which are in back-off. */
  readonly inBackoff: readonly { readonly index: number; readonly until: EpochMs }[];
  /** Requested after the commit, never before. */
  readonly actions: readonly Action[];
  /** Facts that this pass could not apply because their chunks were not loaded: they are sent again. */
  readonly deferred: readonly Fact[];
  /** Publish what is now committed. */
  readonly publish: boolean;
  /** Announce what STATUS says is unannounced: this commit has put off all others' tries. */
  readonly announce: boolean;
  /** For metrics, after the commit. */
  readonly counted: PassCounts;
};

export type EndedAttempt = AttemptId & {
  readonly taskArn: TaskArn | null;
  readonly ending: Ending;
  readonly times: AttemptTimes;
  readonly judgement: Judgement;
  /** Failures of the index before this attempt, and restarts of this attempt before its end: what its Pod shows. */
  readonly failures: number;
  readonly ignored: number;
  readonly restarts: number;
  /** When the first task of its Pod was created, in seconds since 1970; omitted: it is this one. */
  readonly podCreatedSec?: number | undefined;
  /**
   * The task whose end its Pod survived last, which it had before this one. Only stored records have it, of Pods that have ended;
   * omitted: there was none, or it is not known.
   */
  readonly earlierTaskArn?: TaskArn | undefined;
  /** Its Pod was being deleted when it ended: users no longer see the Pod; its record stays for logs and history. */
  readonly gone?: true | undefined;
};

/** What an attempt's end counts as, and why. */
export type Judgement = { readonly as: Outcome; readonly why: Why };

export type Outcome =
  | 'succeeded'
  /** it counts, and the index is retried */
  | 'failed'
  /** it counts, and the index is not retried */
  | 'failedForGood'
  /** podFailurePolicy: it does not count, and the index is retried */
  | 'ignored'
  /** the same Pod continues in a new task: restartPolicy OnFailure */
  | 'restarted'
  /** the same Pod keeps waiting: its task did not start */
  | 'unstarted'
  /** infrastructure took it: it counts against a separate limit */
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
      /** By index; omitted for launches without any. */
      readonly traits: ReadonlyMap<number, LaunchTraits>;
      /** Older claims of the Job that are unanswered. */
      readonly ahead: number;
    }
  /** claims to cancel or attempts to stop, of one launch row; `podDeleted`: a user has deleted their Pods */
  | {
      readonly kind: 'stop';
      readonly row: number;
      readonly attempts: readonly AttemptId[];
      readonly podDeleted?: true;
    }
  /** a live task that is not a current attempt's; `podDeleted`: it was one, and a user has deleted its Pod */
  | { readonly kind: 'stopTask'; readonly taskArn: TaskArn; readonly podDeleted?: true }
  /** look up all active attempts */
  | { readonly kind: 'inspect' }
  /** run a pass over this Job then */
  | { readonly kind: 'wake'; readonly at: EpochMs };

export type PassCounts = {
  readonly facts: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly ignored: number;
  readonly failedIndexes: number;
  readonly lost: number;
  readonly refused: number;
  /** Pods that a rule of podFailurePolicy matched, by the rule's action. */
  readonly policyActions: { readonly [A in PolicyAction]: number };
};
