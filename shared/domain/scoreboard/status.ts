import {
  type Chunk,
  type ChunkSummary,
  type Counted,
  CHUNK_INDEXES,
  NO_COUNTS,
  chunkOf,
  chunksFor,
  countRecords,
  freshSummary,
} from './board.ts';
import { initialHits, initialSummary } from './initial-board.ts';
import type { IndexSelection } from '../manifests/selection.ts';
import { type EpochMs, later } from '../base/time.ts';
import type { JobUid, TaskArn } from '../base/ids.ts';
import type { AttemptId } from '../base/fact.ts';
import { invariant } from '../base/invariant.ts';
import { type Job, type JobSpec, boardSize, startsAt } from '../manifests/job.ts';
import type { Labels } from '../manifests/manifest.ts';
import type { Transition } from './transition.ts';

/** A Kubernetes Event on a Job, with the fields that the Job controller sets. */
export type JobEvent = { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string };

/** Why a Job ended; each reason is Kubernetes' word and has a row in `decide-phase.test.ts`. */
export type Verdict = CompleteVerdict | (Decision & { readonly kind: 'failed'; readonly reason: FailureReason });

type Decision = {
  readonly message: string;
  /** The index whose end decided; null: no single one did. */
  readonly decidedBy: number | null;
};

export type CompleteVerdict = Decision & {
  readonly kind: 'complete';
  readonly reason: 'CompletionsReached' | 'SuccessPolicy';
  /** The reason that the user has given the rule that was met; omitted: none. */
  readonly ownReason?: string;
};

/** The reason that users see. */
export const shownReason = (verdict: Verdict): string =>
  verdict.kind === 'complete' ? (verdict.ownReason ?? verdict.reason) : verdict.reason;

/** The success policy of a Job is met, and its Pods go on: nothing can fail it any more. `since`: when it was met. */
export type Achievement = { readonly verdict: CompleteVerdict; readonly since: EpochMs };

export type FailureReason =
  | 'BackoffLimitExceeded'
  | 'DeadlineExceeded'
  | 'PodFailurePolicy'
  | 'MaxFailedIndexesExceeded'
  | 'FailedIndexes'
  /** ours: RunTask will always refuse */
  | 'LaunchRefused'
  /** ours: its kill time has come */
  | 'Killed'
  /** ours: a Job that it waits for never comes to what it waits for */
  | 'DependencyFailed'
  /** ours: its indexes belong together, and not all of them ran in time */
  | 'GangTimeout';

export type Phase =
  | { readonly kind: 'running' }
  /** Nothing is started; active attempts are being stopped. This phase ends only when nothing is active. */
  | {
      readonly kind: 'suspended';
      readonly since: EpochMs;
      /** It waits for other Jobs, and no user has suspended it. */
      readonly held?: true;
    }
  /** Its indexes belong together and did not all run in time: all are stopped, and then start again. `message`: which did not. */
  | { readonly kind: 'regrouping'; readonly since: EpochMs; readonly message: string }
  /** Decided: the interim condition is set, and tasks are still stopping. */
  | { readonly kind: 'draining'; readonly verdict: Verdict; readonly since: EpochMs }
  | Finished
  /** A user deleted it and a finalizer still holds it: users see it terminating, and its tasks are being stopped. */
  | { readonly kind: 'terminating'; readonly since: EpochMs; readonly ended: Finished | null }
  /**
   * A user deleted it: users no longer see it, and its tasks are being stopped. `ended`: how it had ended, for watches that see
   * it deleted.
   */
  | { readonly kind: 'purging'; readonly since: EpochMs; readonly ended?: Finished }
  | { readonly kind: 'deleted'; readonly since: EpochMs; readonly at: EpochMs; readonly ended?: Finished };

/** `since`: when it was decided; `at`: when nothing was left. */
export type Finished = {
  readonly kind: 'finished';
  readonly verdict: Verdict;
  readonly since: EpochMs;
  readonly at: EpochMs;
};

