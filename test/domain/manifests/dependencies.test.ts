import { expect, test } from 'vitest';
import {
  DEPENDENCIES_MAX,
  dependentCompletions,
  formatAfter,
  formatAfterIndexes,
  parseAfter,
  parseAfterIndexes,
} from '../../../shared/domain/manifests/annotations/dependencies.ts';

const LONGEST = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;

test.each<[string, readonly (readonly [string, string])[]]>([
  ['prepare', [['prepare', 'complete']]],
  ['prepare:complete', [['prepare', 'complete']]],
  ['prepare:failed', [['prepare', 'failed']]],
  [
    ' prepare ,fetch:finished, 0.a-b ',
    [
      ['prepare', 'complete'],
      ['fetch', 'finished'],
      ['0.a-b', 'complete'],
    ],
  ],
  [LONGEST, [[LONGEST, 'complete']]],
])('after %j: %j', (text, expected) => {
  const after = expected.map(([name, condition]) => ({ name, condition }));
  expect(parseAfter(text)).toEqual({ kind: 'ok', after });
});

test.each<[string, readonly (readonly [string, number])[]]>([
  ['map', [['map', 1]]],
  ['map/1', [['map', 1]]],
  [
    'map/2, weights',
    [
      ['map', 2],
      ['weights', 1],
    ],
  ],
  ['map/1000', [['map', 1_000]]],
])('after-indexes %j: %j', (text, expected) => {
  const afterIndexes = expected.map(([name, perIndex]) => ({ name, perIndex }));
  expect(parseAfterIndexes(text)).toEqual({ kind: 'ok', afterIndexes });
});

test.each([
  ['', 'has an empty entry'],
  ['a,,b', 'has an empty entry'],
  ['a,', 'has an empty entry'],
  ['a:', '"" is no condition of job "a": must be one of complete, failed, finished'],
  ['a:succeeded', '"succeeded" is no condition of job "a"'],
  ['a:Complete', '"Complete" is no condition'],
  ['a: failed', '" failed" is no condition'],
  ['a:failed:failed', '"failed:failed" is no condition'],
  [':failed', '"" is no name of a job'],
  ['A', '"A" is no name of a job: must be at most 253 lower case letters'],
  ['a b', '"a b" is no name'],
  ['-a', '"-a" is no name'],
  ['a.', '"a." is no name'],
  ['a..b', '"a..b" is no name'],
  ['other/a', '"other/a" is no name'],
  [`${LONGEST}e`, 'is no name'],
  ['a,b,a:failed', 'names job "a" twice'],
])('after %j: %s', (text, reason) => {
  const parsed = parseAfter(text);
  expect(parsed.kind === 'invalid' && parsed.reason).toContain(reason);
});

test.each([
  ['', 'has an empty entry'],
  ['a/', '"" is no number of indexes of job "a": must be a number from 1 to 1000, such as "a/2"'],
  ['a/0', '"0" is no number'],
  ['a/02', '"02" is no number'],
  ['a/1001', '"1001" is no number'],
  ['a/2/2', '"2/2" is no number'],
  ['a/two', '"two" is no number'],
  ['a:failed', '"a:failed" is no name'],
  ['/2', '"" is no name'],
  ['a,a/2', 'names job "a" twice'],
])('after-indexes %j: %s', (text, reason) => {
  const parsed = parseAfterIndexes(text);
  expect(parsed.kind === 'invalid' && parsed.reason).toContain(reason);
});

test('at most 32 Jobs are waited for', () => {
  const names = (count: number): string => Array.from({ length: count }, (_, index) => `job-${index}`).join(',');
  expect(DEPENDENCIES_MAX).toBe(32);
  for (const parse of [parseAfter, parseAfterIndexes]) {
    expect(parse(names(32))).toMatchObject({ kind: 'ok' });
    expect(parse(names(33))).toEqual({ kind: 'invalid', reason: 'names 33 jobs: must be at most 32' });
  }
});

test('what is written is what is read', () => {
  const after = [
    { name: 'prepare', condition: 'complete' },
    { name: 'fetch', condition: 'finished' },
  ] as const;
  expect(formatAfter(after)).toBe('prepare, fetch:finished');
  expect(parseAfter(formatAfter(after))).toEqual({ kind: 'ok', after });
  const afterIndexes = [
    { name: 'map', perIndex: 2 },
    { name: 'weights', perIndex: 1 },
  ];
  expect(formatAfterIndexes(afterIndexes)).toBe('map/2, weights');
  expect(parseAfterIndexes(formatAfterIndexes(afterIndexes))).toEqual({ kind: 'ok', afterIndexes });
});

test.each([
  [200, 2, 100],
  [25, 2, 13],
  [1, 2, 1],
  [7, 1, 7],
  [7, 1_000, 1],
])('%i completions, %i for each index: %i', (completions, perIndex, expected) => {
  expect(dependentCompletions(completions, perIndex)).toBe(expected);
});
