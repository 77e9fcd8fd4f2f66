import { describe, expect, test } from 'vitest';
import { verdictText } from '../../../shared/domain/scoreboard/why.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import { chunksNeeded } from '../../../shared/domain/planner/chunks-needed.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { SuccessRule } from '../../../shared/domain/manifests/success-rules.ts';
import {
  type Situation,
  type Wish,
  aBoard,
  after,
  at,
  cancelled,
  ended,
  exited,
  launched,
  plan,
  stripOf,
} from '../../support/a-board.ts';
import { conditionsOf, shown } from '../../support/shown.ts';

// What a Job says about its success beyond batch/v1, in passes. S succeeded, r running, c claimed, l launched, . pending,
// b a Pod between two tasks, 1 pending after one failure, R asked to stop, x excluded, F failed for good.

const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));
const percent = (share: number): SuccessRule => ({
  indexes: null,
  count: null,
  own: { says: `muster.run/success-percent ${share / 1000}`, share },
});
const count = (many: number): SuccessRule => ({
  indexes: null,
  count: many,
  own: { says: `muster.run/success-count ${many}`, share: null },
});
const perIndex: Partial<JobSpec> = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 0 };
const ends = ({ status: { phase } }: Situation): string =>
  'verdict' in phase ? `${phase.kind} ${phase.verdict.reason}: ${phase.verdict.message}` : phase.kind;
const judged = (board: Situation, facts: readonly Fact[], sec = 0): readonly string[] =>
  plan(board, facts, sec).ended.map(({ index, judgement }) => `${index} ${verdictText(judgement)}`);

describe('a share of the completions is enough', () => {
  const SAYS = 'SuccessPolicy: Matched muster.run/success-percent';

  test.each<readonly [strip: string, share: number, end: string]>([
    ['SSSSSSSr..', 80_000, `finished ${SAYS} 80: 8 of 10 succeeded`],
    ['SSSSSSr...', 80_000, 'running'],
    ['SSr..', 50_000, `finished ${SAYS} 50: 3 of 5 succeeded`],
    ['Sr...', 50_000, 'running'],
    ['SSrxxxxxxx', 99_500, `finished ${SAYS} 99.5: 3 of 3 succeeded`],
    ['SSr.xxxxxx', 75_000, `finished ${SAYS} 75: 3 of 4 succeeded`],
    ['r...', 1, `finished ${SAYS} 0.001: 1 of 4 succeeded`],
  ])('%s, of which the running one succeeds, with %i thousandths of a per cent → %s', (strip, share, end) => {
    const board = aBoard(strip, { successPolicy: [percent(share)], parallelism: 1 });
    expect(ends(pass(board, [exited(strip.indexOf('r'), 0)]))).toBe(end);
  });

  test('of what it has after it was made smaller', () => {
    const board = aBoard('SSr.......', { successPolicy: [percent(60_000)], completions: 5, parallelism: 5 });
    expect(ends(pass(board, [exited(2, 0)]))).toContain('3 of 5 succeeded');
  });

  test('after the rules of the spec, which come first', () => {
    const first = { indexes: null, count: 1 };
    expect(ends(pass(aBoard('r.', { successPolicy: [first, percent(50_000)] }), [exited(0, 0)]))).toContain(
      'Matched rules at index 0',
    );
  });
});

describe('a number of successes is enough', () => {
  test('in a Job whose Pods have no indexes', () => {
    const board = aBoard('S r r .', { completionMode: 'NonIndexed', successPolicy: [count(2)] });
    expect(ends(pass(board, [exited(1, 0)]))).toBe(
      'draining SuccessPolicy: Matched muster.run/success-count 2: 2 of 4 succeeded',
    );
  });

  test('in a work queue, which need not become empty', () => {
    const queue = { completionMode: 'NonIndexed', completions: null, parallelism: 3 } as const;
    const board = pass(aBoard('r r r', { ...queue, successPolicy: [count(2)] }), [exited(0, 0)]);
    expect(ends(board)).toBe('running');
    expect(ends(pass(board, [exited(1, 0)]))).toBe(
      'draining SuccessPolicy: Matched muster.run/success-count 2: 2 succeeded',
    );
  });
});

