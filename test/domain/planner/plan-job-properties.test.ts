import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHUNK_INDEXES, STATES, chunkOf, emptyChunk } from '../../../shared/domain/scoreboard/board.ts';
import { DEFAULT_DISRUPTIONS } from '../../../shared/domain/manifests/annotations.ts';
import { chunksNeeded } from '../../../shared/domain/planner/chunks-needed.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import type { EndingCause, Fact } from '../../../shared/domain/base/fact.ts';
import { wanted } from '../../../shared/domain/planner/launches.ts';
import { planJob } from '../../../shared/domain/planner/plan-job.ts';
import { decodeStatus, encodeStatus } from '../../../shared/domain/codecs/status-codec.ts';
import { chunkLength, requestDeletion, tally } from '../../../shared/domain/scoreboard/status.ts';
import { AWS_TIMING, CLOCKS_APART_MAX_MS, CLAIMS_IN_FLIGHT_MAX } from '../../../shared/domain/base/timing.ts';
import {
  type Situation,
  aBoard,
  after,
  at,
  cancelled,
  deleted,
  ended,
  launched,
  recordOf,
  recount,
  refused,
  rejected,
  running,
} from '../../support/a-board.ts';
import { draws } from '../../verify/draws.ts';

// Whatever facts come, in whatever order: planJob never throws, and STATUS agrees with the board.

const CAUSES: readonly EndingCause[] = [
  'Completed',
  'Error',
  'OOMKilled',
  'Stopped',
  'Spot',
  'Infrastructure',
  'Unplaced',
  'StartFailed',
];
const ANSWERS = ['launched', 'running', 'refused', 'cancelled', 'deleted'] as const;

/** A fact about an index near the given one, mostly with the current attempt and nonce. */
const observation = fc.record({
  index: fc.nat(9),
  // A rejected launch ends the Job: rarely, so that histories are long.
  kind: fc.oneof({ weight: 60, arbitrary: fc.constantFrom(...ANSWERS, ...CAUSES) }, fc.constant('rejected' as const)),
  attemptsAway: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constantFrom(-1, 1)),
  noncesAway: fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.constantFrom(-1, 1)),
});

const change = fc.oneof(
  fc.record({ kind: fc.constant('parallelism' as const), to: fc.nat(12) }),
  fc.record({ kind: fc.constant('completions' as const), to: fc.nat(12) }),
  fc.record({ kind: fc.constant('suspend' as const), to: fc.boolean() }),
  fc.constant({ kind: 'delete' as const }),
);

const step = fc.record({
  facts: fc.array(observation, { maxLength: 8, size: 'max' }),
  change: fc.option(change, { freq: 3 }),
  secLater: fc.oneof(fc.constantFrom(-3, 0, 1, 30, 61), fc.nat(3_000)),
  /** the pass has loaded only the chunks that it requested, or only one */
  atHand: fc.constantFrom('all', 'needed', 'one'),
});

const POLICY = {
  rules: [
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    { action: 'Count', onExitCodes: { operator: 'In', values: [1] } },
  ],
} as const;

const history = fc.record({
  completionMode: fc.constantFrom('Indexed' as const, 'NonIndexed' as const),
  completions: fc.oneof({ weight: 4, arbitrary: fc.nat(10) }, fc.constant(null)),
  parallelism: fc.nat(6),
  backoffLimit: fc.constantFrom(0, 5, 1_000, 1_000),
  restartPolicy: fc.constantFrom('Never' as const, 'OnFailure' as const),
  podReplacementPolicy: fc.constantFrom('Failed' as const, 'TerminatingOrFailed' as const),
  backoffLimitPerIndex: fc.constantFrom(null, null, 0, 2),
  maxFailedIndexes: fc.constantFrom(null, 3),
  podFailurePolicy: fc.constantFrom(null, null, POLICY),
  successPolicy: fc.constantFrom(null, null, [{ indexes: null, count: 6 }]),
  activeDeadlineSec: fc.constantFrom(null, null, 20_000),
  ttlSecAfterFinished: fc.constantFrom(null, 0),
  disruptions: fc.constantFrom(DEFAULT_DISRUPTIONS, { kind: 'count' as const }),
  suspend: fc.boolean(),
  /** so that the board has one chunk or two */
  before: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.constant(CHUNK_INDEXES - 4)),
  steps: fc.array(step, { maxLength: 25, size: 'max' }),
});

