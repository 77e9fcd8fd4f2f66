import {
  CHUNK_INDEXES,
  NO_COUNTS,
  type Chunk,
  type ChunkSummary,
  chunkOf,
  counted,
  emptyChunk,
  isStopped,
  recordAt,
  setRecord,
} from '../../shared/domain/scoreboard/board.ts';
import { type EpochMs, asEpochMs, plusMs } from '../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import { WorkingBoard } from '../../shared/domain/scoreboard/working-board.ts';
import type { AttemptId, EndingCause, Fact } from '../../shared/domain/base/fact.ts';
import { has } from '../../shared/domain/base/index-set.ts';
import { type IndexAction, type IndexEffect, changeIndex } from '../../shared/domain/scoreboard/index-changes.ts';
import { extendJournal } from '../../shared/domain/scoreboard/journal.ts';
import { FRESH, type IndexRecord, hasPod, isActive } from '../../shared/domain/scoreboard/index-record.ts';
import type { Job, JobSpec } from '../../shared/domain/manifests/job.ts';
import type { Plan } from '../../shared/domain/planner/plan.ts';
import { planJob } from '../../shared/domain/planner/plan-job.ts';
import { type Phase, type Status, chunkLength, freshStatus } from '../../shared/domain/scoreboard/status.ts';
import { AWS_TIMING } from '../../shared/domain/base/timing.ts';
import { plainSpec } from './a-job.ts';

// Boards as strips of letters, and plans as words: tests of the domain read like its specification.

const T0 = asEpochMs(1_800_000_000_000);
/** The moment `sec` seconds into the test. */
export const at = (sec: number): EpochMs => plusMs(T0, sec * 1000);

/** Seconds into the test at which an index in back-off (`w`), or a Pod between two tasks (`b`), may start again. */
const WAITS_UNTIL_SEC = 10;

const LETTERS: Readonly<Record<string, Partial<IndexRecord>>> = {
  '.': {},
  c: { state: 'claimed', attempt: 1 },
  l: { state: 'launched', attempt: 1 },
  r: { state: 'running', attempt: 1 },
  /** claimed or running, and asked to stop */
  C: { state: 'claimed', attempt: 1, stopping: true },
  R: { state: 'running', attempt: 1, stopping: true },
  S: { state: 'succeeded', attempt: 1 },
  /** pending after infrastructure took it, and not to be started yet */
  w: { state: 'pending', attempt: 1, infra: 1, notBefore: at(WAITS_UNTIL_SEC) },
  /** a Pod between two tasks, whose container has ended once and is to start again */
  b: { state: 'waiting', attempt: 1, nonce: 1, restarts: 1, notBefore: at(WAITS_UNTIL_SEC) },
  /** running, but a user has deleted its Pod */
  D: { state: 'running', attempt: 1, podDeleted: true },
  /** inherited: it has succeeded in the Job that this one repeats */
  I: { state: 'succeeded' },
  /** pending, and held back; running, and held back when it comes back */
  h: { held: true },
  H: { state: 'running', attempt: 1, held: true },
  /** running, and cancelled or requeued */
  X: { state: 'running', attempt: 1, stopping: true, wish: 'cancel' },
  Q: { state: 'running', attempt: 1, stopping: true, wish: 'requeue' },
  /** running, and past its Pod's or its index's deadline */
  L: { state: 'running', attempt: 1, late: 'attempt' },
  J: { state: 'running', attempt: 1, late: 'index' },
  /** excluded */
  x: { state: 'excluded' },
  /** failed for good */
  F: { state: 'failed', attempt: 1, failures: 1 },
};

/** Records by letter: see {@link LETTERS}; a digit is a pending index after so many failures. Blanks are for the eye. */
const records = (strip: string): readonly IndexRecord[] =>
  Array.from(strip.replaceAll(' ', ''), (letter): IndexRecord => {
    const failures = Number(letter);
    if (Number.isInteger(failures)) return { ...FRESH, failures, attempt: failures };
    const record = LETTERS[letter];
    if (record === undefined) throw new Error(`no such letter: ${letter}`);
    return { ...FRESH, ...record };
  });

