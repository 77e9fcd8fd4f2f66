import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import { AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import { chunksNeeded } from '../../../shared/domain/planner/chunks-needed.ts';
import type { Plan } from '../../../shared/domain/planner/plan.ts';
import { planJob } from '../../../shared/domain/planner/plan-job.ts';
import { OWN_RULES } from '../../../shared/domain/planner/plan-rules.ts';
import { CHUNK_INDEXES } from '../../../shared/domain/scoreboard/board.ts';
import { type Finished, type Phase, freshStatus } from '../../../shared/domain/scoreboard/status.ts';
import { statusDocument } from '../../../shared/domain/scoreboard/status-document.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import { type ReadUpstream, judgeUpstreams } from '../../../shared/domain/upstreams/upstreams.ts';
import {
  type Situation,
  type Wish,
  aBoard,
  after,
  at,
  brief,
  ended,
  exited,
  launched,
  stripOf,
  wakeSec,
} from '../../support/a-board.ts';
import { aJob } from '../../support/a-job.ts';

// Whole Jobs that wait for others, pass by pass. The other Jobs are strips, too: null: there is none of the name.

const FAILED: Finished = {
  kind: 'finished',
  verdict: { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: 0 },
  since: at(1),
  at: at(1),
};
const COMPLETE: Finished = {
  ...FAILED,
  verdict: { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null },
};

type Others = Readonly<Record<string, readonly [strip: string, phase?: Phase] | null>>;

function readOf(name: string, other: Others[string]): ReadUpstream {
  if (other === null || other === undefined) return { name, uid: null, status: null, manifest: null, board: null };
  const [strip, phase = { kind: 'running' }] = other;
  const { status, stored } = aBoard(strip, { phase });
  const { manifest } = aJob({ completions: strip.replaceAll(' ', '').length });
  return {
    name,
    uid: asJobUid(`uid-${name}`),
    status,
    manifest,
    board: { status, board: new WorkingBoard(status, stored) },
  };
}

/** One pass, with the chunks alone that it asks for. */
function planWith({ job, status, stored }: Situation, others: Others, sec = 0, facts: readonly Fact[] = []): Plan {
  const read = new Map(Object.entries(others).map(([name, other]) => [name, readOf(name, other)]));
  const upstreams = judgeUpstreams({ spec: job.spec, status }, read);
  const needed = chunksNeeded(job, status, facts, at(sec), upstreams.gate);
  const chunks = new Map(needed.map((no) => [no, stored.get(no)!]));
  return planJob(job, status, chunks, facts, at(sec), AWS_TIMING, OWN_RULES, upstreams);
}
/** One pass, and those that it asks for at once: the first of a Job that may start loads nothing of its board. */
function pass(situation: Situation, others: Others, sec = 0, facts: readonly Fact[] = []): Situation {
  const first = planWith(situation, others, sec, facts);
  const next = after(situation, first);
  const wakes = wakeSec(first);
  return wakes !== null && wakes <= sec && first.status?.phase.kind === 'running' ? pass(next, others, sec) : next;
}

const PREPARE = { after: [{ name: 'prepare', condition: 'complete' }] } as const;
const MAP = { afterIndexes: [{ name: 'map', perIndex: 1 }] } as const;

/** A new Job, before its first pass. */
function aNewJob(strip: string, spec: Partial<JobSpec>): Situation {
  const { job, status, stored } = aBoard(strip, spec);
  return { job, stored, status: { ...freshStatus(job, at(0)), chunks: status.chunks, alarms: [] } };
}
/** One that has started. */
const started = (strip: string, wish: Wish): Situation => {
  const board = aBoard(strip, wish);
  const upstreams = board.status.upstreams.map((each) => ({ ...each, uid: asJobUid(`uid-${each.name}`) }));
  return { ...board, status: { ...board.status, upstreams } };
};
const edited = (situation: Situation, spec: Partial<JobSpec>): Situation => ({
  ...situation,
  job: { ...situation.job, revision: 2, spec: { ...situation.job.spec, ...spec } },
});
const conditionsOf = ({ job, status, stored }: Situation): readonly string[] => {
  const { manifest } = aJob({ completions: job.spec.completions, ...job });
  const board = new WorkingBoard(status, stored);
  return (statusDocument({ spec: manifest.spec, status, board }).conditions ?? []).map(
    (each) => `${each.type}=${each.status} ${each.reason}`,
  );
};
const eventsOf = ({ status }: Situation): readonly string[] => status.events.map(({ reason }) => reason);

describe('a Job that waits for others', () => {
  test('a held Job has no start time, and a condition of its own says for whom it waits', () => {
    const born = aNewJob('. .', PREPARE);
    expect(born.status).toMatchObject({ phase: { kind: 'suspended', held: true }, startTime: null });
    const first = planWith(born, { prepare: null }, 1);
    expect([brief(first), wakeSec(first)]).toEqual(['suspended', 61]);
    const held = pass(pass(born, { prepare: null }, 1), { prepare: ['r r'] }, 100);
    expect(held.status).toMatchObject({
      phase: { kind: 'suspended', since: at(0), held: true },
      startTime: null,
      upstreams: [{ name: 'prepare', uid: 'uid-prepare', isMet: false }],
    });
    expect(conditionsOf(held)).toEqual(['muster.run/held=True WaitingForJobs']);
    expect(wakeSec(planWith({ ...held, status: { ...held.status, alarms: [] } }, { prepare: ['S r'] }, 1_000))).toBe(
      1_100,
    );
    const begun = pass(held, { prepare: ['S S', COMPLETE] }, 2_000);
    expect([stripOf(begun), begun.status.startTime, begun.status.resumedAt]).toEqual(['c c', at(2_000), null]);
    expect(conditionsOf(begun)).toEqual(['muster.run/held=False JobsAreDone']);
    expect(eventsOf(begun)).toEqual(['JobsAreDone']);
  });

  test('need not look at what was met once', () => {
    const two = { after: [...PREPARE.after, { name: 'fetch', condition: 'finished' }] } as const;
    const half = pass(aNewJob('.', two), { prepare: ['S', COMPLETE], fetch: ['r'] }, 5);
    expect(half.status.upstreams.map(({ isMet }) => isMet)).toEqual([true, false]);
    expect(stripOf(pass(half, { fetch: ['F', FAILED] }, 9))).toBe('c');
  });

  test.each<[because: string, prepare: Others[string]]>([
    ['has failed', ['F', FAILED]],
    ['was deleted before its end', ['r', { kind: 'purging', since: at(1) }]],
  ])('fails where the other %s, and has never started', (because, prepare) => {
    const over = pass(aNewJob('. .', PREPARE), { prepare }, 5);
    expect(over.status).toMatchObject({
      phase: {
        kind: 'finished',
        verdict: { reason: 'DependencyFailed', message: `What it waits for cannot come: job prepare ${because}` },
      },
      startTime: null,
    });
    expect(conditionsOf(over)).toEqual([
      'muster.run/held=False NeverStarted',
      'FailureTarget=True DependencyFailed',
      'Failed=True DependencyFailed',
    ]);
    expect(eventsOf(over)).toEqual(['DependencyFailed']);
    expect(stripOf(over)).toBe('. .');
  });

  test('goes on whatever becomes of the others once it has started', () => {
    const begun = pass(aNewJob('. .', PREPARE), { prepare: ['S', COMPLETE] }, 5);
    expect(brief(planWith(begun, {}, 6, [launched(0)]))).toBe('running');
  });

  test('is suspended and resumed while it waits: each is said once', () => {
    const held = pass(aNewJob('.', PREPARE), { prepare: ['r'] }, 1);
    const suspended = pass(edited(held, { suspend: true }), { prepare: ['r'] }, 2);
    expect(suspended.status.phase).toEqual({ kind: 'suspended', since: at(2) });
    expect(conditionsOf(suspended)).toEqual(['Suspended=True JobSuspended']);
    const looks = planWith({ ...suspended, status: { ...suspended.status, alarms: [] } }, { prepare: ['r'] }, 3);
    expect([brief(looks), wakeSec(looks)]).toEqual(['suspended', 63]);
    const rests = pass(suspended, { prepare: ['S', COMPLETE] }, 3);
    expect(rests.status).toMatchObject({ phase: suspended.status.phase, upstreams: [{ isMet: true }] });
    const again = pass(edited(suspended, { suspend: false }), { prepare: ['r'] }, 4);
    expect(again.status.phase).toEqual({ kind: 'suspended', since: at(4), held: true });
    expect(conditionsOf(again)).toEqual(['muster.run/held=True WaitingForJobs', 'Suspended=False JobResumed']);
    const begun = pass(again, { prepare: ['S', COMPLETE] }, 5);
    expect(conditionsOf(begun)).toEqual(['muster.run/held=False JobsAreDone', 'Suspended=False JobResumed']);
    expect(eventsOf(begun)).toEqual(['Suspended', 'WaitingForJobs', 'JobsAreDone']);
    expect(stripOf(pass(edited(rests, { suspend: false }), {}, 6))).toBe('c');
  });

  test('is killed while it waits', () => {
    const held = pass(aNewJob('.', { ...PREPARE, killAt: at(50) }), { prepare: ['r'] }, 1);
    expect(wakeSec(planWith({ ...held, status: { ...held.status, alarms: [] } }, { prepare: ['r'] }, 2))).toBe(50);
    const over = pass(held, { prepare: ['r'] }, 50);
    expect(over.status).toMatchObject({ phase: { verdict: { reason: 'Killed' } }, startTime: null });
    expect(conditionsOf(over)).toEqual([
      'muster.run/held=False NeverStarted',
      'FailureTarget=True Killed',
      'Failed=True Killed',
    ]);
  });

  test('has its whole deadline from its start on', () => {
    const held = aNewJob('. .', { ...PREPARE, activeDeadlineSec: 10 });
    expect(brief(planWith(held, { prepare: ['r'] }, 500))).toBe('suspended');
    const begun = pass(held, { prepare: ['S', COMPLETE] }, 600);
    expect(brief(planWith(begun, {}, 609, [launched(0)]))).toBe('running');
    expect(brief(planWith(begun, {}, 610))).toBe('draining DeadlineExceeded, stop 0 1');
  });

  test('waits before it is complete with nothing to do', () => {
    const empty = aNewJob('', { ...PREPARE, completions: 0 });
    expect(brief(planWith(empty, { prepare: ['r'] }, 1))).toBe('suspended');
    expect(brief(planWith(empty, { prepare: ['S', COMPLETE] }, 2))).toBe('finished CompletionsReached');
  });

  test('is let go by its user, who takes out what it waits for', () => {
    const held = pass(aNewJob('.', PREPARE), { prepare: ['r'] }, 1);
    const free = pass(edited(held, { after: [] }), {}, 2);
    expect([stripOf(free), free.status.upstreams]).toEqual(['c', []]);
  });

  test('starts at its own time, if that is later', () => {
    const both = aNewJob('.', { ...PREPARE, startAfter: at(100) });
    const waits = pass(both, { prepare: ['S', COMPLETE] }, 5);
    expect(waits.status.phase).toEqual({ kind: 'suspended', since: at(0) });
    expect([stripOf(pass(waits, {}, 99)), stripOf(pass(waits, {}, 100))]).toEqual(['.', 'c']);
  });
});

describe('indexes that wait for indexes', () => {
  const four = { ...MAP, parallelism: 4 };
  test('start one by one, and the Job with the first', () => {
    let job = pass(aNewJob('. . . .', four), { map: ['. . . .'] }, 1);
    expect(job.status.phase).toMatchObject({ kind: 'suspended', held: true });
    job = pass(job, { map: ['r r S r'] }, 2);
    expect([stripOf(job), job.status.startTime]).toEqual(['. . c .', at(2)]);
    job = pass(job, { map: ['r S S r'] }, 3, [launched(2)]);
    expect(stripOf(job)).toBe('. c l .');
    job = pass(job, { map: ['F S S S', { kind: 'running' }] }, 4);
    expect(stripOf(job)).toBe('. c l c');
    const looks = planWith(
      { ...job, status: { ...job.status, alarms: [], inFlight: [], inspect: null } },
      { map: ['r S S S'] },
      10,
    );
    expect(wakeSec(looks)).toBe(70);
    job = pass(job, { map: ['S S S S', COMPLETE] }, 5);
    expect([stripOf(job), job.status.upstreams[0]?.isMet]).toEqual(['c c l c', true]);
  });

  test('take no place while they are closed: parallelism goes to those that are open', () => {
    const job = started('. . . . .', { ...MAP, parallelism: 2 });
    expect(brief(planWith(job, { map: ['r r r S S'] }))).toBe('running, launch 3 4');
    expect(brief(planWith(started('. . r S .', { ...MAP, parallelism: 2 }), { map: ['r r S S S'] }))).toBe(
      'running, launch 4',
    );
    expect(stripOf(pass(started('. . r r .', { ...MAP, parallelism: 2 }), { map: ['r r S S S'] }))).toBe('. . r r .');
  });

  test('are tried again while others are closed', () => {
    const wish = { ...four, backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 3 };
    const others: Others = { map: ['S r r r'] };
    const failed = pass(started('r . . .', wish), others, 5, [exited(0, 1, 5)]);
    expect(stripOf(failed)).toBe('w . . .');
    expect(brief(planWith(failed, others, 14))).toBe('nothing changes');
    expect(brief(planWith(failed, others, 15))).toBe('running, launch 0#2');
    const ofJob = pass(started('r . . .', four), others, 5, [exited(0, 1, 5)]);
    const waits = planWith(ofJob, others, 14);
    expect([brief(waits), waits.inBackoff]).toEqual(['nothing changes', [{ index: 0, until: at(15) }]]);
    expect(brief(planWith(ofJob, others, 15))).toBe('running, launch 0#2');
  });

  test('fail the Job when they can never start, after all that can have ended', () => {
    const others: Others = { map: ['S F F S', FAILED] };
    const job = pass(started('r . . .', four), others, 5);
    expect(stripOf(job)).toBe('r . . c');
    const last = pass(job, others, 6, [ended(0, 'Completed', 6), launched(3)]);
    expect(last.status.phase.kind).toBe('running');
    const over = pass(last, others, 7, [ended(3, 'Completed', 7)]);
    expect(over.status).toMatchObject({
      phase: {
        kind: 'finished',
        verdict: {
          reason: 'DependencyFailed',
          message: 'index 1 and 1 more cannot start: what they wait for in job map has not succeeded',
        },
      },
      startTime: at(0),
    });
    expect(conditionsOf(over)).toContain('muster.run/held=False JobsAreDone');
    expect(stripOf(over)).toBe('S . . S');
  });

  test('fail it without a start if none can', () => {
    const over = pass(aNewJob('. .', four), { map: ['F F', FAILED] }, 5);
    expect(over.status).toMatchObject({ phase: { verdict: { reason: 'DependencyFailed' } }, startTime: null });
  });

  test.each<[because: string, strip: string, map: string, spec: Partial<JobSpec>, expected: string]>([
    ['a retry is still due', '1 .', 'S F', {}, 'running, launch 0#2'],
    ['also behind one that is closed', '. 1', 'F S', {}, 'running, launch 1#2'],
    ['it may have none at a time, and something could run', '. .', 'S F', { parallelism: 0 }, 'nothing changes'],
    ['the others do not count any more', 'S .', 'S F', { completions: 1 }, 'finished CompletionsReached'],
    ['those that are closed never run', 'S x', 'S F', {}, 'finished CompletionsReached'],
    ['nothing that could run is left', 'S .', 'S F', { parallelism: 0 }, 'finished DependencyFailed'],
    [
      'one has failed for good',
      'F .',
      'S F',
      { backoffLimitPerIndex: 0, backoffLimit: 9 },
      'finished DependencyFailed',
    ],
  ])('decide nothing or all: %s', (_, strip, map, spec, expected) => {
    expect(brief(planWith(started(strip, { ...MAP, ...spec }), { map: [map, FAILED] }))).toBe(expected);
  });

  test('of a Job that has grown wait for the whole of the other', () => {
    const grown = edited(started('S S', four), { completions: 3 });
    expect(brief(planWith(grown, { map: ['S r'] }))).toBe('running');
    const next = pass(grown, { map: ['S r'] });
    expect(stripOf(next)).toBe('S S .');
    expect(brief(planWith(next, { map: ['S S S'] }, 1))).toBe('running, launch 2');
    expect(brief(planWith(next, { map: ['S S', COMPLETE] }, 1))).toBe('running, launch 2');
    expect(brief(planWith(next, { map: ['S F', FAILED] }, 1))).toBe('finished DependencyFailed');
  });

  test('of two chunks: only those in which something can start are read', () => {
    const size = CHUNK_INDEXES + 3;
    const own = started('.'.repeat(size), { ...MAP, parallelism: 5 });
    const there = (first: string, rest: string): Others => ({ map: [first.repeat(CHUNK_INDEXES) + rest] });
    expect(brief(planWith(own, there('r', 'SrS')))).toBe(`running, launch ${CHUNK_INDEXES} ${CHUNK_INDEXES + 2}`);
    const judged = judgeUpstreams(
      { spec: own.job.spec, status: own.status },
      new Map([['map', readOf('map', there('r', 'SrS')['map'] ?? null)]]),
    );
    expect(chunksNeeded(own.job, own.status, [], at(0), judged.gate)).toEqual([1]);
    expect(brief(planWith(own, { map: ['F'.repeat(size), FAILED] }))).toBe('finished DependencyFailed');
  });

  test('rest with their Job, and go on with it', () => {
    const job = pass(edited(started('r . .', four), { suspend: true }), { map: ['S S r'] }, 5);
    expect(brief(planWith(job, { map: ['S S r'] }, 6))).toBe('nothing changes');
    const stopped = pass(job, { map: ['S S r'] }, 7, [ended(0, 'Stopped', 7)]);
    const resumed = pass(edited(stopped, { suspend: false }), { map: ['S S r'] }, 8);
    expect(resumed.status).toMatchObject({ phase: { kind: 'running' }, startTime: at(8), resumedAt: at(8) });
    expect(stripOf(resumed)).toBe('c c .');
  });
});
