import { describe, expect, test } from 'vitest';
import { CHUNK_INDEXES } from '../../../shared/domain/scoreboard/board.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import { claimWait } from '../../../shared/domain/pending/pod-wait.ts';
import { aboutMs, waitLine } from '../../../shared/domain/pending/wait-words.ts';
import { type Wait, chunksForWaits, waitsOf } from '../../../shared/domain/pending/waits.ts';
import { type Situation, type Wish, aBoard, at } from '../../support/a-board.ts';

const CAPACITY = 'Capacity is unavailable at this time';

type Rates = {
  readonly now?: number;
  readonly perSec?: number;
  readonly fullPerSec?: number;
  /** The Job's tasks have names, and this many are created per second. */
  readonly namesPerSec?: number;
};

const waits = ({ job, status, stored }: Situation, { now = 5, perSec, fullPerSec = perSec, namesPerSec }: Rates = {}) =>
  waitsOf(
    {
      spec: job.spec,
      status,
      board: new WorkingBoard(status, stored),
      hasNames: namesPerSec !== undefined,
      waitedFor: [],
    },
    {
      now: at(now),
      perSec: perSec ?? null,
      fullPerSec: fullPerSec ?? null,
      namespaces: 1,
      namesPerSec: namesPerSec ?? null,
    },
  );

/** `3 backOff "words" eta 5 s, next 5 s`, one for each wait. */
const brief = (situation: Situation, rates: Rates = {}): readonly string[] =>
  waits(situation, rates).map(({ cause, count, etaMs, nextTryMs }) =>
    [
      `${count} ${cause}`,
      ...(etaMs === null ? [] : [`eta ${etaMs / 1000}`]),
      ...(nextTryMs === null ? [] : [`next ${nextTryMs / 1000}`]),
    ].join(', '),
  );

const line = (situation: Situation, rates: Rates = {}): string | null => waitLine(waits(situation, rates));

const claims = (...nonces: readonly number[]) =>
  nonces.map((nonce, index) => ({ index, attempt: 1, nonce, dueAt: at(10 + index) }));

const ACHIEVED = {
  verdict: { kind: 'complete', reason: 'SuccessPolicy', message: 'enough', decidedBy: 0 },
  since: at(1),
} as const;