export type Wish = Partial<JobSpec> & {
  readonly phase?: Phase;
  readonly status?: Partial<Status>;
  /** the number of indexes in front of the strip, all of them succeeded */
  readonly before?: number;
};

export type Situation = { readonly job: Job; readonly status: Status; readonly stored: ReadonlyMap<number, Chunk> };

/**
 * A Job whose board is as the strip says. It is Indexed with as many completions as the strip has letters and
 * parallelism 2, unless `wish` says otherwise; its claims are unanswered since `at(0)`, its failures no longer hold it back,
 * all of it has been
 * published, and the alarm is set.
 */
export function aBoard(
  strip: string,
  { phase = { kind: 'running' }, status, before = 0, ...spec }: Wish = {},
): Situation {
  const all = [...Array.from({ length: before }, () => records('S')[0] ?? FRESH), ...records(strip)];
  const job: Job = {
    uid: asJobUid('job'),
    namespace: 'default',
    name: 'work',
    createdAt: T0,
    revision: 1,
    spec: plainSpec({ completionMode: 'Indexed', parallelism: 2, completions: all.length, ...spec }),
  };
  const fresh = freshStatus(job, T0);
  const size = Math.max(fresh.size, all.length);
  const chunks = new Map(Array.from({ length: Math.ceil(size / CHUNK_INDEXES) }, (_, no) => [no, emptyChunk()]));
  for (const [index, record] of all.entries()) {
    setRecord(chunks.get(chunkOf(index)) ?? emptyChunk(), index % CHUNK_INDEXES, record);
  }
  const claims = all.flatMap(({ state, attempt, nonce }, index) =>
    state === 'claimed' ? [{ index, attempt, nonce, dueAt: plusMs(T0, AWS_TIMING.resendMs) }] : [],
  );
  const active = all.some(({ state }) => isActive(state));
  const succeeded = all.flatMap(({ state }, index) => (state === 'succeeded' ? [index] : []));
  const inspectAt = plusMs(T0, AWS_TIMING.inspectFirstMs);
  return {
    job,
    stored: chunks,
    status: {
      ...fresh,
      version: 5,
      phase,
      size,
      startTime: T0,
      chunks: [...chunks].map(([no, chunk]) => ({
        ...recount(chunk, chunkLength(size, no), job.spec.startTimeoutSec !== null),
        version: 1,
      })),
      failed: all.reduce((sum, { failures }) => sum + failures, 0),
      restarts: all.reduce((sum, { restarts }) => sum + restarts, 0),
      ruleHits: (job.spec.successPolicy ?? []).map(
        ({ indexes }) => succeeded.filter((index) => indexes !== null && has(indexes, index)).length,
      ),
      inFlight: claims,
      inspect: active ? { at: inspectAt, intervalMs: AWS_TIMING.inspectFirstMs } : null,
      alarms: active ? [claims[0]?.dueAt ?? inspectAt] : [],
      published: { version: 5, seq: 0, at: plusMs(T0, -3_600_000) },
      ...status,
    },
  };
}

/**
 * A chunk's counts, from its records. The lower bounds are as low as they may be.
 *
 * @param isTimed its Pods have to start in time
 */
