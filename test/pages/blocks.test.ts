import { expect, test } from 'vitest';
import { blocksOf, isAsShown } from './blocks.ts';

test('blocks with their marks, and what a page shows', () => {
  const page = 'Text.\n\n```sh aws\nnpx a\n```\n```console\n$ b\nc\nd\n$ e\n```\n```yaml\nf: g\n```\n';
  expect(blocksOf('P', page)).toEqual([
    { page: 'P', line: 3, form: 'sh', mark: 'aws', commands: [{ text: 'npx a', shows: [] }] },
    {
      page: 'P',
      line: 6,
      form: 'console',
      mark: null,
      commands: [
        { text: 'b', shows: ['c', 'd'] },
        { text: 'e', shows: [] },
      ],
    },
  ]);
});

test.each([
  ['a command that is in no block', '    npx muster get\n'],
  ['a block that may be anything', '```\n$ a\n```\n'],
  ['a block without an end', '```sh\na\n'],
])('%s is refused', (_, page) => {
  expect(() => blocksOf('P', page)).toThrow(/^P:1: /);
});

test.each([
  ['the same', ['a  b'], 'a b\n', true],
  [
    'another time, name and address',
    ['sums-1-abcde 3m5s 1s http://127.0.0.1:1'],
    'sums-1-zzzzz 2s 14ms http://127.0.0.1:80',
    true,
  ],
  ['the rest of a line', ['a...'], 'abc', true],
  ['any lines', ['a', '...', 'd'], 'a\nb\nc\nd', true],
  ['another word', ['a b'], 'a c', false],
  ['a line more', ['a'], 'a\nb', false],
  ['a line less', ['a', 'b'], 'a', false],
  ['what a pattern would take', ['a.b*'], 'axbb', false],
])('%s', (_, shows, printed, expected) => {
  expect(isAsShown(shows, printed)).toBe(expected);
});
