import fc from 'fast-check';
import {
  CHUNK_INDEXES,
  type Chunk,
  type ChunkSummary,
  STATES,
  chunksFor,
  emptyChunk,
} from '../../shared/domain/scoreboard/board.ts';
import type { Extras } from '../../shared/domain/scoreboard/index-record.ts';
import { type EpochMs, asEpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import type {
  Claim,
  CompleteVerdict,
  FailureReason,
  JournalEntry,
  ReplacedTask,
  Phase,
  Status,
  Verdict,
  StateChange,
} from '../../shared/domain/scoreboard/status.ts';
import {
  STEPS,
  type StepField,
  type StepValues,
  type Transition,
  type TransitionOp,
} from '../../shared/domain/scoreboard/transition.ts';

// Values that the codecs must keep exactly: anything that the types allow, not only what a Job could come to.

/** Whole numbers below `n`, the same ones for the same seed (mulberry32). */
export function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/** Up to the year 9999, and before 1970 too: a simulated clock may start at 0 and be behind. */
const time: fc.Arbitrary<EpochMs> = fc
  .oneof(
    fc.integer({ min: -10_000, max: 10_000 }),
    fc.maxSafeNat().map((n) => n % 253_402_300_800_000),
  )
  .map(asEpochMs);
const sec = time.map((at) => Math.floor(at / 1000));
const timeOrNull = fc.option(time);
const small = fc.oneof({ weight: 4, arbitrary: fc.nat(3) }, fc.nat(1_000_000));
const count = fc.oneof(fc.constant(0), fc.nat(CHUNK_INDEXES));
const words = fc.string({ unit: 'binary', maxLength: 40 });

/** An arbitrary for each field: one that is missing does not compile. */
type Each<T> = { readonly [K in keyof T]: fc.Arbitrary<T[K]> };

const only = <T>(all: Each<T>, names: readonly (keyof T)[]): Partial<Each<T>> =>
  Object.fromEntries(names.map((name) => [name, all[name]])) as Partial<Each<T>>;

const everyExtra: Each<Extras> = {
  nonce: small,
  stopping: fc.boolean(),
  podDeleted: fc.boolean(),
  evicted: fc.boolean(),
  overdue: fc.boolean(),
  late: fc.constantFrom(null, 'attempt', 'index'),
  wish: fc.constantFrom(null, 'cancel', 'requeue'),
  held: fc.boolean(),
  failures: small,
  ignored: small,
  infra: small,
  spot: small,
  restarts: small,
  earlierRestarts: small,
  podCreatedSec: fc.option(sec),
  ranSec: fc.option(sec),
  launchedSec: fc.option(sec),
  unstartedSince: timeOrNull,
  notBefore: timeOrNull,
};
const extras: fc.Arbitrary<Extras> = fc.record(everyExtra);

const stretch = fc.record({
  length: fc.integer({ min: 1, max: 600 }),
  states: fc.uniqueArray(fc.nat(STATES.length - 1), { minLength: 1 }),
  attempts: fc.array(fc.oneof(fc.nat(3), fc.nat(0xffffffff)), { minLength: 1, maxLength: 3 }),
  seed: fc.nat(),
});

/** A chunk of 0..4,096 records: runs and mixtures of states and attempts, a few extras. */
export const anyChunk: fc.Arbitrary<{ readonly chunk: Chunk; readonly length: number }> = fc
  .record({
    stretches: fc.array(stretch, { maxLength: 12 }),
    sparse: fc.array(fc.tuple(fc.nat(CHUNK_INDEXES - 1), extras)),
  })
  .map(({ stretches, sparse }) => {
    const chunk = emptyChunk();
    let length = 0;
    for (const { length: more, states, attempts, seed } of stretches) {
      const next = dice(seed);
      for (const end = Math.min(CHUNK_INDEXES, length + more); length < end; length++) {
        chunk.states[length] = states[next(states.length)]!;
        chunk.attempts[length] = attempts[next(attempts.length)]!;
      }
    }
    for (const [offset, e] of sparse) if (offset < length) chunk.extras.set(offset, e);
    return { chunk, length };
  });

const complete: fc.Arbitrary<CompleteVerdict> = fc.oneof(
  fc.record({
    kind: fc.constant('complete' as const),
    reason: fc.constantFrom('CompletionsReached' as const, 'SuccessPolicy' as const),
    message: words,
    decidedBy: fc.option(fc.nat(999_999)),
  }),
  fc.record({
    kind: fc.constant('complete' as const),
    reason: fc.constant('SuccessPolicy' as const),
    ownReason: words,
    message: words,
    decidedBy: fc.option(fc.nat(999_999)),
  }),
);

const verdict: fc.Arbitrary<Verdict> = fc.oneof(
  complete,
  fc.record({
    kind: fc.constant('failed' as const),
    reason: fc.constantFrom<FailureReason>(
      'BackoffLimitExceeded',
      'DeadlineExceeded',
      'PodFailurePolicy',
      'MaxFailedIndexesExceeded',
      'FailedIndexes',
      'LaunchRefused',
      'Killed',
    ),
    message: words,
    decidedBy: fc.option(fc.nat(999_999)),
  }),
);

const finished = fc.record({ kind: fc.constant('finished' as const), verdict, since: time, at: time });

const phase: fc.Arbitrary<Phase> = fc.oneof(
  fc.constant({ kind: 'running' as const }),
  fc.record({ kind: fc.constant('suspended' as const), since: time }),
  fc.record({ kind: fc.constant('draining' as const), verdict, since: time }),
  finished,
  fc.record({
    kind: fc.constant('terminating' as const),
    since: time,
    ended: fc.option(finished),
  }),
  fc.record(
    { kind: fc.constant('purging' as const), since: time, ended: finished },
    { requiredKeys: ['kind', 'since'] },
  ),
  fc.record(
    { kind: fc.constant('deleted' as const), since: time, at: time, ended: finished },
    { requiredKeys: ['kind', 'since', 'at'] },
  ),
);

const index = fc.nat(999_999);
const claim: fc.Arbitrary<Claim> = fc.record({ index, attempt: small, nonce: small, dueAt: time });

const everyStepField: Each<StepValues> = {
  notBefore: timeOrNull,
  since: timeOrNull,
  podCreatedSec: sec,
  launchedSec: sec,
  ranSec: sec,
  gone: fc.constant(true as const),
};
/** A form of a step, with all that it says. What may be null is there in any case; a first Pod is this one. */
const stepOf = (op: TransitionOp, fields: readonly StepField[]): fc.Arbitrary<Transition> =>
  fc
    .record({ index, attempt: small, op: fc.constant(op), ...only(everyStepField, fields) })
    .map(({ podCreatedSec, ...step }) => ({
      ...(op === 'failed' ? { notBefore: null } : {}),
      ...step,
      ...(podCreatedSec === undefined ? {} : { podCreatedSec }),
      ...(podCreatedSec !== undefined && fields.includes('launchedSec') ? { launchedSec: podCreatedSec } : {}),
    }))
    .map((step) => step as Transition);

const transition: fc.Arbitrary<Transition> = fc.oneof(
  ...(Object.keys(STEPS) as TransitionOp[]).flatMap((op) =>
    Object.values<readonly StepField[]>(STEPS[op].forms).map((fields) => stepOf(op, fields)),
  ),
);

const everySummaryField: Each<ChunkSummary> = {
  version: small,
  foldedSeq: small,
  pending: count,
  held: fc.oneof(fc.constant(0), count),
  starting: count,
  running: count,
  waiting: count,
  stopping: count,
  succeeded: count,
  failed: count,
  excluded: fc.oneof(fc.constant(0), count),
  firstPending: count,
  soonestDue: timeOrNull,
  startingSince: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, sec),
  runningSince: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, sec),
  indexSince: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, sec),
};
const summary: fc.Arbitrary<ChunkSummary> = fc.record(everySummaryField);

