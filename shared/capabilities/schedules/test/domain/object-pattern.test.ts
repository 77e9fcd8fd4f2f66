import { expect, test } from 'vitest';
import { matchesObject, parseObjectPattern } from '../../annotations/object-pattern.ts';

test.each<[string, string, boolean]>([
  ['uploads/a.csv', 'a.csv', true],
  ['uploads/a.csv', 'a.csv2', false],
  ['uploads/*', 'anything/at all', true],
  ['uploads/incoming/*', 'incoming/', true],
  ['uploads/incoming/*', 'outgoing/a', false],
  ['uploads/*.csv', 'a/b/c.csv', true],
  ['uploads/*.csv', 'a.csv.gz', false],
  ['uploads/in/*/*.csv', 'in/x/y.csv', true],
  ['uploads/in/*/*.csv', 'in/x.csv', false],
  ['uploads/in/*/*.csv', 'in/a/b/c.csv', true],
  ['uploads/ab*ba', 'aba', false], // an end is no part of the beginning
  ['uploads/ab*ba', 'abba', true],
  ['uploads/a*b*c', 'abc', true],
  ['uploads/a*b*c', 'acbc', true],
  ['uploads/a*b*c', 'acc', false],
  ['uploads/a*bc*c', 'abc', false],
  ['uploads/a.c', 'abc', false],
])('%s: %s is %s', (text, key, isMatch) => {
  expect(matchesObject(parseObjectPattern(text)!, { bucket: 'uploads', key })).toBe(isMatch);
  expect(matchesObject(parseObjectPattern(text)!, { bucket: 'downloads', key })).toBe(false);
});

test.each(['', 'uploads', 'uploads/', '/a', 'Up/a', 'a/b', `uploads/${'x'.repeat(1025)}`, 's3://uploads/a', '*/a'])(
  '%j is no pattern',
  (text) => {
    expect(parseObjectPattern(text)).toBeNull();
  },
);
