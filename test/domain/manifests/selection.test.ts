import { describe, expect, test } from 'vitest';
import { formatIndexSet, parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import type { SuccessRule } from '../../../shared/domain/manifests/success-rules.ts';
import {
  allIndexes,
  indexesToSucceed,
  neverMet,
  rerunOf,
  selectionOf,
} from '../../../shared/domain/manifests/selection.ts';

const set = (text: string) => parseStatusIndexes(text, Infinity);

describe('which of ten indexes never run', () => {
  test.each<[because: string, chosen: string | undefined, inherited: string | undefined, excluded: string]>([
    ['all run', undefined, undefined, ''],
    ['only the chosen ones run', '3,7-9', undefined, '0-2,4-6'],
    ['without a choice, nothing is excluded', undefined, '0-4', ''],
    ['what is neither chosen nor inherited is excluded', '3,7-9', '0,1', '2,4-6'],
    ['everything is one of the two', '3,7-9', '0-2,4-6', ''],
    ['all are chosen', '0-9', undefined, ''],
  ])('%s: chosen %s, inherited %s', (_, chosen, inherited, excluded) => {
    const selection = selectionOf(10, chosen, inherited);
    expect(formatIndexSet(selection.excluded)).toBe(excluded);
    expect(formatIndexSet(selection.inherited)).toBe(inherited ?? '');
  });

  test('what a larger Job has inherited stays inherited, and a Job without indexes has no selection', () => {
    expect(formatIndexSet(selectionOf(3, undefined, '0-8').inherited)).toBe('0-8');
    expect(selectionOf(null, '1', '2')).toEqual({ inherited: { edges: [] }, excluded: { edges: [] } });
  });
});

describe('what a Job of ten indexes inherits', () => {
  test.each<[because: string, succeeded: string, chosen: string | null, inherited: string | null]>([
    ['what has failed runs again', '0-6,9', null, '0-6,9'],
    ['nothing had succeeded', '', null, ''],
    ['all had succeeded: nothing is left', '0-9', null, null],
    ['a chosen success runs again', '0-9', '3', '0-2,4-9'],
    ['a choice leaves out what had not succeeded', '0-6', '8', '0-6'],
  ])('%s', (_, succeeded, chosen, inherited) => {
    const rerun = rerunOf(10, set(succeeded), chosen === null ? null : set(chosen));
    expect(rerun.kind === 'ok' ? formatIndexSet(rerun.inherited) : null).toBe(inherited);
  });

  test('of no indexes, none is left', () => expect(rerunOf(0, set(''), null).kind).toBe('nothingToRun'));
});

describe('rules that can never be met', () => {
  const excluding = (excluded: string) => ({ inherited: set(''), excluded: set(excluded) });
  const rule = (indexes: string | null, count: number | null): SuccessRule => ({
    indexes: indexes === null ? null : set(indexes),
    count,
  });
  test.each<[because: string, excluded: string, rules: readonly SuccessRule[], never: number | null]>([
    ['no rule', '0-9', [], null],
    ['all of its indexes run', '5-9', [rule('0-4', null)], null],
    ['one of its indexes does not', '4-9', [rule('0-4', null)], 0],
    ['enough of its indexes do', '4-9', [rule('0-4', 4)], null],
    ['too few of its indexes do', '4-9', [rule('0-4', 5)], 0],
    ['enough of the Job do', '4-9', [rule(null, 4)], null],
    ['too few of the Job do', '4-9', [rule(null, 5)], 0],
    ['the second rule', '4-9', [rule('0', null), rule('9', null)], 1],
    ['an empty list never matches anyway', '4-9', [rule('', null)], null],
  ])('%s', (_, excluded, rules, never) => {
    expect(neverMet(rules, excluding(excluded), 10)).toBe(never);
  });
});

test.each<[chosen: string | undefined, completed: string | undefined, total: number]>([
  [undefined, undefined, 10],
  [undefined, '0-3', 10],
  ['3,7-9', undefined, 4],
  ['3,7-9', '3,7', 4],
  ['3,7-9', '0-2,3', 7],
])('of ten indexes, chosen %s and completed %s: %i have to succeed', (chosen, completed, total) => {
  expect(indexesToSucceed(10, chosen, completed)).toBe(total);
});

test('a Job of no completions has no indexes', () => expect(allIndexes(0)).toEqual({ edges: [] }));
