import { describe, expect, test } from 'vitest';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { asTaskArn } from '../../../shared/domain/base/ids.ts';
import type { Ending } from '../../../shared/domain/base/fact.ts';
import { causeLine, groupFailures } from '../../../shared/domain/failures/failures.ts';
import type { EndedAttempt, Judgement } from '../../../shared/domain/planner/plan.ts';
import type { Phase } from '../../../shared/domain/scoreboard/status.ts';

const T0 = 1_800_000_000_000;
const RUNNING: Phase = { kind: 'running' };
const ended = (
  index: number,
  ending: Partial<Ending>,
  judgement: Partial<Judgement> = {},
  {
    attempt = 1,
    startedSec = 1,
    stoppedSec = 2,
  }: { attempt?: number; startedSec?: number | null; stoppedSec?: number } = {},
): EndedAttempt => ({
  index,
  attempt,
  nonce: 0,
  taskArn: asTaskArn(`arn:aws:ecs:us-east-1:000000000000:task/muster/${index}`),
  ending: { cause: 'Error', exitCode: 1, container: 'main', reason: 'Essential container in task exited', ...ending },
  times: {
    createdAt: asEpochMs(T0),
    startedAt: startedSec === null ? null : asEpochMs(T0 + startedSec * 1000),
    stoppedAt: asEpochMs(T0 + stoppedSec * 1000),
  },
  judgement: { as: 'failed', why: { kind: 'exited', exitCode: 1 }, ...judgement },
  failures: 0,
  ignored: 0,
  restarts: 0,
});
const WITH_JOB = { kind: 'jobFailed', reason: 'BackoffLimitExceeded', message: 'as it is', decidedBy: null } as const;
const failed = (reason: 'DeadlineExceeded' | 'BackoffLimitExceeded'): Phase => ({
  kind: 'draining',
  verdict: { kind: 'failed', reason, message: 'as it is', decidedBy: null },
  since: asEpochMs(T0),
});

describe('one line', () => {
  test.each<[Partial<Ending>, string]>([
    [{}, 'exit code 1'],
    [{ exitCode: 139 }, 'exit code 139 (SIGSEGV)'],
    [
      {
        exitCode: 137,
        cause: 'OOMKilled',
        reason: 'Essential container in task exited: OutOfMemoryError: container killed due to memory usage',
      },
      'OOMKilled: OutOfMemoryError: container killed due to memory usage',
    ],
    [{ exitCode: 3, reason: 'Essential container in task exited: something' }, 'exit code 3: something'],
    [
      { cause: 'StartFailed', exitCode: null, reason: 'CannotPullContainerError: no such image' },
      'TaskFailedToStart: CannotPullContainerError: no such image',
    ],
    [
      { cause: 'Spot', exitCode: null, reason: 'Your Spot Task was interrupted.' },
      'SpotInterruption: Your Spot Task was interrupted.',
    ],
  ])('%j', (ending, line) => {
    expect(causeLine(ended(0, ending), RUNNING)).toBe(line);
  });

  test('a program that could not be started has no exit code', () => {
    const attempt = ended(
      0,
      { exitCode: 128, reason: 'CannotStartContainerError: python: command not found' },
      {},
      { startedSec: null },
    );
    expect(causeLine(attempt, RUNNING)).toBe('StartError: python: command not found');
    expect(causeLine(ended(0, { exitCode: 128 }), RUNNING)).toBe('exit code 128');
  });

  test('a stopped attempt has the reason for its stop', () => {
    const withJob = ended(
      0,
      { cause: 'Stopped', exitCode: 143, reason: 'Muster: no longer wanted' },
      { why: { kind: 'jobFailed', reason: 'X', message: 'as it is', decidedBy: null } },
    );
    expect(causeLine(withJob, failed('DeadlineExceeded'))).toBe('DeadlineExceeded: as it is');
    expect(causeLine(withJob, failed('BackoffLimitExceeded'))).toBe('stopped: the Job failed: X (as it is)');
    const deleted = ended(
      0,
      { cause: 'Stopped', exitCode: 143, reason: 'Muster: the Pod was deleted' },
      { why: { kind: 'podDeleted' } },
    );
    expect(causeLine(deleted, RUNNING)).toContain('the Pod was deleted');
  });
});

describe('groups', () => {
  test('similar failures form a group, larger groups come first, and the first failure is the example', () => {
    const groups = groupFailures(
      [
        ended(9, { exitCode: 2 }, { why: { kind: 'exited', exitCode: 2 } }),
        ended(5, {}, {}, { stoppedSec: 9 }),
        ended(3, {}, {}, { stoppedSec: 4, attempt: 2 }),
        ended(4, {}, {}, { stoppedSec: 4 }),
        ended(0, { cause: 'Completed', exitCode: 0 }, { as: 'succeeded' }),
        ended(1, { cause: 'Stopped', exitCode: 143 }, { as: 'released', why: { kind: 'scaledDown' } }),
        ended(2, { cause: 'Unplaced', exitCode: null }, { as: 'unstarted' }),
      ],
      RUNNING,
    );
    expect(
      groups.map(({ cause, indexes, example, lastAt }) => ({ cause, indexes, index: example.index, lastAt })),
    ).toEqual([
      { cause: 'exit code 1', indexes: [3, 4, 5], index: 3, lastAt: T0 + 9_000 },
      { cause: 'exit code 2', indexes: [9], index: 9, lastAt: T0 + 2_000 },
    ]);
  });

  test('failures that a rule of podFailurePolicy has judged form their own group', () => {
    const why = { kind: 'policyRule', rule: 0, action: 'FailIndex', what: 'exit code 1' } as const;
    const groups = groupFailures([ended(0, {}), ended(1, {}, { as: 'failedForGood', why })], RUNNING);
    expect(groups.map(({ indexes, judgement }) => [indexes, judgement.as])).toEqual([
      [[0], 'failed'],
      [[1], 'failedForGood'],
    ]);
  });

  test('a failure while its Job was failing does not form its own group', () => {
    const groups = groupFailures([ended(0, {}), ended(1, {}, { why: WITH_JOB })], failed('BackoffLimitExceeded'));
    expect(groups.map(({ indexes }) => indexes)).toEqual([[0, 1]]);
  });

  test('attempts that were stopped with their Job come last, however many there are', () => {
    const stopped = [1, 2, 3].map((index) => ended(index, { cause: 'Stopped', exitCode: 143 }, { why: WITH_JOB }));
    const groups = groupFailures([...stopped, ended(0, {})], failed('BackoffLimitExceeded'));
    expect(groups.map(({ indexes, stoppedWithJob }) => [indexes, stoppedWithJob])).toEqual([
      [[0], false],
      [[1, 2, 3], true],
    ]);
  });
});