test('the board and its summary agree after any history of facts and changes', () => {
  fc.assert(
    fc.property(history, ({ steps, before, completions, suspend, ...spec }) => {
      const wish = {
        ...spec,
        suspend,
        completions: completions === null || before === 0 ? completions : before + completions,
      };
      const strip = '.'.repeat(completions ?? spec.parallelism);
      let situation = aBoard(strip, {
        ...wish,
        before: completions === null ? 0 : before,
        phase: suspend ? { kind: 'suspended', since: at(0) } : { kind: 'running' },
      });
      let sec = 0;
      for (const { facts, change: edit, secLater, atHand } of steps) {
        sec = Math.max(0, sec + secLater);
        if (edit !== null) situation = changed(situation, edit, sec, completions === null ? 0 : before);
        const first = completions === null ? 0 : before;
        situation = pass(
          situation,
          facts.map((seen) => factOf(situation, first, seen, sec)),
          sec,
          atHand,
        );
        expect(untrue(situation)).toEqual([]);
        expect(forgotten(situation)).toBe(false);
      }
    }),
    { numRuns: draws(250) },
  );
});

function pass(situation: Situation, facts: readonly Fact[], sec: number, atHand: 'all' | 'needed' | 'one'): Situation {
  const { job, status, stored } = situation;
  const needed = chunksNeeded(job, status, facts, at(sec));
  const has = (no: number): boolean =>
    atHand === 'all' || (atHand === 'needed' ? needed.includes(no) : no === needed[0]);
  const before = structuredClone(status);
  const next = planJob(job, status, new Map([...stored].filter(([no]) => has(no))), facts, at(sec), AWS_TIMING);
  expect(status).toEqual(before); // the inputs do not change
  if (next.status === null) return situation;
  const committed = after(situation, next);

  const { phase, inFlight, chunks, now, failed } = next.status;
  // A pass that has done nothing, with everything loaded that it requested, does not request another one at once.
  const { nextSeq } = status.journal;
  const idle =
    next.status.journal.nextSeq === nextSeq &&
    phase === status.phase &&
    next.status.stopRound?.cursor === status.stopRound?.cursor;
  const wake = next.actions.find(({ kind }) => kind === 'wake');
  const hurries = wake?.kind === 'wake' && wake.at <= now;
  expect(idle && hurries && atHand !== 'one' && facts.length === 0 && next.actions.length === 1).toBe(false);
  expect(decodeStatus(encodeStatus(next.status))).toEqual(next.status);
  // The Job's time stands still for a late clock, and follows one that is far behind.
  expect(now).toBe(status.now - at(sec) > CLOCKS_APART_MAX_MS ? at(sec) : Math.max(status.now, at(sec)));
  expect(failed).toBeGreaterThanOrEqual(status.failed);
  expect(inFlight.length).toBeLessThanOrEqual(CLAIMS_IN_FLIGHT_MAX);
  const { starting, running: runs, waiting, stopping } = tally(chunks);
  const active = starting + runs + waiting;
  const replacedTasks = next.status.replacedTasks.length;
  expect(replacedTasks === 0 || (phase.kind !== 'finished' && phase.kind !== 'deleted')).toBe(true);
  expect(next.status.restarts).toBe(restartsOf(committed));
  expect(active === 0 || (phase.kind !== 'finished' && phase.kind !== 'deleted')).toBe(true);
  const claims = next.status.journal.entries.filter(
    ({ seq, transition }) => seq >= status.journal.nextSeq && transition.op === 'claim',
  );
  expect(claims.length === 0 || phase.kind === 'running').toBe(true);
  expect(claims.length === 0 || active - stopping <= job.spec.parallelism).toBe(true);
  for (const claim of inFlight)
    expect(recordOf(committed, claim.index)).toMatchObject({
      state: 'claimed',
      attempt: claim.attempt,
      nonce: claim.nonce,
    });
  return committed;
}

