import { describe, expect, test } from 'vitest';
import { NO_EXTRAS } from '../../../shared/domain/scoreboard/index-record.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import type { Phase, Verdict } from '../../../shared/domain/scoreboard/status.ts';
import { type Stops, planStops } from '../../../shared/domain/planner/stops.ts';
import { AWS_TIMING, STOPS_PER_PASS_MAX } from '../../../shared/domain/base/timing.ts';
import { type Situation, type Wish, aBoard, at } from '../../support/a-board.ts';

// Which attempts are asked to stop. S succeeded, r running, l launched, c claimed, C and R asked to stop, . pending, w
// waiting. A round goes over the whole board. It is repeated after 30 s while attempts are left that should end.

const verdict: Verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: null };
const since = at(0);
const running: Phase = { kind: 'running' };
const suspended: Phase = { kind: 'suspended', since };
const draining: Phase = { kind: 'draining', verdict, since };
const purging: Phase = { kind: 'purging', since };

/** A round started at `sec` that has reached `cursor`. */
const round = (cursor: number, sec: number) => ({ cursor, startedAt: at(sec) });

function stopsOf({ status, stored }: Situation, sec: number, hand = [...stored.keys()]): Stops {
  const board = new WorkingBoard(status, new Map([...stored].filter(([no]) => hand.includes(no))));
  return planStops(board, status.phase, status, at(sec), AWS_TIMING);
}

const words = ({ stop, again }: Stops): string =>
  [stop.length === 0 ? 'none' : stop.map(({ index }) => index).join(' '), ...(again ? ['again'] : [])].join(', ');

describe('which attempts should end', () => {
  test.each<readonly [strip: string, phase: Phase, expected: string, because: string]>([
    ['r l c S .', running, 'none', 'nobody, while the Job runs'],
    ['r R C S .', running, '1 2', 'but those that parallelism has no place for'],
    ['r R c S .', suspended, '2 0 1', 'all that is active when it is suspended, first what waits for its launch'],
    ['l . c S w', draining, '2 0', 'when its end is decided'],
    ['r r c S w', purging, '2 0 1', 'when it is deleted'],
    ['. S S w 1', draining, 'none', 'nothing is active'],
  ])('%s %o → %s: %s', (strip, phase, expected) => {
    expect(words(stopsOf(aBoard(strip, { phase }), 0))).toBe(expected);
  });
});

describe('rounds', () => {
  type Row = readonly [
    strip: string,
    stopRound: ReturnType<typeof round> | null,
    sec: number,
    expected: string,
    next: ReturnType<typeof round> | null,
    because: string,
  ];
  test.each<Row>([
    ['r r', null, 5, '0 1', round(2, 5), 'a round begins at once'],
    ['r r', round(2, 5), 6, 'none', round(2, 5), 'it is over, and the stops have time'],
    ['r r', round(2, 5), 34, 'none', round(2, 5), 'one second before they are repeated'],
    ['r r', round(2, 5), 35, '0 1', round(2, 35), 'STOPPED was not seen: the next round'],
    ['. r', round(2, 5), 35, '1', round(2, 35), 'of those that are left'],
    ['. .', round(2, 5), 35, 'none', null, 'none is left'],
    ['r r', round(1, 5), 6, '1', round(2, 5), 'a round goes on where it was'],
    ['r r', round(1, 5), 99, '1', round(2, 5), 'and to its end before another begins'],
    ['r r r', round(2, 5), 6, '2', round(3, 5), 'the board has grown behind a round that was over'],
  ])('%s, %o, at %i s → %s, %o: %s', (strip, stopRound, sec, expected, next) => {
    const stops = stopsOf(aBoard(strip, { phase: draining, status: { stopRound } }), sec);
    expect(words(stops)).toBe(expected);
    expect(stops.stopRound).toEqual(next);
    expect(stops.wakeAt).toEqual(next === null ? null : at((next.startedAt - at(0)) / 1000 + 30));
  });
});