/** What others hear of a Job: that it has begun, rests, goes on, has ended, or is gone. */
export type JobState = 'Started' | 'Suspended' | 'Resumed' | 'Completed' | 'Failed' | 'Deleted';

/** `version`: STATUS's, of the commit that made the change. */
export type StateChange = { readonly version: number; readonly state: JobState; readonly at: EpochMs };

/** Changes that may not have been announced, at least one, oldest first. `dueAt`: when they are announced (again). */
export type Unannounced = { readonly changes: readonly StateChange[]; readonly dueAt: EpochMs };

/** An unanswered claim. Sent (again) when `dueAt` has passed. */
export type Claim = {
  readonly index: number;
  readonly attempt: number;
  readonly nonce: number;
  readonly dueAt: EpochMs;
};

/** `since`: when its task was launched, or, as far as that is not known, when it was replaced. */
export type ReplacedTask = AttemptId & { readonly taskArn: TaskArn; readonly since: EpochMs };

/** A Kubernetes Event on the Job: what one commit made known. */
export type JobEventEntry = JobEvent & {
  /** STATUS's version that last reported it. */
  readonly version: number;
  readonly firstAt: EpochMs;
  readonly at: EpochMs;
  readonly count: number;
};

/** The one small item that every commit of a Job writes; its version guards everything else. */
export type Status = {
  readonly version: number;
  /** Revision of the spec that the last pass used. */
  readonly revision: number;
  readonly phase: Phase;
  /** Set again at resume, as Kubernetes 1.34 does. */
  readonly startTime: EpochMs | null;
  /** When the condition Suspended last turned False; null if it was never True. */
  readonly resumedAt: EpochMs | null;
  /** Since when it was suspended, for a Job that ended while suspended; null: it is not over, or was not suspended then. */
  readonly endedSuspendedSince: EpochMs | null;
  /** Slots on the board; see {@link boardSize}. */
  readonly size: number;
  readonly chunks: readonly ChunkSummary[];
  /** Failed attempts that count; never decreases. `succeeded` is the board's. */
  readonly failed: number;
  /** Restarts of all existing Pods, in total (restartPolicy OnFailure). */
  readonly restarts: number;
  /** By rule of the success policy: how many of the indexes in its list have succeeded. */
  readonly ruleHits: readonly number[];
  /** Attempts that were replaced and are still stopping (podReplacementPolicy TerminatingOrFailed); already counted. */
  readonly replacedTasks: readonly ReplacedTask[];
  /** Failures since the last success and the time of the newest: the Job's back-off. */
  readonly backoff: { readonly failures: number; readonly lastFailureAt: EpochMs | null };
  readonly inFlight: readonly Claim[];
  /** Stops are requested in rounds over the board; null: no stop is wanted, or the round has not begun. */
  readonly stopRound: { readonly cursor: number; readonly startedAt: EpochMs } | null;
  /** When all active attempts are next looked up in ECS, and the interval after that. */
  readonly inspect: { readonly at: EpochMs; readonly intervalMs: number } | null;
  /** Wake-ups in flight, earliest first. The sweep finds the Job by the first, in case that is lost. */
  readonly alarms: readonly EpochMs[];
  /** The largest `now` that any pass has used: a Job's time never runs backwards. */
  readonly now: EpochMs;
  /** Why launches wait, as text; null if they do not. */
  readonly waitReason: string | null;
  readonly journal: Journal;
  /** The newest, oldest first; at most {@link EVENTS_MAX}. */
  readonly events: readonly JobEventEntry[];
  /** The labels before a user changed them in this version; null: long ago or never. */
  readonly relabelled: { readonly version: number; readonly labels: Labels } | null;
  /** How far the feed is known to be; the feed's own mark is the truth, and this hint saves reading it. */
  readonly published: { readonly version: number; readonly seq: number; readonly at: EpochMs };
  /** null: nothing is to be announced. In an installation without listeners it always is. */
  readonly unannounced: Unannounced | null;
  /** The Jobs that this one waits for, as its last pass has seen them; nothing for a Job that waits for none. */
  readonly upstreams: readonly Upstream[];
  /** Indexes of another Job wait for this one's: that Job is woken when some have succeeded. */
  readonly isAwaited: boolean;
  /** null: its success policy is not met, or has ended it. */
  readonly achieved: Achievement | null;
  /** How the indexes stand that belong together; null: each is on its own. */
  readonly gang: GangState | null;
};