describe('why indexes wait', () => {
  test.each<readonly [string, Wish, Rates, readonly string[], string]>([
    ['rr', {}, {}, [], 'all there is to do runs'],
    ['SS', {}, {}, [], 'nothing is left'],
    ['Ixrr', {}, {}, [], 'what never runs waits for nothing'],
    ['Ixrr.', {}, {}, ['1 parallelism'], 'nor does it take a place'],
    [
      'Srr.',
      { whenAchieved: 'Continue', status: { achieved: ACHIEVED } },
      {},
      [],
      'what is not to start waits for nothing',
    ],
    [
      'Src.',
      { whenAchieved: 'Continue', status: { achieved: ACHIEVED } },
      {},
      ['1 launching'],
      'but a Pod that exists waits',
    ],
    [
      'Srr.',
      { whenAchieved: 'ContinueWithRecreations', status: { achieved: ACHIEVED } },
      {},
      ['1 parallelism'],
      'or is to',
    ],
    ['Ix.x', { phase: { kind: 'suspended', since: at(0) } }, {}, ['1 suspended'], 'what will run is suspended'],
    ['rr..', {}, {}, ['2 parallelism'], 'their places are taken'],
    ['....', { parallelism: 0 }, {}, ['4 parallelism'], 'there are no places'],
    ['rr..', { completionMode: 'NonIndexed', completions: 9 }, {}, ['7 parallelism'], 'slots come as they are needed'],
    ['SSrr', { completionMode: 'NonIndexed', completions: 9 }, {}, ['5 parallelism'], 'what has succeeded needs none'],
    ['rr', { completionMode: 'NonIndexed', completions: null }, {}, [], 'nobody knows how much a work queue holds'],
    ['cc..', {}, {}, ['2 launching', '2 parallelism'], 'no limit: they are being launched'],
    ['cc..', {}, { perSec: 4 }, ['2 launchRate, eta 0.5', '2 parallelism'], 'a limit: the last of them in turn'],
    ['cc......', { parallelism: 9 }, { perSec: 2 }, ['8 launchRate, eta 4'], 'those that follow them wait, too'],
    ['........', { parallelism: 9 }, { perSec: 2 }, ['8 launchRate, eta 4'], 'before the first claim as well'],
    ['cc', {}, { perSec: 1, fullPerSec: 20 }, ['2 throttled, eta 2'], 'ECS has cut the rate'],
    ['cc', {}, { perSec: 19.5, fullPerSec: 20 }, ['2 launchRate, eta 0.10256410256410256'], 'as good as whole again'],
    ['cc..', { parallelism: 4 }, { perSec: 20, namesPerSec: 5 }, ['4 names, eta 0.8'], 'names are made first'],
    ['cc', {}, { namesPerSec: 5 }, ['2 names, eta 0.4'], 'a rate of their own'],
    ['cc', {}, { perSec: 2, namesPerSec: 5 }, ['2 launchRate, eta 1'], 'the slower of the two holds'],
    ['cc', {}, { perSec: 5, namesPerSec: 5 }, ['2 launchRate, eta 0.4'], 'the launches, where both are as slow'],
    [
      'c',
      { status: { inFlight: [{ index: 0, attempt: 2, nonce: 0, dueAt: at(60) }] } },
      { perSec: 20, namesPerSec: 5 },
      ['1 launchRate, eta 0.05'],
      'a second attempt has its name',
    ],
    [
      'cc',
      { status: { inFlight: [1, 2].map((attempt) => ({ index: attempt, attempt, nonce: 0, dueAt: at(60) })) } },
      { perSec: 20, namesPerSec: 5 },
      ['2 names, eta 0.4'],
      'a first one next to it has not',
    ],
    ['ll', {}, {}, ['2 starting'], 'ECS has them'],
    ['cl', {}, { perSec: 1 }, ['1 launchRate, eta 1', '1 starting'], 'one is ours, one is theirs'],
    [
      'cc..',
      { status: { inFlight: claims(1, 2), waitReason: CAPACITY } },
      { perSec: 1 },
      ['2 capacity, next 5', '2 parallelism'],
      'refused: when it is asked again',
    ],
    [
      'cc..',
      { parallelism: 4, status: { inFlight: claims(1, 2), waitReason: CAPACITY } },
      { perSec: 1 },
      ['4 capacity, next 5'],
      'what follows the refused waits for the same',
    ],
    [
      'c..',
      { parallelism: 3, status: { inFlight: claims(1), waitReason: CAPACITY } },
      { perSec: 1 },
      ['3 capacity, next 5'],
      'also if one claim alone was refused',
    ],
    [
      '...',
      { parallelism: 3, status: { waitReason: CAPACITY } },
      { perSec: 1 },
      ['3 launchRate, eta 3'],
      'nothing of it is refused now',
    ],
    [
      'ccc.',
      { parallelism: 4, status: { inFlight: claims(0, 1, 0), waitReason: CAPACITY } },
      { perSec: 1 },
      ['1 capacity, next 6', '3 launchRate, eta 3'],
      'who has not been asked for waits for the rate',
    ],
    [
      'cc',
      { status: { inFlight: claims(0, 0), waitReason: CAPACITY } },
      {},
      ['2 capacity'],
      'no rate of ours: nothing else can hold them',
    ],
    [
      'cc',
      { status: { inFlight: claims(1, 1), waitReason: 'You’ve reached the limit on the number of vCPUs' } },
      {},
      ['2 quota, next 5'],
      'quota',
    ],
    [
      '.1.r',
      { status: { backoff: { failures: 1, lastFailureAt: at(3) } } },
      {},
      ['1 backOff, eta 8, next 8', '2 parallelism'],
      "the Job's back-off holds its places, no more",
    ],
    [
      '.1.r',
      { status: { backoff: { failures: 1, lastFailureAt: at(-9) } } },
      {},
      ['1 launching', '2 parallelism'],
      'it is over',
    ],
    [
      'ww.r',
      { backoffLimitPerIndex: 3, parallelism: 3 },
      {},
      ['2 backOff, eta 5, next 5', '1 parallelism'],
      'each index for itself',
    ],
    ['bbr.', { parallelism: 3 }, {}, ['2 backOff, eta 5, next 5', '1 parallelism'], 'containers that have ended'],
    ['RD..', {}, {}, ['2 replacement', '2 parallelism'], 'attempts that are being stopped have their places'],
    ['..S.', { phase: { kind: 'suspended', since: at(1) } }, {}, ['3 suspended'], 'nobody resumes it'],
    [
      'Rc.',
      { phase: { kind: 'suspended', since: at(1) } },
      {},
      ['1 suspended', '2 stopping'],
      'and what ran is ending',
    ],
    ['..', { managed: false }, {}, ['2 managedBy'], 'not ours'],
    [
      'rS',
      { phase: { kind: 'terminating', since: at(1), ended: null }, held: true },
      {},
      ['1 stopping', '1 finalizers'],
      'G8',
    ],
    ['r.', { phase: { kind: 'purging', since: at(1) } }, {}, ['1 stopping'], 'nothing is to start any more'],
    ['..', { phase: { kind: 'deleted', since: at(1), at: at(2) } }, {}, [], 'it is gone'],
  ])('%s %j %j: %j (%s)', (strip, wish, rates, expected) => {
    expect(brief(aBoard(strip, wish), rates)).toEqual(expected);
  });

  test("the Job's back-off says since when; that of each index has no one moment", () => {
    const backoffOf = (situation: Situation) => waits(situation).find(({ cause }) => cause === 'backOff');
    const ofJob = aBoard('.1.r', { status: { backoff: { failures: 1, lastFailureAt: at(3) } } });
    expect(backoffOf(ofJob)).toMatchObject({ since: at(3), message: 'back-off after failures' });
    const ofEach = aBoard('ww.r', { backoffLimitPerIndex: 3, parallelism: 3 });
    expect(backoffOf(ofEach)).toMatchObject({ since: null, message: 'back-off of each index' });
  });

  test('every index is counted once, whatever the board', () => {
    for (const strip of ['cclr.S..', 'ww..1cF', 'bb.rRw', '....']) {
      const waiting = waits(aBoard(strip, { backoffLimitPerIndex: 3, parallelism: 5 }), { perSec: 1 });
      const told = waiting.reduce((sum, { count }) => sum + count, 0);
      expect(told).toBe(strip.replaceAll(/[rSF]/g, '').length);
    }
  });

  test('a task that cannot start, since when, and when it is tried again', () => {
    const situation = aBoard('rr.');
    const board = new WorkingBoard(situation.status, situation.stored);
    board.apply({ op: 'unstarted', index: 0, attempt: 1, notBefore: at(15), since: at(2) });
    board.apply({ op: 'unstarted', index: 1, attempt: 1, notBefore: at(25), since: null });
    const status = { ...situation.status, chunks: board.summaries() };
    const pace = { now: at(5), perSec: null, fullPerSec: null, namespaces: 1, namesPerSec: null };
    expect(waitsOf({ spec: situation.job.spec, status, board, hasNames: false, waitedFor: [] }, pace)).toMatchObject([
      { cause: 'startFailed', count: 1, since: at(2), nextTryMs: 10_000, etaMs: null },
      { cause: 'capacity', count: 1, since: null, nextTryMs: 20_000, etaMs: null },
      { cause: 'parallelism', count: 1 },
    ]);
  });

  test('of a Job that was scaled down, only the remaining indexes', () => {
    const { job, status, stored } = aBoard('r....', { parallelism: 1 });
    const spec = { ...job.spec, completions: 3 };
    expect(chunksForWaits(status, spec)).toEqual([0]);
    expect(brief({ job: { ...job, spec }, status, stored })).toEqual(['2 parallelism']);
    const held = aBoard('r.ww', { parallelism: 4, backoffLimitPerIndex: 1 });
    const cut = { ...held, job: { ...held.job, spec: { ...held.job.spec, completions: 3 } } };
    expect(brief(cut)).toEqual(['1 launching', '1 backOff, eta 5, next 5']);
  });
});

