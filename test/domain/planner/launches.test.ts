import { OPEN_GATE } from '../../../shared/domain/upstreams/index-gate.ts';
import { describe, expect, test } from 'vitest';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import {
  type Counts,
  type Launches,
  OWN_LIMITS,
  planLaunches,
  wanted,
} from '../../../shared/domain/planner/launches.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import { tally, tallyWithin } from '../../../shared/domain/scoreboard/status.ts';
import { AWS_TIMING, CLAIMS_IN_FLIGHT_MAX } from '../../../shared/domain/base/timing.ts';
import { type Situation, type Wish, aBoard, at } from '../../support/a-board.ts';

// Which attempts a running Job starts and stops. S succeeded, r running, l launched, c claimed, C and R asked to stop, .
// pending, 2 pending after two failures, w waiting until 10 s. Parallelism is 2 unless the row says otherwise.

const queue = { completionMode: 'NonIndexed', completions: null } as const;

describe('how many attempts should be active', () => {
  const rows: readonly (readonly [
    strip: string,
    wish: Partial<JobSpec>,
    start: number,
    surplus: number,
    because: string,
  ])[] = [
    ['. . . .', {}, 2, 0, 'as many as parallelism'],
    ['r . . .', {}, 1, 0, 'what runs takes up a place'],
    ['c l . .', {}, 0, 0, 'so do claims and what is launched'],
    ['R r . .', {}, 0, 0, 'and what is being stopped'],
    ['S S S .', {}, 1, 0, 'never more than indexes are left'],
    ['w . S S', { parallelism: 9 }, 2, 0, 'an index that waits is left, too'],
    ['r r . .', { parallelism: 5 }, 2, 0, 'parallelism was raised'],
    ['r r r .', {}, 0, 1, 'parallelism was lowered'],
    ['r r R .', {}, 0, 0, 'one was asked to stop already'],
    ['r r r .', { parallelism: 0 }, 0, 3, 'to nothing'],
    ['S r r .', { completions: 2 }, 0, 1, 'completions were lowered'],
    ['S S r r', { completions: 2 }, 0, 2, 'as far as what has succeeded'],
    ['. . .', queue, 2, 0, 'a work queue: as many as parallelism'],
    ['1 r .', queue, 1, 0, 'as long as none has succeeded'],
    ['S r .', queue, 0, 0, 'nothing new once one has'],
    ['S r r r', queue, 0, 0, 'nor is anything stopped then'],
  ];
  test.each(rows)('%s %o → start %i, give up %i: %s', (strip, wish, start, surplus) => {
    const { job, status, stored } = aBoard(strip, wish);
    expect(wanted(job.spec, countsOf({ job, status, stored }))).toMatchObject({ start, surplus });
  });
});

/** The whole board, and the part below completions. */
function countsOf({ job, status, stored }: Situation): Counts {
  const all = tally(status.chunks);
  const { completions, completionMode } = job.spec;
  const within =
    completionMode === 'Indexed' && completions !== null
      ? tallyWithin(status.chunks, completions, (no) => stored.get(no))
      : all;
  return { all, within };
}

const launch = (situation: Situation, board: WorkingBoard, sec = 0): Launches =>
  planLaunches(
    board,
    situation.job.spec,
    countsOf(situation),
    situation.status,
    at(sec),
    AWS_TIMING,
    OWN_LIMITS,
    OPEN_GATE,
  );

function launchesOf({ job, status, stored }: Situation, sec = 0): Launches {
  return launch({ job, status, stored }, new WorkingBoard(status, stored), sec);
}