export type GangState = {
  /** How often all were stopped to start again. */
  readonly restarts: number;
  /** The claim since which not all have run; null: all run or have succeeded, or none was claimed. */
  readonly since: EpochMs | null;
  /** All of them run, and none is to end: the name that says so exists. */
  readonly isReady: boolean;
};

const FRESH_GANG: GangState = { restarts: 0, since: null, isReady: false };

/** `uid`: of the Job that had the name when it was first seen; null: there was none yet. `isMet`: it need not be looked at again. */
export type Upstream = { readonly name: string; readonly uid: JobUid | null; readonly isMet: boolean };

/** Transitions that are not yet both folded into the board and published. */
export type Journal = {
  readonly nextSeq: number;
  readonly entries: readonly JournalEntry[];
};

/** More than a watch can lag behind, and few enough to keep STATUS small. */
export const EVENTS_MAX = 20;

/** The version of a deleted Job in the feed: nothing follows it. */
export const DELETED_VERSION = 0x7fff_ffff;

export type JournalEntry = { readonly seq: number; readonly transition: Transition };

/** A new Job's status, before its first pass. */
export function freshStatus(job: Job, now: EpochMs): Status {
  const size = boardSize(job.spec, 0);
  return {
    version: 1,
    revision: job.revision,
    phase: firstPhase(job.spec, now),
    startTime: null,
    resumedAt: null,
    endedSuspendedSince: null,
    size,
    chunks: summariesFor(size, [], job.spec.selection),
    failed: 0,
    restarts: 0,
    ruleHits: initialHits(job.spec.successPolicy ?? [], job.spec.selection),
    replacedTasks: [],
    backoff: { failures: 0, lastFailureAt: null },
    inFlight: [],
    stopRound: null,
    inspect: null,
    alarms: [now],
    now,
    waitReason: null,
    journal: { nextSeq: 0, entries: [] },
    events: [],
    relabelled: null,
    published: { version: 0, seq: 0, at: 0 as EpochMs },
    unannounced: null,
    upstreams: [...job.spec.after, ...job.spec.afterIndexes].map(({ name }) => ({ name, uid: null, isMet: false })),
    isAwaited: false,
    achieved: null,
    gang: job.spec.gang === null ? null : FRESH_GANG,
  };
}

function firstPhase(spec: JobSpec, now: EpochMs): Phase {
  if (spec.suspend || startsAt(spec, null, now) !== null) return { kind: 'suspended', since: now };
  const isHeld = spec.managed && spec.after.length + spec.afterIndexes.length > 0;
  return isHeld ? { kind: 'suspended', since: now, held: true } : { kind: 'running' };
}

/** Summaries for a board of `size` slots: the existing ones, plus new slots at the end. */
export function summariesFor(
  size: number,
  chunks: readonly ChunkSummary[],
  selection: IndexSelection,
): readonly ChunkSummary[] {
  const grown = chunks.map((summary, no) => {
    const length = chunkLength(size, no);
    const { pending, held, succeeded, failed, excluded } = summary;
    const missing = length - (pending + held + podCount(summary) + succeeded + failed + excluded);
    return missing === 0 ? summary : { ...summary, pending: summary.pending + missing };
  });
  for (let no = grown.length; no < chunksFor(size); no++)
    grown.push(initialSummary(selection, no, chunkLength(size, no)));
  return grown;
}

/** How many of chunk `no`'s records exist on a board of `size` slots. */
export const chunkLength = (size: number, no: number): number => Math.min(CHUNK_INDEXES, size - no * CHUNK_INDEXES);

