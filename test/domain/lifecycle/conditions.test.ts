import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { PodFailureRule } from '../../../shared/domain/manifests/manifest.ts';
import { freshStatus } from '../../../shared/domain/scoreboard/status.ts';
import {
  type Situation,
  type Wish,
  aBoard,
  after,
  at,
  cancelled,
  deleted,
  ended,
  exited,
  plan,
  rejected,
} from '../../support/a-board.ts';
import { conditionsOf, shown } from '../../support/shown.ts';

// A Job's status as users see it: kubernetes-job.md 1.2, 3 and 3.1. S succeeded, r running, c claimed, b a Pod between
// two tasks, . pending, F failed for good, R asked to stop, 3 pending after three failures.

const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));

const exitRule = (action: PodFailureRule['action'], ...values: readonly number[]): PodFailureRule => ({
  action,
  onExitCodes: { operator: 'In', values },
});
const conditionRule = (action: PodFailureRule['action']): PodFailureRule => ({
  action,
  onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
});
const policy = (...rules: readonly PodFailureRule[]): Partial<JobSpec> => ({ podFailurePolicy: { rules } });
const perIndex: Partial<JobSpec> = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 0 };
const firstIndex = { indexes: parseStatusIndexes('0', 1), count: null };

describe('every row of the table of conditions', () => {
  type Row = readonly [
    reason: string,
    strip: string,
    wish: Wish,
    facts: readonly Fact[],
    interim: 'FailureTarget' | 'SuccessCriteriaMet',
    message: string | RegExp,
  ];
  const rows: readonly Row[] = [
    [
      'BackoffLimitExceeded',
      'r .',
      { backoffLimit: 0 },
      [exited(0, 1)],
      'FailureTarget',
      'Job has reached the specified backoff limit',
    ],
    [
      'DeadlineExceeded',
      '. .',
      { activeDeadlineSec: 0 },
      [],
      'FailureTarget',
      'Job was active longer than specified deadline',
    ],
    [
      'PodFailurePolicy',
      'S r',
      policy(exitRule('Ignore', 1), exitRule('FailJob', 42)),
      [exited(1, 42)],
      'FailureTarget',
      /^Container main for pod default\/work-1-[a-z0-9]{5} failed with exit code 42 matching FailJob rule at index 1$/,
    ],
    [
      'PodFailurePolicy',
      'r S',
      policy(conditionRule('FailJob')),
      [ended(0, 'Spot')],
      'FailureTarget',
      /^Pod default\/work-0-[a-z0-9]{5} has condition DisruptionTarget matching FailJob rule at index 0$/,
    ],
    [
      'MaxFailedIndexesExceeded',
      'F r .',
      { ...perIndex, maxFailedIndexes: 1 },
      [exited(1, 1)],
      'FailureTarget',
      'Job has exceeded the specified maximal number of failed indexes',
    ],
    ['FailedIndexes', 'S r', perIndex, [exited(1, 1)], 'FailureTarget', 'Job has failed indexes'],
    ['Killed', '. .', { killAt: at(0) }, [], 'FailureTarget', 'Job was killed at its kill time, 2027-01-15T08:00:00Z'],
    ['LaunchRefused', 'c .', {}, [rejected(0)], 'FailureTarget', 'AccessDenied'],
    [
      'SuccessPolicy',
      'r .',
      { successPolicy: [{ indexes: null, count: 9 }, firstIndex] },
      [exited(0, 0)],
      'SuccessCriteriaMet',
      'Matched rules at index 1',
    ],
    [
      'CompletionsReached',
      'S r',
      {},
      [exited(1, 0)],
      'SuccessCriteriaMet',
      'Reached expected number of succeeded pods',
    ],
  ];
  const terminalOf = { FailureTarget: 'Failed', SuccessCriteriaMet: 'Complete' } as const;

  test.each(rows)(
    '%s: nothing is left, both in the same write (%s)',
    (reason, strip, wish, facts, interim, message) => {
      const status = shown(pass(aBoard(strip, wish), facts, 7));
      expect(status.conditions?.map(({ type }) => type)).toEqual([interim, terminalOf[interim]]);
      for (const condition of status.conditions ?? []) {
        expect(condition).toMatchObject({
          status: 'True',
          reason,
          lastTransitionTime: '2027-01-15T08:00:07Z',
          lastProbeTime: '2027-01-15T08:00:07Z',
        });
        expect(condition.message).toMatch(message);
      }
      expect(status).toMatchObject({ ready: 0, terminating: 0, uncountedTerminatedPods: {} });
      expect(status.active).toBeUndefined();
    },
  );

  // The reasons that may be decided while another Pod runs: all except those that need every index to be finished.
  const early = rows.filter(([reason]) => reason !== 'FailedIndexes' && reason !== 'CompletionsReached');
  test.each(early)(
    '%s: while a Pod still runs only the interim condition (%s)',
    (reason, strip, wish, facts, interim) => {
      const board = aBoard(`${strip} r`, { ...wish, parallelism: 3 });
      const last = strip.replaceAll(' ', '').length;
      const draining = pass(board, facts, 7);
      expect(conditionsOf(draining)).toBe(interim);
      expect(shown(draining)).toMatchObject({ terminating: 1, ready: 0 });
      expect(shown(draining).active).toBeUndefined();
      const over = pass(draining, [ended(last, 'Stopped', 9)], 9);
      expect(conditionsOf(over)).toBe(`${interim} ${terminalOf[interim]}`);
      const [first, second] = shown(over).conditions ?? [];
      expect(first).toMatchObject({ reason, lastTransitionTime: '2027-01-15T08:00:07Z' });
      expect(second).toMatchObject({ reason, message: first?.message, lastTransitionTime: '2027-01-15T08:00:09Z' });
    },
  );

  test('Suspended is True, then False in its place, then next to the others', () => {
    const wish = { suspend: true };
    const suspended = pass(aBoard('r S', wish), [], 3);
    expect(shown(suspended).conditions).toMatchObject([
      { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' },
    ]);
    const stopped = pass(suspended, [ended(0, 'Stopped', 4)], 4);
    const resumed = pass(
      { ...stopped, job: { ...stopped.job, spec: { ...stopped.job.spec, suspend: false } } },
      [],
      60,
    );
    expect(shown(resumed).conditions).toMatchObject([
      {
        type: 'Suspended',
        status: 'False',
        reason: 'JobResumed',
        message: 'Job resumed',
        lastTransitionTime: '2027-01-15T08:01:00Z',
      },
    ]);
    const over = pass(resumed, [ended(0, 'Completed', 70, 2)], 70);
    expect(conditionsOf(over)).toBe('Suspended=False SuccessCriteriaMet Complete');
  });

  test('a condition that was never True is not added as False', () => {
    expect(conditionsOf(pass(aBoard('r .')))).toBe('');
  });
});

describe('which reason wins in one pass', () => {
  const all = { ...perIndex, maxFailedIndexes: 0, activeDeadlineSec: 5, successPolicy: [firstIndex] };
  const failJob = policy(exitRule('FailJob', 3));
  const three = (codes: readonly number[]): readonly Fact[] => codes.map((code, index) => exited(index, code, 5));
  test.each<readonly [wish: Wish, codes: readonly number[], expected: string, because: string]>([
    [{ ...all, ...failJob, backoffLimit: 0 }, [0, 3, 1], 'PodFailurePolicy', 'c: a FailJob rule first'],
    [{ ...all, backoffLimit: 1 }, [0, 1, 1], 'BackoffLimitExceeded', 'd: then backoffLimit'],
    [all, [0, 1, 1], 'DeadlineExceeded', 'e: then the deadline'],
    [{ ...all, activeDeadlineSec: null }, [0, 1, 1], 'MaxFailedIndexesExceeded', 'f: then maxFailedIndexes'],
    [{ ...all, activeDeadlineSec: null, maxFailedIndexes: null }, [0, 1, 1], 'FailedIndexes', 'g: then failed indexes'],
    [
      { successPolicy: [firstIndex], backoffLimit: 6 },
      [0, 1, 1],
      'SuccessPolicy',
      'h: only then success, by its policy',
    ],
    [{ successPolicy: [firstIndex] }, [0, 0, 0], 'SuccessPolicy', 'before all completions'],
    [{ successPolicy: [{ indexes: null, count: 9 }] }, [0, 0, 0], 'CompletionsReached', 'and completions last'],
    [{ suspend: true }, [0, 0, 0], 'CompletionsReached', 'completion is looked at before suspend'],
    [{ suspend: true, backoffLimit: 0 }, [0, 1, 0], 'BackoffLimitExceeded', 'so is failure'],
  ])('%o, exit codes %o → %s: %s', (wish, codes, expected) => {
    const { status } = plan(aBoard('r r r', { parallelism: 3, ...wish }), three(codes), 5);
    expect(status?.phase).toMatchObject({ kind: 'finished', verdict: { reason: expected } });
  });

  test('an interim failure stays, though the success policy matches in the next pass', () => {
    const board = aBoard('r r .', { backoffLimit: 0, successPolicy: [firstIndex] });
    const failing = pass(board, [exited(1, 1)], 1);
    expect(conditionsOf(failing)).toBe('FailureTarget');
    const over = pass(failing, [exited(0, 0, 2)], 2);
    expect(conditionsOf(over)).toBe('FailureTarget Failed');
    expect(shown(over)).toMatchObject({ succeeded: 1, failed: 1, completedIndexes: '0' });
  });

  test('an interim success stays, though failures exceed the limit while Pods end', () => {
    const board = aBoard('r r r', { parallelism: 3, backoffLimit: 0, successPolicy: [firstIndex] });
    const succeeding = pass(board, [exited(0, 0)], 1);
    expect(conditionsOf(succeeding)).toBe('SuccessCriteriaMet');
    const over = pass(succeeding, [exited(1, 1, 2), exited(2, 1, 2)], 2);
    expect(conditionsOf(over)).toBe('SuccessCriteriaMet Complete');
    expect(shown(over)).toMatchObject({ succeeded: 1, failed: 2 });
  });

  test('each reason stays as it was decided, whatever comes', () => {
    const board = aBoard('r r r', { parallelism: 3, backoffLimit: 0, activeDeadlineSec: 5 });
    const failing = pass(board, [exited(1, 1)], 1);
    const over = pass(failing, [ended(0, 'Stopped', 9), ended(2, 'Stopped', 9)], 9);
    expect(shown(over).conditions?.map(({ reason }) => reason)).toEqual([
      'BackoffLimitExceeded',
      'BackoffLimitExceeded',
    ]);
  });
});

describe('startTime and completionTime', () => {
  const fresh = (wish: Partial<JobSpec> = {}): Situation => {
    const board = aBoard('. .', wish);
    return { ...board, status: freshStatus(board.job, at(0)) };
  };
  const time = (sec: number): string => `2027-01-15T08:00:${String(sec).padStart(2, '0')}Z`;

  test('the first pass sets the start', () => {
    expect(shown(fresh()).startTime).toBeUndefined();
    expect(shown(pass(fresh(), [], 3)).startTime).toBe(time(3));
    expect(shown(pass(pass(fresh(), [], 3), [], 9)).startTime).toBe(time(3));
  });

  test('a suspended new Job has no start, and a resume sets it', () => {
    const suspended = pass(fresh({ suspend: true }), [], 3);
    expect(shown(suspended).startTime).toBeUndefined();
    const resumed = { ...suspended, job: { ...suspended.job, spec: { ...suspended.job.spec, suspend: false } } };
    expect(shown(pass(resumed, [], 9)).startTime).toBe(time(9));
  });

  test('a Job that ends while it is suspended keeps that condition', () => {
    const board = aBoard('. .', { phase: { kind: 'suspended', since: at(1) }, suspend: true, completions: 0 });
    expect(conditionsOf(after(board, plan(board, [], 3)))).toBe('Suspended SuccessCriteriaMet Complete');
  });
  test('a Job that completes while it is suspended has a start, too', () => {
    const done = pass(fresh({ suspend: true, completions: 0 }), [], 3);
    expect(conditionsOf(done)).toBe('SuccessCriteriaMet Complete');
    expect(shown(done)).toMatchObject({ startTime: time(3), completionTime: time(3) });
  });

  test('completionTime is the time of Complete, and a failed Job has none', () => {
    const complete = pass(aBoard('r', {}), [exited(0, 0, 7)], 7);
    expect(shown(complete).completionTime).toBe(time(7));
    expect(shown(complete).conditions?.at(-1)).toMatchObject({ type: 'Complete', lastTransitionTime: time(7) });
    expect(shown(pass(complete, [exited(0, 1, 9)], 9)).completionTime).toBe(time(7));
    expect(shown(pass(aBoard('r', { backoffLimit: 0 }), [exited(0, 1, 7)], 7)).completionTime).toBeUndefined();
  });

  test('none while Pods still end', () => {
    const board = aBoard('r r', { successPolicy: [firstIndex] });
    expect(shown(pass(board, [exited(0, 0, 7)], 7)).completionTime).toBeUndefined();
  });
});

describe('active, ready and terminating', () => {
  type Counts = readonly [active: number, ready: number, terminating: number];
  test.each<readonly [strip: string, wish: Wish, counts: Counts, because: string]>([
    ['c l r S .', { parallelism: 3 }, [3, 1, 0], 'Pods that are not ready yet are active'],
    ['b r . .', { parallelism: 2 }, [2, 1, 0], 'so is one between two tasks; it is not ready'],
    ['r r R D .', { parallelism: 4 }, [2, 2, 2], 'those that are being stopped are not'],
    ['r c R .', { phase: { kind: 'suspended', since: at(0) }, suspend: true }, [0, 0, 3], 'nor is any while suspended'],
    ['S S S', {}, [0, 0, 0], 'zeroes of ready and terminating are shown'],
  ])('%s %o → %o: %s', (strip, wish, [active, ready, terminating]) => {
    const status = shown(aBoard(strip, wish));
    expect({ active: status.active ?? 0, ready: status.ready, terminating: status.terminating }).toEqual({
      active,
      ready,
      terminating,
    });
  });

  test('a replaced task that is still stopping is terminating', () => {
    const board = aBoard('r .', { parallelism: 1, podReplacementPolicy: 'TerminatingOrFailed' });
    expect(shown(pass(board, [deleted(0)]))).toMatchObject({ terminating: 1, failed: 1 });
  });

  test('a claim that is canceled while the Job fails counts as failed; one of a suspended Job does not', () => {
    const failing = pass(aBoard('r c', { backoffLimit: 0 }), [exited(0, 1)]);
    expect(shown(pass(failing, [cancelled(1)]))).toMatchObject({ failed: 2, terminating: 0 });
    const suspended = pass(aBoard('r c', { suspend: true }));
    expect(shown(pass(suspended, [cancelled(1)])).failed).toBeUndefined();
  });
});

describe('completedIndexes and failedIndexes', () => {
  test.each<readonly [strip: string, wish: Wish, completed: string | undefined, failed: string | undefined]>([
    ['. . .', {}, undefined, undefined],
    ['S . S S S', {}, '0,2-4', undefined],
    ['S S . S', {}, '0,1,3', undefined],
    ['. . .', perIndex, undefined, ''],
    ['S F F .', perIndex, '0', '1,2'],
    ['F F F S F', { ...perIndex, completions: 4 }, '3', '0-2'],
    ['S S', { completionMode: 'NonIndexed' }, undefined, undefined],
  ])('%s %o → completed %s, failed %s', (strip, wish, completed, failed) => {
    const { completedIndexes, failedIndexes } = shown(aBoard(strip, wish));
    expect({ completedIndexes, failedIndexes }).toEqual({ completedIndexes: completed, failedIndexes: failed });
  });
});