export function recount(chunk: Chunk, length: number, isTimed = false): Omit<ChunkSummary, 'version'> {
  const counts = { ...NO_COUNTS };
  let runningSince: number | null = null;
  let indexSince: number | null = null;
  let soonestDue: EpochMs | null = null;
  let startingSince: number | null = null;
  let firstPending = length;
  for (let offset = 0; offset < length; offset++) {
    const record = recordAt(chunk, offset);
    const { state, notBefore, podCreatedSec, ranSec, launchedSec } = record;
    if (ranSec !== null) runningSince = Math.min(runningSince ?? ranSec, ranSec);
    if (launchedSec !== null) indexSince = Math.min(indexSince ?? launchedSec, launchedSec);
    if (podCreatedSec !== null && hasPod(state) && state !== 'running')
      startingSince = Math.min(startingSince ?? podCreatedSec, podCreatedSec);
    counts[counted(record)]++;
    if (isStopped(record)) counts.stopping++;
    if (counted(record) === 'pending') firstPending = Math.min(firstPending, offset);
    const waits = state === 'pending' || state === 'waiting';
    if (waits && notBefore !== null && (soonestDue === null || notBefore < soonestDue)) soonestDue = notBefore;
  }
  return {
    ...counts,
    foldedSeq: 0,
    firstPending,
    soonestDue,
    startingSince: isTimed ? startingSince : null,
    runningSince,
    indexSince,
  };
}

/** The plan of one pass at `sec`, with every chunk at hand. */
export const plan = ({ job, status, stored }: Situation, facts: readonly Fact[] = [], sec = 0): Plan =>
  planJob(job, status, stored, facts, at(sec), AWS_TIMING);

/** The situation after a plan was committed: its status, and its folds stored. */
export function after(situation: Situation, { status, folds }: Plan): Situation {
  const stored = new Map([...situation.stored, ...folds.map(({ no, chunk }) => [no, chunk] as const)]);
  return { ...situation, stored, status: status ?? situation.status };
}

/** The situation after a user's commit about all its indexes, and what came of each. */
export function acted(
  situation: Situation,
  action: IndexAction,
): { readonly board: Situation; readonly effects: readonly IndexEffect[] } {
  const { status, stored } = situation;
  const working = new WorkingBoard(status, stored);
  const effects = Array.from({ length: status.size }, (_, index) => changeIndex(working, action, index));
  const journal = extendJournal(status.journal, working.transitions);
  const next = { ...status, journal, chunks: working.summaries(), restarts: working.restarts, stopRound: null };
  return { board: { ...situation, status: next }, effects };
}

/** A plan in words: the phase, what is asked of the world, and when to look again where that differs. */
export function brief({ status, actions, deferred }: Plan): string {
  const words = [status === null ? 'nothing changes' : phaseWords(status.phase)];
  for (const kind of ['launch', 'stop'] as const) {
    const ids = actions.flatMap((action) => (action.kind === kind ? action.attempts : []));
    if (ids.length > 0)
      words.push(
        `${kind} ${ids
          .sort((a, b) => a.index - b.index)
          .map(idWords)
          .join(' ')}`,
      );
  }
  for (const action of actions) {
    if (action.kind === 'stopTask') words.push(`stop ${action.taskArn}`);
    if (action.kind === 'inspect') words.push('look up');
  }
  if (deferred.length > 0) words.push(`${deferred.length} deferred`);
  return words.join(', ');
}

/** `3`: the first attempt of index 3; `3#2`: its second; `3.1`: the first with nonce 1. */
const idWords = ({ index, attempt, nonce }: AttemptId): string =>
  `${index}${attempt === 1 ? '' : `#${attempt}`}${nonce === 0 ? '' : `.${nonce}`}`;

function phaseWords(phase: Phase): string {
  return phase.kind === 'draining' || phase.kind === 'finished' ? `${phase.kind} ${phase.verdict.reason}` : phase.kind;
}

/** When a plan asks to be woken, in seconds; null: it does not. */
export function wakeSec({ actions }: Plan): number | null {
  const wake = actions.find((action) => action.kind === 'wake');
  return wake === undefined ? null : (wake.at - T0) / 1000;
}

// --- facts, of the first attempt and nonce unless told otherwise

const idOf = (index: number, attempt = 1, nonce = 0): AttemptId => ({ index, attempt, nonce });
export const arnOf = (index: number, attempt = 1, nonce = 0) => asTaskArn(`task ${index}#${attempt}.${nonce}`);

