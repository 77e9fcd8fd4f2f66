import { describe, expect, test } from 'vitest';
import { backoffEndsAt, foldBackoff, lossDelayEndsAt } from '../../../shared/domain/scoreboard/backoff.ts';
import { at } from '../../support/a-board.ts';

// kubernetes-job.md 6.1. Times are seconds into the test.

const moment = (sec: number | null) => (sec === null ? null : at(sec));

type Row = readonly [
  before: readonly [failures: number, lastSec: number | null],
  failedSec: readonly number[],
  succeededSec: readonly number[],
  after: readonly [failures: number, lastSec: number | null],
  because: string,
];

describe('failures since the last success', () => {
  test.each<Row>([
    [[0, null], [], [], [0, null], 'nothing has ended'],
    [[2, 5], [], [], [2, 5], 'nothing has ended, and what was known stays'],
    [[0, null], [7], [], [1, 7], 'the first failure'],
    [[2, 5], [7], [], [3, 7], 'one more'],
    [[2, 5], [9, 7, 8], [], [5, 9], 'a batch adds up, its newest failure counts'],
    [[2, 5], [3], [], [3, 5], 'a failure that is reported late does not move the time back'],
    [[2, 5], [], [7], [0, null], 'a success resets'],
    [[2, 5], [], [1], [0, null], 'also one that is reported late'],
    [[2, 5], [6], [7], [0, null], 'a failure before the success is forgiven'],
    [[2, 5], [7], [7], [0, null], 'one at the same moment, too'],
    [[2, 5], [8], [7], [1, 8], 'a failure after it counts'],
    [[2, 5], [6, 9, 8], [7], [2, 9], 'only those after it count'],
    [[2, 5], [8], [7, 9], [0, null], 'the newest success decides'],
  ])('%o, failed at %o, succeeded at %o → %o: %s', ([failures, last], failed, succeeded, [expected, expectedLast]) => {
    const before = { failures, lastFailureAt: moment(last) };
    expect(foldBackoff(before, failed.map(at), succeeded.map(at))).toEqual({
      failures: expected,
      lastFailureAt: moment(expectedLast),
    });
  });
});

describe('how long the Job waits after its last failure', () => {
  test.each<readonly [failures: number, sec: number | null, because: string]>([
    [0, null, 'no failure, no wait'],
    [1, 10, '10 s after the first'],
    [2, 20, 'doubled'],
    [3, 40, 'and again'],
    [6, 320, 'and again'],
    [7, 600, '640 s would be more than 10 min'],
    [8, 600, 'never more'],
    [5_000, 600, 'however many there were'],
  ])('%i failures: %s s, %s', (failures, sec) => {
    expect(backoffEndsAt({ failures, lastFailureAt: failures === 0 ? null : at(3) })).toBe(
      sec === null ? null : at(3 + sec),
    );
  });
});

describe('how long an index waits that infrastructure took', () => {
  test.each<readonly [losses: number, sec: number | null, because: string]>([
    [0, null, 'at once the first time'],
    [1, 10, 'then 10 s'],
    [2, 20, 'doubled'],
    [6, 320, 'and again'],
    [7, 600, '10 min at most'],
    [100, 600, 'however often'],
  ])('%i losses before: %s s, %s', (losses, sec) => {
    expect(lossDelayEndsAt(losses, at(3))).toBe(sec === null ? null : at(3 + sec));
  });
});
