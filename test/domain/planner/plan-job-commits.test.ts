import { describe, expect, test } from 'vitest';
import { CHUNK_INDEXES } from '../../../shared/domain/scoreboard/board.ts';
import { extendJournal } from '../../../shared/domain/scoreboard/journal.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';
import { FOLD_AT_ENTRIES } from '../../../shared/domain/base/timing.ts';
import {
  type Situation,
  type Wish,
  aBoard,
  after,
  arnOf,
  at,
  brief,
  ended,
  plan,
  wakeSec,
} from '../../support/a-board.ts';

// What a pass stores, and when the next pass is due, for cases between the policies.

/** Only these chunks are loaded. */
const withOnly = (situation: Situation, ...hand: readonly number[]): Situation => ({
  ...situation,
  stored: new Map([...situation.stored].filter(([no]) => hand.includes(no))),
});

const lastCommit = (status: Status) => ({ version: status.version, seq: status.journal.nextSeq, at: status.now });

describe('when the next pass is due', () => {
  test.each<readonly [strip: string, wish: Wish, wakeSec: number | null, because: string]>([
    ['r r', {}, 300, 'the look-up of what is active'],
    ['c r', {}, 60, 'an unanswered claim'],
    ['w r', {}, 10, 'an index in back-off that has a place'],
    ['w r r', {}, 300, 'but not one that has none'],
    ['1 r', { status: { backoff: { failures: 1, lastFailureAt: at(3) } } }, 13, 'the back-off of the Job'],
    ['. .', { parallelism: 0 }, null, 'nothing is to come'],
  ])('%s %o → %s s: %s', (strip, wish, expected) => {
    const board = aBoard(strip, wish);
    expect(wakeSec(plan({ ...board, status: { ...board.status, alarms: [] } }))).toBe(expected);
  });

  test('at once, if the journal must be folded into a chunk that is not loaded', () => {
    const board = aBoard('r', { before: CHUNK_INDEXES });
    const open = Array.from({ length: FOLD_AT_ENTRIES }, () => ({ op: 'stopping', index: 0, attempt: 1 }) as const);
    const full = { ...board.status, journal: extendJournal(board.status.journal, open) };
    expect(wakeSec(plan(withOnly({ ...board, status: full }, 1)))).toBe(0);
  });
});

describe('unanswered claims', () => {
  const claim = (index: number, dueSec: number) => ({ index, attempt: 1, nonce: 0, dueAt: at(dueSec) });

  test('only those that are due are sent again', () => {
    const board = aBoard('c c', { status: { inFlight: [claim(0, 60), claim(1, 90)] } });
    const next = plan(board, [], 60);
    expect(brief(next)).toBe('running, launch 0');
    expect(next.status?.inFlight).toEqual([claim(0, 120), claim(1, 90)]);
  });

  test('one whose chunk is not loaded stays due', () => {
    const board = aBoard('c S c', { before: CHUNK_INDEXES - 1 });
    const next = plan(withOnly(board, 1), [], 60);
    expect(brief(next)).toBe(`running, launch ${CHUNK_INDEXES + 1}`);
    expect(next.status?.inFlight.map(({ dueAt }) => dueAt)).toEqual([at(60), at(120)]);
    expect(wakeSec(next)).toBe(60);
  });

  test('a claim that should end is not launched again', () => {
    const next = plan(aBoard('C r', { parallelism: 1 }), [], 60);
    expect(brief(next)).toBe('running, stop 0');
    expect(next.status?.inFlight).toEqual([claim(0, 120)]);
  });
});

describe('stops', () => {
  test('a new phase begins a new round, however recent the last one is', () => {
    const board = aBoard('R r', { suspend: true, status: { stopRound: { cursor: 2, startedAt: at(0) } } });
    expect(brief(plan(board, [], 5))).toBe('suspended, stop 0 1');
  });

  test('surplus attempts in the pass of a round are asked once', () => {
    expect(brief(plan(aBoard('r r r')))).toBe('running, stop 2');
  });
});

describe('what is stored', () => {
  const stored = (strip: string, wish: Wish = {}) => plan(aBoard(strip, wish)).status;

  test('why launches wait, as long as a claim waits', () => {
    expect(stored('c r', { status: { waitReason: 'no capacity', alarms: [] } })?.waitReason).toBe('no capacity');
    expect(stored('r r', { status: { waitReason: 'no capacity' } })).toMatchObject({ waitReason: null });
  });

  test('the current revision, even if nothing else changes', () => {
    const board = aBoard('r r');
    const next = plan({ ...board, job: { ...board.job, revision: 2 } });
    expect(next).toMatchObject({ status: { revision: 2, version: 6 }, publish: true });
  });

  test('a larger board, even if nothing is started on it', () => {
    const board = aBoard('S .', { phase: { kind: 'suspended', since: at(0) }, suspend: true });
    const larger = { ...board, job: { ...board.job, spec: { ...board.job.spec, completions: 5 } } };
    expect(plan(larger).status).toMatchObject({ size: 5, chunks: [{ pending: 4, succeeded: 1 }] });
  });

  test('the back-off', () => {
    expect(plan(aBoard('r .'), [ended(0, 'Error', 7)], 7).status?.backoff).toEqual({
      failures: 1,
      lastFailureAt: at(7),
    });
  });

  test('the history of an ended attempt', () => {
    const { ended: history } = plan(aBoard('r S'), [ended(0, 'Error', 7), ended(1, 'Error', 7)], 7);
    expect(history).toEqual([
      {
        index: 0,
        attempt: 1,
        nonce: 0,
        taskArn: arnOf(0),
        ending: { cause: 'Error', exitCode: 1, container: 'main', reason: 'Error' },
        times: { createdAt: at(0), startedAt: at(0), stoppedAt: at(7) },
        judgement: { as: 'failed', why: { kind: 'exited', exitCode: 1 } },
        failures: 0,
        ignored: 0,
        restarts: 0,
      },
    ]);
  });

  test('the start, once', () => {
    const unborn = { startTime: null };
    expect(stored('. .', { status: unborn })?.startTime).toBe(at(0));
    expect(stored('. .', { status: unborn, suspend: true, phase: { kind: 'suspended', since: at(0) } })).toBeNull();
  });
});

test('a commit that changes nothing a user sees needs no publication', () => {
  const board = aBoard('w r', { status: { alarms: [] } });
  const first = plan(board);
  expect(first).toMatchObject({ publish: false, status: { version: 6, published: { version: 6 } } });
  expect(plan(after(board, first), [], 2)).toMatchObject({ publish: false, status: null });
});

test('a commit after an unpublished one does not count as published', () => {
  const board = aBoard('r r . .', { status: { published: { version: 5, seq: 0, at: at(0) } } });
  const first = after(board, plan(board, [ended(0, 'Completed')], 0.4));
  const second = plan({ ...first, status: { ...first.status, alarms: [] } }, [], 0.5);
  expect(second).toMatchObject({ publish: false, status: { published: { version: 5 } } });
  const third = after(first, second);
  expect(plan(third, [], 1).publish).toBe(true);
  const told = { ...third, status: { ...third.status, published: lastCommit(third.status) } };
  expect(plan(told, [], 2).publish).toBe(false);
});