describe('a share of the completions may fail', () => {
  const limited = (strip: string, share: number, more: Wish = {}): Situation =>
    aBoard(strip, { ...perIndex, parallelism: 1, maxFailedShare: share, ...more });
  const SAYS = 'MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes';

  test.each<readonly [strip: string, share: number, more: Wish, end: string]>([
    ['F r ..........', 10_000, {}, `${SAYS}: 2 of 12, and 10% may fail`],
    ['r ...........', 10_000, {}, 'running'],
    ['r .', 0, {}, `${SAYS}: 1 of 2, and 0% may fail`],
    ['F F r . . . . . . .', 29_900, {}, `${SAYS}: 3 of 10, and 29.9% may fail`],
    ['F F r . . . . . . .', 30_000, {}, 'running'],
    ['F r x x x x x x x .', 34_000, {}, `${SAYS}: 2 of 3, and 34% may fail`],
    ['F r . . . . . . . .', 30_000, { maxFailedIndexes: 1 }, SAYS],
    ['F r . . . . . . . .', 10_000, { maxFailedIndexes: 5 }, `${SAYS}: 2 of 10, and 10% may fail`],
  ])('%s, of which the running one fails, with %i thousandths and %o → %s', (strip, share, more, end) => {
    const index = strip.replaceAll(' ', '').indexOf('r');
    expect(ends(pass(limited(strip, share, more), [exited(index, 1)])).replace(/^(?:draining|finished) /, '')).toBe(
      end,
    );
  });
});

