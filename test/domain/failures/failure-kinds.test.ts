import { describe, expect, test } from 'vitest';
import { formatIndexSet } from '../../../shared/domain/base/index-set.ts';
import {
  type FailedAttempt,
  type LogEnd,
  failureKinds,
  logsToRead,
} from '../../../shared/domain/failures/failure-kinds.ts';

const failed = (index: number, wish: Partial<FailedAttempt> = {}): FailedAttempt => ({
  index,
  attempt: 2,
  pod: `sums-${index}`,
  item: null,
  isFinal: true,
  exitCode: 1,
  verdict: 'failedForGood: exit code 1',
  outcome: 'failedForGood',
  why: { kind: 'exited', exitCode: 1 },
  cause: 'exit code 1',
  hasRun: true,
  stoppedWithJob: false,
  container: 'main',
  ...wish,
});

/** `2 x (0-1) "line" 1/2`: how many, which, how they end, and how many logs say so. */
function told(attempts: readonly FailedAttempt[], logs: Readonly<Record<number, LogEnd>>): readonly string[] {
  const byPod = new Map(Object.entries(logs).map(([index, log]) => [`sums-${index}`, log]));
  return failureKinds(attempts, byPod).map(
    ({ count, indexes, lastLine, logs: read }) =>
      `${count} (${formatIndexSet(indexes)}) ${lastLine ?? '-'} ${read.kind === 'read' ? read.read : read.kind}`,
  );
}

const KILLED = { exitCode: 137, verdict: 'failedForGood: out of memory', cause: 'OOMKilled' };
const STOPPED = { stoppedWithJob: true, exitCode: 143, verdict: 'failed: the Job failed: late' };
const UNSTARTED = { hasRun: false, exitCode: 128, cause: 'StartError: /tmp/a1: not found' };

describe('kinds of failures', () => {
  test.each<[string, readonly FailedAttempt[], Readonly<Record<number, LogEnd>>, readonly string[]]>([
    ['none', [], {}, []],
    ['one', [failed(3)], { 3: ['a', 'b 7'] }, ['1 (3) b <n> 1']],
    [
      'by the last line, the largest first',
      [failed(0), failed(1), failed(2), failed(5)],
      { 0: ['disk full'], 1: ['no route 1'], 2: ['no route 2'], 5: ['no route 3'] },
      ['3 (1,2,5) no route <n> 3', '1 (0) disk full 1'],
    ],
    [
      'by exit code, if the lines are equal',
      [failed(0), failed(1, KILLED)],
      { 0: ['x'], 1: ['x'] },
      ['1 (0) x 1', '1 (1) x 1'],
    ],
    [
      'by verdict',
      [failed(0), failed(1, { verdict: 'failed: exit code 1' })],
      { 0: ['x'], 1: ['x'] },
      ['1 (0) x 1', '1 (1) x 1'],
    ],
    [
      'what is tried again comes last, however many',
      [failed(0), failed(1, { isFinal: false }), failed(2, { isFinal: false })],
      { 0: ['x'], 1: ['x'], 2: ['x'] },
      ['1 (0) x 1', '2 (1,2) x 2'],
    ],
    [
      'what was stopped with the Job comes after its causes, and its lines say nothing',
      [failed(0, STOPPED), failed(1, STOPPED), failed(2, STOPPED), failed(3)],
      { 0: ['at 1 of 9'], 1: ['half'], 3: ['x'] },
      ['1 (3) x 1', '3 (0-2) - 2'],
    ],
    ['a log that is empty', [failed(0), failed(1)], { 0: [], 1: ['x'] }, ['1 (0) - 1', '1 (1) x 1']],
    [
      'those that were not read end as all others do',
      [0, 1, 2, 3].map((index) => failed(index)),
      { 0: ['x 1'], 2: ['x 2'] },
      ['4 (0-3) x <n> 2'],
    ],
    [
      'or are a kind of their own, if the others differ',
      [0, 1, 2, 3].map((index) => failed(index)),
      { 0: ['x'], 2: ['y'] },
      ['2 (1,3) - unread', '1 (0) x 1', '1 (2) y 1'],
    ],
    ['no log was read', [failed(0), failed(1)], {}, ['2 (0,1) - unread']],
    [
      'what never started has no log, and its cause tells it apart',
      [
        failed(0, UNSTARTED),
        failed(1, { ...UNSTARTED, cause: 'StartError: /tmp/b2: not found' }),
        failed(2, { ...UNSTARTED, cause: 'StartError: no permission' }),
      ],
      {},
      ['2 (0,1) - none', '1 (2) - none'],
    ],
    [
      'the item is no difference',
      [failed(0, { item: 'pear.txt' }), failed(1, { item: 'plum.txt' })],
      { 0: ['pear.txt: gone'], 1: ['plum.txt: gone'] },
      ['2 (0,1) <item>: gone 2'],
    ],
  ])('%s', (_, attempts, logs, expected) => {
    expect(told(attempts, logs)).toEqual(expected);
  });

  test('the first that was read is the example, and the first items are named', () => {
    const attempts = Array.from({ length: 8 }, (_, index) => failed(index, { item: `item-${index}` }));
    const [kind] = failureKinds(attempts, new Map([['sums-3', ['a', 'b']]]));
    expect(kind?.example).toMatchObject({ index: 3, log: ['a', 'b'] });
    expect(kind?.items).toEqual(['item-0', 'item-1', 'item-2', 'item-3', 'item-4']);
  });

  test('attempts without an index are counted', () => {
    const none = { index: null } as const;
    const [kind] = failureKinds(
      [
        { ...failed(0), ...none },
        { ...failed(1), ...none },
      ],
      new Map(),
    );
    expect([kind?.count, kind?.indexes.edges]).toEqual([2, []]);
  });
});

describe('logs to read', () => {
  const chosen = (attempts: readonly FailedAttempt[], max: number): readonly (number | null)[] =>
    logsToRead(attempts, max)
      .map(({ index }) => index)
      .sort((a, b) => (a ?? 0) - (b ?? 0));
  const many = (from: number, count: number, wish: Partial<FailedAttempt> = {}) =>
    Array.from({ length: count }, (_, i) => failed(from + i, wish));

  test.each<[string, readonly FailedAttempt[], number, readonly number[]]>([
    ['all, if they are few', many(0, 3), 200, [0, 1, 2]],
    ['spread evenly', many(0, 100), 4, [0, 25, 50, 75]],
    ['a small kind is read whole', [...many(0, 100), ...many(100, 2, KILLED)], 4, [0, 50, 100, 101]],
    ['no more than allowed', [...many(0, 50), ...many(50, 50, KILLED)], 5, [0, 25, 50, 66, 83]],
    ['one of those that were stopped with the Job', many(0, 100, STOPPED), 10, [0]],
    ['none of those that never started', many(0, 9, UNSTARTED), 10, []],
    ['none at all', many(0, 9), 0, []],
  ])('%s', (_, attempts, max, expected) => {
    expect(chosen(attempts, max)).toEqual(expected);
  });

  test('100,000 failures are grouped in one walk', () => {
    const attempts = many(0, 100_000);
    const read = logsToRead(attempts, 200);
    const kinds = failureKinds(attempts, new Map(read.map(({ pod, index }) => [pod, [`line ${index}`]])));
    expect(kinds).toHaveLength(1);
    expect(kinds[0]).toMatchObject({ count: 100_000, logs: { kind: 'read', read: 200 } });
    // It takes a second; a square would take hours.
  });
});