const words = ({ launch, stop, again }: Launches): string =>
  [
    ...(launch.length === 0 ? [] : [`launch ${launch.map(({ index, attempt }) => `${index}#${attempt}`).join(' ')}`]),
    ...(stop.length === 0 ? [] : [`stop ${stop.map(({ index }) => index).join(' ')}`]),
    ...(again ? ['again'] : []),
  ].join(', ');

describe('which attempts they are', () => {
  const rows: readonly (readonly [strip: string, wish: Wish, expected: string, because: string])[] = [
    ['. . . .', {}, 'launch 0#1 1#1', 'fills up to parallelism, lowest index first'],
    ['S . r .', {}, 'launch 1#1', 'a gap is filled first'],
    ['1 . r .', {}, 'launch 0#2', 'a retry is the next attempt of its index'],
    ['w . r .', {}, '', 'an index that waits holds its place: none overtakes it'],
    ['w . r .', { parallelism: 3 }, 'launch 1#1', 'the next one has a place of its own'],
    ['b . . .', {}, 'launch 1#1', 'a Pod between two tasks takes up a place'],
    ['b b r .', {}, 'again', 'it is given up first, and as there is nothing to stop, no fact of that will wake us'],
    ['w S r S', {}, '', 'nothing is there in its place'],
    ['S S . .', { completions: 3 }, 'launch 2#1', 'slots beyond completions are history'],
    ['. w . .', { completions: 2 }, 'launch 0#1', 'also while one within them waits'],
    ['S 2 . .', { completions: 1 }, '', 'all of them'],
    ['. . .', { ...queue, parallelism: 2 }, 'launch 0#1 1#1', 'a work queue uses its lowest slots'],
    ['1 r .', { ...queue, parallelism: 2 }, 'launch 0#2', 'and those again that have failed'],
    ['r c r .', {}, 'stop 1', 'claims are given up first'],
    ['l r r .', {}, 'stop 0', 'what is launched before what runs'],
    ['l c r l r c', { parallelism: 3 }, 'stop 5 1 3', 'one after another'],
    ['l c r l r c', { parallelism: 1 }, 'stop 5 1 3 0 4', 'the highest index first'],
    ['r R r r .', {}, 'stop 3', 'what is being stopped is passed over'],
  ];
  test.each(rows)('%s %o → %s: %s', (strip, wish, expected) => {
    expect(words(launchesOf(aBoard(strip, wish)))).toBe(expected);
  });

  test('never a start and a stop in one pass', () => {
    for (const strip of ['r r r .', 'R r . .', 'c c c c', 'r . . R', 'l r r R . .']) {
      const { launch, stop } = launchesOf(aBoard(strip));
      expect([strip, launch.length > 0 && stop.length > 0]).toEqual([strip, false]);
    }
  });

  test('a surplus attempt is marked once', () => {
    const { job, status, stored } = aBoard('r r r r');
    const board = new WorkingBoard(status, stored);
    expect(launch({ job, status: { ...status, chunks: board.summaries() }, stored }, board).stop).toHaveLength(2);
    expect(board.transitions).toEqual([
      { op: 'stopping', index: 3, attempt: 1 },
      { op: 'stopping', index: 2, attempt: 1 },
    ]);
    expect(launch({ job, status: { ...status, chunks: board.summaries() }, stored }, board).stop).toEqual([]);
  });
});

test('a claim is due again a minute after it was made', () => {
  expect(launchesOf(aBoard('r .'), 7).inFlight).toEqual([{ index: 1, attempt: 1, nonce: 0, dueAt: at(67) }]);
});

describe('unanswered claims are bounded', () => {
  test.each([
    [0, 900, 500, 'as many as the bound in one pass'],
    [0, 499, 499, 'or as parallelism allows'],
    [499, 900, 1, 'one more beside 499'],
    [500, 900, 0, 'none beside 500'],
  ])('%i unanswered, parallelism %i → %i: %s', (claims, parallelism, expected) => {
    const board = aBoard(`${'c'.repeat(claims)}${'.'.repeat(1000)}`, { parallelism });
    const { launch, inFlight, again } = launchesOf(board);
    expect(launch).toHaveLength(expected);
    expect(inFlight).toHaveLength(claims + expected);
    expect(inFlight.length).toBeLessThanOrEqual(CLAIMS_IN_FLIGHT_MAX);
    expect(again).toBe(false); // the answers will trigger a pass
  });
});

describe('back-off', () => {
  const held = (failures: number, status = {}): Wish => ({
    status: { backoff: { failures, lastFailureAt: at(0) }, ...status },
  });
  const rows: readonly (readonly [
    strip: string,
    wish: Wish,
    sec: number,
    expected: string,
    wakeSec: number | null,
    because: string,
  ])[] = [
    ['1 . .', held(1), 0, '', 10, 'the whole Job waits 10 s after its first failure'],
    ['1 . .', held(1), 9, '', 10, 'one second before the end'],
    ['1 . .', held(1), 10, 'launch 0#2 1#1', null, 'exactly at the end'],
    ['2 . .', held(2), 10, '', 20, 'longer after the second'],
    ['1 r r', held(1), 0, '', null, 'where nothing is to be started nothing waits'],
    ['1 r r r', { ...held(1) }, 0, 'stop 3', null, 'a surplus does not wait'],
    ['w . r', {}, 9, '', 10, 'the index that waits holds its place'],
    ['w . r', {}, 10, 'launch 0#2', null, 'and takes it'],
    ['b r .', {}, 9, '', 10, 'so does a Pod between two tasks'],
    ['w S r', {}, 9, '', 10, 'it is: look again when its time has come'],
    ['w S r', {}, 10, 'launch 0#2', null, 'its time has come'],
    ['w w .', { parallelism: 3 }, 0, 'launch 2#1', 10, 'some are started, two wait'],
  ];
  test.each(rows)('%s %o at %i s → %s, wake at %s: %s', (strip, wish, sec, expected, wakeSec) => {
    const launches = launchesOf(aBoard(strip, wish), sec);
    expect(words(launches)).toBe(expected);
    expect(launches.wakeAt).toBe(wakeSec === null ? null : at(wakeSec));
  });
});

describe('a chunk that is not loaded', () => {
  const partly = (strip: string, wish: Wish, hand: readonly number[]): Launches => {
    const { job, status, stored } = aBoard(strip, { before: 4095, ...wish });
    const board = new WorkingBoard(status, new Map([...stored].filter(([no]) => hand.includes(no))));
    return launch({ job, status, stored }, board);
  };
  test.each<readonly [strip: string, hand: readonly number[], expected: string, because: string]>([
    ['. . . .', [0, 1], 'launch 4095#1 4096#1', 'both are at hand'],
    ['. . . .', [0], 'launch 4095#1, again', 'the second has more to start'],
    ['. . . .', [], 'again', 'none is'],
    ['. S S S', [0], 'launch 4095#1', 'the second has nothing to start'],
    ['. w w w', [0], 'launch 4095#1', 'or nothing yet'],
    ['c r r r', [0], 'stop 4095, again', 'more to give up is in the second'],
  ])('%s with %o loaded → %s: %s', (strip, hand, expected) => {
    expect(words(partly(strip, {}, hand))).toBe(expected);
  });
});