export const ended = (index: number, cause: EndingCause, sec = 0, attempt = 1, nonce = 0): Fact => ({
  ...idOf(index, attempt, nonce),
  kind: 'stopped',
  taskArn: arnOf(index, attempt, nonce),
  ending: { cause, exitCode: cause === 'Completed' ? 0 : 1, container: 'main', reason: cause },
  times: { createdAt: T0, startedAt: T0, stoppedAt: at(sec) },
  at: at(sec),
});
/** The container has ended with a code of its own. */
export const exited = (index: number, exitCode: number, sec = 0, attempt = 1, nonce = 0, container = 'main'): Fact => ({
  ...idOf(index, attempt, nonce),
  kind: 'stopped',
  taskArn: arnOf(index, attempt, nonce),
  ending: { cause: exitCode === 0 ? 'Completed' : 'Error', exitCode, container, reason: `exit ${exitCode}` },
  times: { createdAt: T0, startedAt: T0, stoppedAt: at(sec) },
  at: at(sec),
});
/** A user has deleted the Pod; `task`: it has one that is known. */
export const deleted = (index: number, sec = 0, attempt = 1, nonce = 0, task = true): Fact => ({
  ...idOf(index, attempt, nonce),
  kind: 'deleted',
  taskArn: task ? arnOf(index, attempt, nonce) : null,
  at: at(sec),
});
export const launched = (index: number, attempt = 1, nonce = 0): Fact => ({
  ...idOf(index, attempt, nonce),
  kind: 'launched',
  taskArn: arnOf(index, attempt, nonce),
  at: T0,
});
export const running = (index: number, attempt = 1, nonce = 0): Fact => ({
  ...idOf(index, attempt, nonce),
  kind: 'running',
  taskArn: arnOf(index, attempt, nonce),
  at: T0,
});
export const refused = (index: number, retrySec: number, attempt = 1, nonce = 0): Fact => ({
  ...idOf(index, attempt, nonce),
  kind: 'refused',
  reason: 'Capacity is unavailable at this time',
  retryAt: at(retrySec),
  at: T0,
});
export const rejected = (index: number, attempt = 1, nonce = 0): Fact => ({
  ...idOf(index, attempt, nonce),
  kind: 'rejected',
  reason: 'AccessDenied',
  at: T0,
});
export const cancelled = (index: number, attempt = 1, nonce = 0): Fact => ({
  ...idOf(index, attempt, nonce),
  kind: 'cancelled',
  at: T0,
});

/** The board after a plan, as a strip (of the given indexes): what {@link records} reads. */
export function stripOf({ status, stored }: Situation, from = 0, to = status.size): string {
  const found: string[] = [];
  for (let index = from; index < to; index++) found.push(letterOf(recordOf({ status, stored }, index)));
  return found.join(' ');
}

function letterOf(record: IndexRecord): string {
  const { state, attempt, stopping, podDeleted, failures, notBefore, held, wish, late } = record;
  if (held) return state === 'pending' ? 'h' : 'H';
  if (state === 'pending') return notBefore !== null ? 'w' : failures === 0 ? '.' : String(failures);
  if (state === 'failed') return 'F';
  if (state === 'succeeded') return attempt === 0 ? 'I' : 'S';
  if (state === 'excluded') return 'x';
  if (state === 'waiting') return 'b';
  if (podDeleted) return 'D';
  if (wish !== null) return wish === 'cancel' ? 'X' : 'Q';
  if (late !== null) return late === 'attempt' ? 'L' : 'J';
  const letter = state.slice(0, 1);
  return stopping ? letter.toUpperCase() : letter;
}

/** One record: its chunk with what the journal adds. */
export function recordOf({ status, stored }: Pick<Situation, 'status' | 'stored'>, index: number): IndexRecord {
  const board = new WorkingBoard(status, stored);
  const record = board.record(index);
  if (record === null) throw new Error(`there is no index ${index}`);
  return record;
}