/** So many of each; `stopping` are counted as starting or running, too. */
export type Tally = { readonly [K in Counted | 'stopping']: number };

/** The board's counts over all chunks. */
export function tally(chunks: readonly ChunkSummary[]): Tally {
  const sum = { ...NO_COUNTS };
  for (const c of chunks) {
    sum.pending += c.pending;
    sum.held += c.held;
    sum.starting += c.starting;
    sum.running += c.running;
    sum.waiting += c.waiting;
    sum.stopping += c.stopping;
    sum.succeeded += c.succeeded;
    sum.failed += c.failed;
    sum.excluded += c.excluded;
  }
  return sum;
}

/** Existing Pods: those with a task, and those between two tasks. */
export const podCount = ({ starting, running, waiting }: Pick<Tally, 'starting' | 'running' | 'waiting'>): number =>
  starting + running + waiting;

/**
 * The same for the indexes below `completions`: what a larger Job has left above them is kept, but counts for nothing.
 * `boundary` has the records of the chunk that is cut in two.
 */
export function tallyWithin(
  chunks: readonly ChunkSummary[],
  completions: number,
  boundary: (no: number) => Chunk | undefined,
): Tally {
  const cut = chunkOf(completions);
  const offsets = completions % CHUNK_INDEXES;
  const whole = tally(chunks.slice(0, cut));
  if (offsets === 0 || cut >= chunks.length) return whole;
  const chunk = boundary(cut);
  invariant(chunk !== undefined, `chunk ${cut}, which is cut at ${completions}, is at hand`);
  return tally([
    { ...NO_SUMMARY, ...whole },
    { ...NO_SUMMARY, ...countRecords(chunk, offsets) },
  ]);
}

const NO_SUMMARY = freshSummary(0);

/** Indexes on the board that a smaller Job no longer has. */
export const isShrunk = ({ completionMode, completions }: Job['spec'], size: number): boolean =>
  completionMode === 'Indexed' && completions !== null && completions < size;

/** Nothing about the Job can change any more, except by deleting it. */
export const isOver = (phase: Phase): boolean => phase.kind === 'finished' || phase.kind === 'deleted';

/** By a user, or until a moment; a Job that is held for others has not begun. */
export const isSuspended = (phase: Phase | null): boolean => phase?.kind === 'suspended' && phase.held !== true;

/** Every active attempt should end. */
export const isEnding = (phase: Phase): boolean =>
  phase.kind === 'suspended' || phase.kind === 'regrouping' || phase.kind === 'draining' || isDeletion(phase);

const isDeletion = (phase: Phase): boolean => phase.kind === 'terminating' || phase.kind === 'purging';

/** For its users, the Job no longer exists. */
export const isHidden = (phase: Phase): boolean => phase.kind === 'purging' || phase.kind === 'deleted';

/** How the Job ended, before a user's delete or without one; null: it had not. */
export const endOf = (phase: Phase): Finished | null =>
  phase.kind === 'finished' ? phase : 'ended' in phase ? (phase.ended ?? null) : null;

/** The part of a hidden phase that says so. */
export const endedWith = (ended: Finished | null): { readonly ended?: Finished } => (ended === null ? {} : { ended });

/**
 * The status that a user's delete leaves; null: the Job was already deleted. `clock` may be behind the last commit's.
 *
 * @param until `terminating`: a finalizer holds the Job, so users see it until the finalizer is removed
 */
export function requestDeletion(
  status: Status,
  clock: EpochMs,
  until: 'terminating' | 'purging' = 'purging',
): Status | null {
  const { phase } = status;
  if (isHidden(phase) || phase.kind === until) return null;
  const now = later(clock, status.now);
  const since = phase.kind === 'terminating' ? phase.since : now;
  const ended = endOf(phase);
  return {
    ...status,
    version: status.version + 1,
    phase: until === 'terminating' ? { kind: until, since, ended } : { kind: until, since, ...endedWith(ended) },
    stopRound: phase.kind === 'terminating' ? status.stopRound : null,
    alarms: [now],
    now,
  };
}