test('claims come first in each round, however many tasks are before them, and one pass stops no more than it may', () => {
  const strip = [...Array.from({ length: 600 }, () => 'r'), 'c', 'c'].join(' ');
  const large = aBoard(strip, { phase: suspended });
  const first = stopsOf(large, 0);
  expect(first.stop.slice(0, 3).map(({ index }) => index)).toEqual([600, 601, 0]);
  expect(first).toMatchObject({ again: true, stopRound: { cursor: 498 } });
  expect(first.stop).toHaveLength(STOPS_PER_PASS_MAX);
  const status = { ...large.status, stopRound: first.stopRound };
  const second = stopsOf({ ...large, status }, 1);
  expect(second.stop.map(({ index }) => index).slice(0, 1)).toEqual([498]);
});

test.each([
  ['failing', draining, 1],
  ['suspended', suspended, 0],
  ['deleted', purging, 0],
])('Pods between two tasks of a %s Job that was made smaller end at once: %o', (_, phase, failed) => {
  const { status, stored } = aBoard('b S b', { completions: 2, phase });
  const board = new WorkingBoard(status, stored);
  const stops = planStops(board, phase, status, at(0), AWS_TIMING, 2);
  expect([stops.failed, stops.stop]).toEqual([failed, []]);
  expect([0, 2].map((index) => board.record(index))).toMatchObject([
    { state: 'pending', failures: failed },
    { state: 'pending', failures: 0 },
  ]);
});

test('a stop names the launch that is current', () => {
  const board = aBoard('r', { phase: purging });
  board.stored.get(0)!.attempts[0] = 4;
  board.stored.get(0)!.extras.set(0, { ...NO_EXTRAS, nonce: 2, failures: 3 });
  expect(stopsOf(board, 0).stop).toEqual([{ index: 0, attempt: 4, nonce: 2 }]);
});

describe('one pass asks 500', () => {
  const many = (count: number, cursor: number | null): Wish & { strip: string } => ({
    strip: 'r'.repeat(count),
    phase: draining,
    status: { stopRound: cursor === null ? null : round(cursor, 0) },
  });
  test.each<
    readonly [count: number, cursor: number | null, asked: number, next: number, again: boolean, because: string]
  >([
    [499, null, 499, 499, false, 'fewer: the round is over'],
    [500, null, 500, 500, false, 'as many'],
    [501, null, 500, 500, true, 'one more is the next pass’s'],
    [501, 500, 1, 501, false, 'there it is'],
    [1200, 500, 500, 1000, true, 'the next 500'],
    [1200, 1000, 200, 1200, false, 'and the rest'],
  ])('%i running, from %s: %i, up to %i, again %s: %s', (count, cursor, asked, next, again) => {
    const { strip, ...wish } = many(count, cursor);
    const stops = stopsOf(aBoard(strip, wish), 1);
    expect(stops.stop).toHaveLength(asked);
    expect(stops.stop[0]?.index).toBe(cursor ?? 0);
    expect(stops.stopRound?.cursor).toBe(next);
    expect(stops.again).toBe(again);
  });
});

describe('a chunk that is not loaded', () => {
  test.each<
    readonly [strip: string, hand: readonly number[], phase: Phase, expected: string, cursor: number, because: string]
  >([
    ['r r r', [0, 1], draining, '4095 4096 4097', 4098, 'both are'],
    ['r r r', [0], draining, '4095, again', 4096, 'the round goes on with the second'],
    ['r r r', [1], draining, 'none, again', 0, 'the round does not leave the first out'],
    ['r S S', [0], draining, '4095', 4098, 'the second has nothing to stop'],
    ['R r r', [0], running, '4095', 4098, 'nor here: its tasks are wanted'],
    ['R r R', [0], running, '4095, again', 4096, 'but one of these is not'],
  ])('%s with %o loaded → %s: %s', (strip, hand, phase, expected, cursor) => {
    const stops = stopsOf(aBoard(strip, { before: 4095, phase }), 0, [...hand]);
    expect(words(stops)).toBe(expected);
    expect(stops.stopRound?.cursor).toBe(cursor);
  });
});