/** Entries in order of their sequence numbers, mostly without gaps, the last below `nextSeq`. */
const journal: fc.Arbitrary<Status['journal']> = fc
  .record({
    first: small,
    ahead: fc.nat(2),
    steps: fc.array(fc.record({ gap: fc.oneof(fc.constant(0), fc.nat(9)), transition })),
  })
  .map(({ first, ahead, steps }) => {
    let seq = first;
    const entries = steps.map(({ gap, transition: step }): JournalEntry => {
      seq += gap;
      return { seq: seq++, transition: step };
    });
    return { nextSeq: seq + ahead, entries };
  });

const replacedTasks: fc.Arbitrary<ReplacedTask> = fc.record({
  index,
  attempt: small,
  nonce: small,
  since: time,
  taskArn: fc
    .oneof(
      fc.string({ unit: fc.constantFrom('0', 'f'), minLength: 32, maxLength: 32 }).map((id) => `arn:task/muster/${id}`),
      fc.string(),
    )
    .map(asTaskArn),
});

const change: fc.Arbitrary<StateChange> = fc.record({
  version: small,
  state: fc.constantFrom('Started', 'Suspended', 'Resumed', 'Completed', 'Failed', 'Deleted'),
  at: time,
});

/** A status with every field at any value, its chunks as many as its size asks for. */
export const anyStatus: fc.Arbitrary<Status> = fc.nat(20_000).chain((size) =>
  fc.record({
    version: small,
    revision: small,
    phase,
    startTime: timeOrNull,
    resumedAt: timeOrNull,
    endedSuspendedSince: timeOrNull,
    size: fc.constant(size),
    chunks: fc.array(summary, { minLength: chunksFor(size), maxLength: chunksFor(size) }),
    failed: small,
    restarts: small,
    ruleHits: fc.array(small, { maxLength: 5 }),
    replacedTasks: fc.array(replacedTasks),
    backoff: fc.record({ failures: small, lastFailureAt: timeOrNull }),
    inFlight: fc.array(claim),
    stopRound: fc.option(fc.record({ cursor: index, startedAt: time })),
    inspect: fc.option(fc.record({ at: time, intervalMs: small })),
    upstreams: fc.array(fc.record({ name: words, uid: fc.option(fc.uuid().map(asJobUid)), isMet: fc.boolean() }), {
      maxLength: 2,
    }),
    isAwaited: fc.boolean(),
    achieved: fc.option(fc.record({ verdict: complete, since: time })),
    gang: fc.option(fc.record({ restarts: small, since: timeOrNull, isReady: fc.boolean() })),
    unannounced: fc.option(fc.record({ changes: fc.array(change, { maxLength: 3 }), dueAt: time })),
    alarms: fc.array(time, { maxLength: 5 }),
    now: time,
    waitReason: fc.option(words),
    journal,
    events: fc.array(
      fc.record({
        type: fc.constantFrom('Normal', 'Warning'),
        reason: words,
        message: words,
        version: small,
        firstAt: time,
        at: time,
        count: small,
      }),
      { maxLength: 3 },
    ),
    relabelled: fc.option(
      fc.record({
        version: small,
        labels: fc.dictionary(fc.constantFrom('a', 'b.c/d'), words, { noNullPrototype: true }),
      }),
    ),
    published: fc.record({ version: small, seq: small, at: time }),
  }),
);