describe('100,000 indexes', () => {
  const SIZE = 100_000;
  /** Only the requested chunks are loaded. */
  const large = (wish: Wish = {}): Situation => {
    const { job, status } = aBoard('', { completions: SIZE, parallelism: SIZE, ...wish });
    return { job, status, stored: new Map() };
  };

  test('come from summaries', () => {
    const situation = large();
    expect(chunksForWaits(situation.status, situation.job.spec)).toEqual([]);
    expect(line(situation, { perSec: 20 })).toBe('100000 wait: launch rate 20/s, about 84 min');
    expect(line(large({ parallelism: 500 }), { perSec: 20 })).toBe(
      '100000 wait: 99500 parallelism 500: the next starts when one ends; 500 launch rate 20/s, about 25 s',
    );
  });

  test('Pods between two tasks are counted, even if their times are unknown', () => {
    const { status, ...rest } = large({ parallelism: 500 });
    const chunks = status.chunks.map((chunk) => ({ ...chunk, pending: chunk.pending - 20, waiting: 20 }));
    expect(brief({ ...rest, status: { ...status, chunks } })).toEqual(['500 backOff', '99500 parallelism']);
  });

  test('with back-off everywhere, from a few chunks', () => {
    const { status, job } = large();
    const chunks = status.chunks.map((summary) => ({ ...summary, soonestDue: at(9) }));
    expect(chunksForWaits({ ...status, chunks }, job.spec)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(chunks.length).toBe(Math.ceil(SIZE / CHUNK_INDEXES));
  });
});

describe('one Pod', () => {
  const pace = { now: at(5), perSec: 2, fullPerSec: 2, namespaces: 1, namesPerSec: 1 };
  const hasNames = false;
  const { status } = aBoard('ccc', { parallelism: 3, status: { inFlight: claims(0, 1, 0), waitReason: CAPACITY } });
  test.each([
    [0, { cause: 'launchRate', etaMs: 500, nextTryMs: null }],
    [1, { cause: 'capacity', etaMs: null, nextTryMs: 6_000, message: CAPACITY }],
    [2, { cause: 'launchRate', etaMs: 1_000, nextTryMs: null }],
  ])('claim %i: %j', (index, expected) => {
    expect(claimWait({ index, attempt: 1, hasNames }, status, pace)).toMatchObject(expected);
  });

  test('waits three times as long while three namespaces launch', () => {
    const wait = claimWait({ index: 2, attempt: 1, hasNames }, status, { ...pace, namespaces: 3 });
    expect(wait).toMatchObject({ message: 'launch rate 2/s, shared by 3 namespaces', etaMs: 3_000 });
  });

  test('waits for its name, if it has one and was not launched before', () => {
    expect(claimWait({ index: 2, attempt: 1, hasNames: true }, status, pace)).toEqual({
      cause: 'names',
      message: 'names in Cloud Map 1/s',
      etaMs: 2_000,
      nextTryMs: null,
    });
  });

  test('does not wait if it has been answered, or if there is no rate', () => {
    expect(claimWait({ index: 3, attempt: 1, hasNames }, status, pace)).toBeNull();
    expect(claimWait({ index: 0, attempt: 2, hasNames }, status, pace)).toBeNull();
    expect(
      claimWait({ index: 0, attempt: 1, hasNames }, { ...status, waitReason: null }, { ...pace, perSec: null }),
    ).toBeNull();
  });
});

describe('words', () => {
  test.each([
    [0, 'about 1 s'],
    [40_600, 'about 41 s'],
    [119_000, 'about 119 s'],
    [120_000, 'about 2 min'],
    [5_000_000, 'about 84 min'],
    [7_200_000, 'about 2 h'],
    [172_800_000, 'about 2 d'],
  ])('%i ms is %s', (ms, words) => {
    expect(aboutMs(ms)).toBe(words);
  });

  const wait = (more: Partial<Wait>): Wait => ({
    cause: 'backOff',
    count: 1,
    since: null,
    etaMs: null,
    nextTryMs: null,
    message: 'why',
    ...more,
  });
  test.each<readonly [readonly Partial<Wait>[], string | null]>([
    [[], null],
    [[{ cause: 'starting' }, { cause: 'launching' }, { cause: 'stopping' }], null],
    [[{}], '1 waits: why'],
    [[{ count: 812, message: 'launch rate 20/s', etaMs: 40_600 }], '812 wait: launch rate 20/s, about 41 s'],
    [[{ nextTryMs: 8_000 }], '1 waits: why, next try in about 8 s'],
    [[{ nextTryMs: 8_000, etaMs: 300_000 }], '1 waits: why, next in about 8 s, last in about 5 min'],
    [[{ nextTryMs: 8_000, etaMs: 8_000 }], '1 waits: why, about 8 s'],
    [[{ count: 2 }, { count: 3, message: 'more' }, { cause: 'starting', count: 9 }], '5 wait: 3 more; 2 why'],
  ])('%j: %s', (all, expected) => {
    expect(waitLine(all.map(wait))).toBe(expected);
  });
});