describe('reason and message of one’s own', () => {
  const rules = [
    { indexes: null, count: 2, reason: 'Half' },
    { ...percent(25_000), reason: 'Quarter' },
  ];

  test('are those of both conditions, the reason that of the rule that was met', () => {
    const board = aBoard('r r . .', { successPolicy: rules, successMessage: 'enough samples' });
    const quarter = pass(board, [exited(0, 0)]);
    expect(shown(quarter).conditions).toMatchObject([
      { type: 'SuccessCriteriaMet', reason: 'Quarter', message: 'enough samples' },
    ]);
    expect(shown(pass(quarter, [ended(1, 'Stopped')])).conditions).toMatchObject([
      { type: 'SuccessCriteriaMet', reason: 'Quarter' },
      { type: 'Complete', reason: 'Quarter', message: 'enough samples' },
    ]);
    const half = pass(board, [exited(0, 0), exited(1, 0)]);
    expect(shown(half).conditions).toMatchObject([{ reason: 'Half' }, { reason: 'Half' }]);
    expect(judged(quarter, [ended(1, 'Stopped')])).toEqual([
      '1 released: the Job succeeded: Quarter (enough samples; decided by index 0)',
    ]);
  });

  test('are not those of a Job that reaches its completions by itself', () => {
    const board = aBoard('S r', { successPolicy: null, successMessage: 'enough' });
    expect(shown(pass(board, [exited(1, 0)])).conditions).toMatchObject([
      { reason: 'CompletionsReached' },
      { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' },
    ]);
  });
});

const ONE: readonly SuccessRule[] = [{ indexes: null, count: 1 }];

describe('Continue: when the criteria are met, the Pods go on, and none is made', () => {
  const going = (strip: string, more: Wish = {}): Situation =>
    aBoard(strip, { successPolicy: ONE, whenAchieved: 'Continue', parallelism: 9, ...more });
  const met = (strip: string, more: Wish = {}): Situation => pass(going(strip, more), [exited(0, 0)]);

  test('the interim condition is set at once, and the terminal one when the last has ended', () => {
    const board = pass(going('r r c . .', { parallelism: 3 }), [exited(0, 0, 5)], 5);
    expect([ends(board), stripOf(board)]).toEqual(['running', 'S r c . .']);
    expect(shown(board)).toMatchObject({ active: 2, terminating: 0, conditions: [{ type: 'SuccessCriteriaMet' }] });
    expect(board.status.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([
      'SuccessCriteriaMet: Matched rules at index 0; its Pods go on',
    ]);
    const one = pass(board, [launched(2), exited(1, 0, 20)], 20);
    expect([ends(one), stripOf(one)]).toEqual(['running', 'S S l . .']);
    const last = pass(one, [exited(2, 3, 30)], 30);
    expect(ends(last)).toBe('finished SuccessPolicy: Matched rules at index 0');
    expect(last.status.phase).toMatchObject({ since: at(5), at: at(30) });
    expect(last.status.achieved).toBeNull();
    expect(conditionsOf(last)).toBe('SuccessCriteriaMet Complete');
  });

  test('nothing is made anew: not what failed, not what is lost, not what waited for a place', () => {
    const board = met('r r r .', { parallelism: 3 });
    const failed = pass(board, [exited(1, 1), ended(2, 'Spot')], 1);
    expect(ends(failed)).toBe('finished SuccessPolicy: Matched rules at index 0');
    expect(stripOf(failed)).not.toContain('c');
  });

  test('no chunk is read for what does not start', () => {
    const { job, status } = met('r r . .', { completionMode: 'NonIndexed', parallelism: 3 });
    const idle = { ...status, inFlight: [], journal: { nextSeq: 9, entries: [] } };
    const needed = (whenAchieved: JobSpec['whenAchieved']): readonly number[] =>
      chunksNeeded({ ...job, spec: { ...job.spec, whenAchieved } }, idle, [], at(0));
    expect([needed('Continue'), needed('ContinueWithRecreations')]).toEqual([[], [0]]);
  });

  test('a container that fails is not started again; a Pod that waits for its task gets it', () => {
    const board = met('r r b', { restartPolicy: 'OnFailure' });
    expect(judged(board, [exited(1, 1)])).toEqual(['1 failed: exit code 1']);
    expect(stripOf(pass(board, [], 10))).toBe('S r c');
  });

  test('no failure turns it: no limit, no policy, no end of all indexes', () => {
    const board = met('r r r', { ...perIndex, backoffLimit: 0, maxFailedIndexes: 0 });
    const failed = pass(board, [exited(1, 1)], 1);
    expect(ends(failed)).toBe('running');
    expect(ends(pass(failed, [exited(2, 1)], 2))).toBe('finished SuccessPolicy: Matched rules at index 0');
  });

  test('but failure comes first where both come at once', () => {
    const board = pass(going('r r r', { backoffLimit: 0 }), [exited(0, 0), exited(1, 1)]);
    expect(ends(board)).toContain('draining BackoffLimitExceeded');
    expect(board.status.achieved).toBeNull();
  });

  test('its deadline and its kill time stop what is left, and it is complete', () => {
    for (const late of [{ activeDeadlineSec: 60 }, { killAt: at(60) }]) {
      const board = met('r r', late);
      expect(ends(pass(board, [], 59))).toBe('running');
      const over = pass(board, [], 60);
      expect(ends(over)).toBe('draining SuccessPolicy: Matched rules at index 0');
      expect(over.status.phase).toMatchObject({ since: at(0) });
      expect(ends(pass(over, [ended(1, 'Stopped', 61)], 61))).toContain('finished SuccessPolicy');
    }
  });

  test('a suspend stops what is left, and then it is complete', () => {
    const board = met('r r .');
    const rests = { ...board, job: { ...board.job, spec: { ...board.job.spec, suspend: true } } };
    const suspended = pass(rests, [], 1);
    expect(conditionsOf(suspended)).toBe('Suspended SuccessCriteriaMet');
    expect(ends(pass(suspended, [ended(1, 'Stopped'), cancelled(2)], 2))).toContain('finished SuccessPolicy');
  });

  test('a wrong clock does not keep it from its end', () => {
    const future = pass(going('r r'), [exited(0, 0)], 5_000);
    const back = pass(future, [launched(1)], 10);
    expect(back.status.achieved?.since).toBe(at(10));
  });
});

describe('ContinueWithRecreations: when the criteria are met, everything goes on', () => {
  const met = (strip: string, more: Wish = {}): Situation =>
    pass(aBoard(strip, { successPolicy: ONE, whenAchieved: 'ContinueWithRecreations', parallelism: 2, ...more }), [
      exited(0, 0),
    ]);

  test('until all are done', () => {
    const board = met('r r .', perIndex);
    expect([ends(board), stripOf(board)]).toEqual(['running', 'S r c']);
    const failed = pass(board, [exited(1, 1)], 1);
    expect(ends(failed)).toBe('running');
    expect(ends(pass(failed, [launched(2), exited(2, 0)], 2))).toBe('finished SuccessPolicy: Matched rules at index 0');
  });

  test('what fails is tried again', () => {
    const board = met('r r .', { ...perIndex, backoffLimitPerIndex: 2 });
    expect(stripOf(pass(pass(board, [exited(1, 1)], 1), [], 30))).toBe('S c c');
  });

  test('what would have failed it stops what is left, and it is complete', () => {
    const board = met('r r r .', { parallelism: 3, backoffLimit: 0 });
    const failed = pass(board, [exited(1, 1)], 1);
    expect(ends(failed)).toBe('draining SuccessPolicy: Matched rules at index 0');
    expect(judged(failed, [ended(2, 'Stopped')])).toEqual([
      '2 released: the Job succeeded: SuccessPolicy (Matched rules at index 0; decided by index 0)',
    ]);
  });
});

test('Terminate is what Kubernetes does', () => {
  const board = pass(aBoard('r r', { successPolicy: ONE, whenAchieved: 'Terminate' }), [exited(0, 0)]);
  expect(ends(board)).toBe('draining SuccessPolicy: Matched rules at index 0');
});
