import { type ChunkSummary, CHUNK_INDEXES, chunksFor, freshSummary } from './board.ts';
import { type EpochMs, later } from './brand.ts';
import { type Job, boardSize } from './job.ts';
import type { Transition } from './transition.ts';

/** Why a Job ended; each reason is Kubernetes' word, and each has a row in the tests of planJob. */
export type Verdict =
  | { readonly kind: 'complete'; readonly reason: 'CompletionsReached'; readonly message: string }
  | { readonly kind: 'failed'; readonly reason: 'BackoffLimitExceeded' | 'LaunchRefused'; readonly message: string };

export type Phase =
  | { readonly kind: 'running' }
  /** Nothing is started; what is active is being stopped. It is left only when nothing is active any more. */
  | { readonly kind: 'suspended'; readonly since: EpochMs }
  /** Decided: the interim condition is set, tasks are still stopping. */
  | { readonly kind: 'draining'; readonly verdict: Verdict; readonly since: EpochMs }
  | { readonly kind: 'finished'; readonly verdict: Verdict; readonly since: EpochMs; readonly at: EpochMs }
  /** A user deleted it: users see it no more, its tasks are being stopped. */
  | { readonly kind: 'deleting'; readonly since: EpochMs }
  | { readonly kind: 'deleted'; readonly since: EpochMs; readonly at: EpochMs };

/** A claim that no answer has come for. Sent (again) when `dueAt` has passed. */
export type Claim = {
  readonly index: number;
  readonly attempt: number;
  readonly nonce: number;
  readonly dueAt: EpochMs;
};

/** The one small item that every commit of a Job writes; its version guards everything else. */
export type Status = {
  readonly version: number;
  /** Generation of the spec that the last pass has seen. */
  readonly generation: number;
  readonly phase: Phase;
  /** Set anew at resume, as Kubernetes 1.34 does. */
  readonly startTime: EpochMs | null;
  /** When the condition Suspended last turned False; null if it never was True. */
  readonly resumedAt: EpochMs | null;
  /** Slots on the board; see {@link boardSize}. */
  readonly size: number;
  readonly chunks: readonly ChunkSummary[];
  /** Failed attempts that count, never less. `succeeded` is the board's. */
  readonly failed: number;
  /** Failures since the last success and the time of the newest: the Job's back-off. */
  readonly backoff: { readonly failures: number; readonly lastFailureAt: EpochMs | null };
  readonly inFlight: readonly Claim[];
  /** Stops are asked for in rounds over the board; null: no stop is wanted or the round has not begun. */
  readonly stopRound: { readonly cursor: number; readonly startedAt: EpochMs } | null;
  /** When all active attempts are looked up at ECS again, and the interval after that. */
  readonly inspect: { readonly at: EpochMs; readonly intervalMs: number } | null;
  /** Wake-ups that are on their way, soonest first. The sweep finds the Job by the first, should it be lost. */
  readonly alarms: readonly EpochMs[];
  /** The largest `now` that any pass has used: time never runs backwards for a Job. */
  readonly now: EpochMs;
  /** Why launches wait, in words; null when they do not. */
  readonly waitReason: string | null;
  readonly journal: Journal;
  /** What the feed is known to have; the feed's own mark is the truth, this is a hint that spares reading it. */
  readonly published: { readonly version: number; readonly seq: number; readonly at: EpochMs };
};

/** Transitions that are not yet both folded into the board and published. */
export type Journal = {
  readonly nextSeq: number;
  readonly entries: readonly JournalEntry[];
};

/** Stands for the version of a deleted Job in the feed: nothing follows it. */
export const DELETED_VERSION = 0x7fff_ffff;

export type JournalEntry = { readonly seq: number; readonly transition: Transition };

/** A new Job's status, before its first pass. */
export function freshStatus(job: Job, now: EpochMs): Status {
  const size = boardSize(job.spec, 0);
  return {
    version: 1,
    generation: job.generation,
    phase: job.spec.suspend ? { kind: 'suspended', since: now } : { kind: 'running' },
    startTime: null,
    resumedAt: null,
    size,
    chunks: summariesFor(size, []),
    failed: 0,
    backoff: { failures: 0, lastFailureAt: null },
    inFlight: [],
    stopRound: null,
    inspect: null,
    alarms: [now],
    now,
    waitReason: null,
    journal: { nextSeq: 0, entries: [] },
    published: { version: 0, seq: 0, at: 0 as EpochMs },
  };
}

/** Summaries for a board of `size` slots: those there are, grown by fresh slots at the end. */
export function summariesFor(size: number, chunks: readonly ChunkSummary[]): readonly ChunkSummary[] {
  const grown = chunks.map((summary, no) => {
    const length = chunkLength(size, no);
    const missing =
      length - (summary.pending + summary.starting + summary.running + summary.succeeded + summary.failed);
    return missing === 0 ? summary : { ...summary, pending: summary.pending + missing };
  });
  for (let no = grown.length; no < chunksFor(size); no++) grown.push(freshSummary(chunkLength(size, no)));
  return grown;
}

/** How many of chunk `no`'s records exist on a board of `size` slots. */
export const chunkLength = (size: number, no: number): number => Math.min(CHUNK_INDEXES, size - no * CHUNK_INDEXES);

export type Tally = {
  readonly pending: number;
  readonly starting: number;
  readonly running: number;
  readonly stopping: number;
  readonly succeeded: number;
  readonly failed: number;
};

/** The board's counts over all chunks. */
export function tally(chunks: readonly ChunkSummary[]): Tally {
  const sum = { pending: 0, starting: 0, running: 0, stopping: 0, succeeded: 0, failed: 0 };
  for (const c of chunks) {
    sum.pending += c.pending;
    sum.starting += c.starting;
    sum.running += c.running;
    sum.stopping += c.stopping;
    sum.succeeded += c.succeeded;
    sum.failed += c.failed;
  }
  return sum;
}

/** Nothing of the Job can change any more, but by deleting it. */
export const isOver = (phase: Phase): boolean => phase.kind === 'finished' || phase.kind === 'deleted';

/** Every active attempt ought to end. */
export const isEnding = (phase: Phase): boolean =>
  phase.kind === 'suspended' || phase.kind === 'draining' || phase.kind === 'deleting';

/** The status that a user's delete leaves; null: it is deleted already. `clock` may be behind the last commit's. */
export function requestDeletion(status: Status, clock: EpochMs): Status | null {
  if (status.phase.kind === 'deleting' || status.phase.kind === 'deleted') return null;
  const now = later(clock, status.now);
  return {
    ...status,
    version: status.version + 1,
    phase: { kind: 'deleting', since: now },
    stopRound: null,
    alarms: [now],
    now,
  };
}