/** Where STATUS is wrong about the board: counts are exact, lower bounds never too high, each claim is in flight. */
function untrue({ status, stored }: Situation): readonly string[] {
  const board = new WorkingBoard(status, stored);
  const claimed: number[] = [];
  const wrong = status.chunks.flatMap(({ firstPending, soonestDue, ...counts }, no) => {
    const chunk = board.chunk(no);
    if (chunk === undefined) return [`chunk ${no} is not stored`];
    const real = recount(chunk, chunkLength(status.size, no));
    const miscounted = COUNTS.filter((name) => counts[name] !== real[name]);
    for (const [offset, code] of chunk.states.entries()) {
      if (code === CLAIMED) claimed.push(no * CHUNK_INDEXES + offset);
    }
    return [
      ...miscounted.map((name) => `chunk ${no}: ${counts[name]} ${name}, not ${real[name]}`),
      ...(firstPending > real.firstPending ? [`chunk ${no}: ${real.firstPending} is pending`] : []),
      ...(real.soonestDue !== null && (soonestDue === null || soonestDue > real.soonestDue)
        ? [`chunk ${no}: due at ${real.soonestDue}`]
        : []),
    ];
  });
  const inFlight = status.inFlight.map(({ index }) => index).sort((x, y) => x - y);
  return claimed.join(' ') === inFlight.join(' ')
    ? wrong
    : [...wrong, `claimed ${claimed.join(' ')}, in flight ${inFlight.join(' ')}`];
}

const COUNTS = ['pending', 'starting', 'running', 'waiting', 'stopping', 'succeeded', 'failed'] as const;
const CLAIMED = STATES.indexOf('claimed');

/** Restarts of the existing Pods, counted one by one. */
function restartsOf({ status, stored }: Situation): number {
  const board = new WorkingBoard(status, stored);
  return [...stored.keys()].reduce(
    (sum, no) => sum + [...(board.chunk(no)?.extras.values() ?? [])].reduce((some, { restarts }) => some + restarts, 0),
    0,
  );
}

/** There is work to wait for or to start, but no wake-up is due (G8). */
function forgotten({ job, status }: Situation): boolean {
  const { starting, running: runs, waiting } = tally(status.chunks);
  const starts =
    status.phase.kind === 'running'
      ? wanted(job.spec, { all: tally(status.chunks), within: tally(status.chunks) }).start
      : 0;
  return starting + runs + waiting + starts + status.replacedTasks.length > 0 && status.alarms.length === 0;
}

function changed(
  situation: Situation,
  edit: typeof change extends fc.Arbitrary<infer T> ? T : never,
  sec: number,
  before: number,
): Situation {
  const { job, status } = situation;
  const gone = status.phase.kind === 'purging' || status.phase.kind === 'deleted';
  if (edit.kind === 'delete') return { ...situation, status: requestDeletion(status, at(sec)) ?? status };
  if (gone || (edit.kind === 'completions' && job.spec.completions === null)) return situation;
  const value = edit.kind === 'completions' ? before + Number(edit.to) : edit.to;
  const revision = job.revision + 1;
  const larger: Situation = {
    ...situation,
    job: { ...job, revision, spec: { ...job.spec, [edit.kind]: value } },
    status: { ...status, version: status.version + 1, revision },
  };
  // A board that grows may extend into a chunk that was never stored: it is empty then.
  const stored = new Map(situation.stored);
  for (let no = 0; no <= chunkOf(before + 30); no++) if (!stored.has(no)) stored.set(no, emptyChunk());
  return { ...larger, stored };
}

function factOf(
  situation: Situation,
  first: number,
  seen: typeof observation extends fc.Arbitrary<infer T> ? T : never,
  sec: number,
): Fact {
  const index = first + seen.index;
  const record = index < situation.status.size ? recordOf(situation, index) : { attempt: 1, nonce: 0 };
  const attempt = Math.max(1, record.attempt + seen.attemptsAway);
  const nonce = Math.max(0, record.nonce + seen.noncesAway);
  if (isCause(seen.kind)) return ended(index, seen.kind, sec, attempt, nonce);
  if (seen.kind === 'refused') return refused(index, sec + 10, attempt, nonce);
  if (seen.kind === 'deleted') return deleted(index, sec, attempt, nonce, seen.noncesAway === 0);
  return { launched, running, rejected, cancelled }[seen.kind](index, attempt, nonce);
}

const isCause = (kind: string): kind is EndingCause => CAUSES.some((cause) => cause === kind);
