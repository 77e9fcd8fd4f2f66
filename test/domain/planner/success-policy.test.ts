import { describe, expect, test } from 'vitest';
import { NO_INDEXES, parseIndexesStrict, parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import type { SuccessRule } from '../../../shared/domain/manifests/success-rules.ts';
import { countHit, metRule } from '../../../shared/domain/planner/success-policy.ts';
import { aBoard, after, exited, plan } from '../../support/a-board.ts';

// The first rule that is met (KEP-3998, kubernetes-job.md 1.3), for a Job with ten indexes.

const COMPLETIONS = 10;
/** `0-3`: all of these; `0-3#2`: two of these; `#2`: any two. */
function ruleOf(words: string): SuccessRule {
  const [list = '', count] = words.split('#');
  return {
    indexes: words.startsWith('#') ? null : parseStatusIndexes(list, COMPLETIONS),
    count: count === undefined ? null : Number(count),
  };
}

/** The rule that is met after these have succeeded, one after another. */
function met(rules: readonly SuccessRule[], succeeded: readonly number[]): number | null {
  const hits = succeeded.reduce<readonly number[]>((sums, index) => countHit(rules, sums, index), []);
  return metRule(rules, hits, { succeeded: succeeded.length, base: COMPLETIONS });
}

type Row = readonly [rules: readonly string[], succeeded: readonly number[], expected: number | null, because: string];
const table = (rows: readonly Row[]) =>
  test.each(rows)('%o after %o → %s: %s', (rules, succeeded, expected) => {
    expect(met(rules.map(ruleOf), succeeded)).toBe(expected);
  });

describe('a list alone: all of it', () => {
  table([
    [['0'], [0], 0, 'the one'],
    [['0'], [1], null, 'another'],
    [['0'], [], null, 'none yet'],
    [['0-2'], [0, 1, 2], 0, 'a stretch'],
    [['0-2'], [2, 0, 1], 0, 'in any order'],
    [['0-2'], [0, 2], null, 'one of it is missing'],
    [['0-2'], [0, 1, 3, 4], null, 'others do not make up for it'],
    [['0-2'], [9, 2, 0, 1], 0, 'others do no harm'],
    [['1,3,5-7'], [1, 3, 5, 6, 7], 0, 'of several parts'],
    [['1,3,5-7'], [1, 3, 5, 7], null, 'a gap within a stretch'],
    [['0-9'], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 0, 'all that there are'],
    [['8,9'], [8, 9], 0, 'the last ones'],
  ]);
});

describe('a count alone: that many of the Job', () => {
  table([
    [['#1'], [7], 0, 'any one'],
    [['#2'], [7], null, 'one too few'],
    [['#2'], [7, 1], 0, 'exactly'],
    [['#2'], [7, 1, 3], 0, 'more'],
    [['#10'], [0, 1, 2, 3, 4, 5, 6, 7, 8], null, 'all but one'],
    [['#0'], [], null, 'nothing is met while nothing has succeeded'],
    [['#0'], [3], 0, 'not even a count of 0'],
  ]);
});

describe('a list and a count: that many of the list', () => {
  table([
    [['0-3#2'], [0, 3], 0, 'two of it'],
    [['0-3#2'], [0], null, 'one of it'],
    [['0-3#2'], [0, 4, 5], null, 'others do not count'],
    [['0-3#2'], [4, 1, 5, 2], 0, 'nor do they harm'],
    [['0-3#4'], [0, 1, 2], null, 'all but one'],
    [['0-3#4'], [0, 1, 2, 3], 0, 'all'],
    [['2,5,8#1'], [8], 0, 'one of several parts'],
    [['0-3#0'], [9], 0, 'a count of 0 is met by any success'],
    [['0-3#0'], [], null, 'but not by none'],
  ]);
});

describe('several rules: the first that is met', () => {
  table([
    [['0', '1'], [1], 1, 'the second'],
    [['0', '1'], [1, 0], 0, 'the first, though the second was met before'],
    [['0', '#2'], [5, 6], 1, 'of different kinds'],
    [['0-1', '2-3#1', '#5'], [3], 1, 'each has its own hits'],
    [['0-4', '3-7'], [3, 4, 5, 6, 7], 1, 'lists that overlap'],
    [['0-4', '3-7'], [3, 4, 5], null, 'a success counts for both, and neither is met'],
    [[], [0, 1, 2], null, 'there is none'],
  ]);
});

describe('lists that cannot be met', () => {
  test('an empty list is never met', () => {
    expect(met([{ indexes: NO_INDEXES, count: null }], [0, 1, 2])).toBeNull();
    expect(met([{ indexes: NO_INDEXES, count: 0 }], [0, 1, 2])).toBeNull();
  });

  test('an unreadable text is refused on create', () => {
    expect(parseIndexesStrict('0-,3', COMPLETIONS).kind).toBe('invalid');
    expect(parseIndexesStrict('0-12', COMPLETIONS).kind).toBe('invalid');
  });
});

describe('in a pass', () => {
  const successPolicy = [ruleOf('0,2#1'), ruleOf('#3')];

  test('STATUS remembers the matches of earlier passes', () => {
    const board = aBoard('r r r r', { parallelism: 4, successPolicy: [ruleOf('0,1,2')] });
    const first = after(board, plan(board, [exited(0, 0), exited(2, 0)]));
    expect(first.status.ruleHits).toEqual([2]);
    expect(first.status.phase.kind).toBe('running');
    const second = after(first, plan(first, [exited(1, 0, 1)], 1));
    expect(second.status.phase).toMatchObject({ kind: 'draining', verdict: { reason: 'SuccessPolicy' } });
  });

  test('a repeated success counts once', () => {
    const board = aBoard('r r r r', { parallelism: 4, successPolicy: [ruleOf('#2')] });
    const once = after(board, plan(board, [exited(0, 0), exited(0, 0)]));
    const twice = after(once, plan(once, [exited(0, 0)], 1));
    expect(twice.status.phase.kind).toBe('running');
  });

  test('the verdict names the rule and the index that decided', () => {
    const board = aBoard('r S r S', { successPolicy });
    expect(plan(board, [exited(2, 0)]).status?.phase).toMatchObject({
      verdict: { message: 'Matched rules at index 0', decidedBy: 2 },
    });
    expect(
      plan(aBoard('r S r S r', { successPolicy: [ruleOf('4'), ruleOf('#3')] }), [exited(2, 0)]).status?.phase,
    ).toMatchObject({
      verdict: { message: 'Matched rules at index 1', decidedBy: 2 },
    });
  });

  test('running Pods are stopped and do not count', () => {
    const board = aBoard('r r r', { parallelism: 3, successPolicy: [ruleOf('0')] });
    const next = plan(board, [exited(0, 0)]);
    expect(next.actions.flatMap((action) => (action.kind === 'stop' ? action.attempts : []))).toHaveLength(2);
    expect(next.status?.failed).toBe(0);
  });
});
