import { expect, test } from 'vitest';
import { namedLines } from '../../../cli/render/named-indexes.ts';
import { themeOf } from '../../../cli/render/theme.ts';
import { wrapWords } from '../../../cli/follow/wrap-words.ts';

test('a verdict is broken between words, and a long word stays whole', () => {
  expect(wrapWords('job failed: 1 attempt failed', 13)).toBe('job failed: 1\nattempt\nfailed');
  expect(wrapWords('a job.batch/averylongname b', 10)).toBe('a\njob.batch/averylongname\nb');
  expect(wrapWords('it fits', 7)).toBe('it fits');
});

test('items that a wide terminal has room for are whole', () => {
  const item = 'data/Umsätze São Paulo Besançon 18.csv';
  const shown = (columns: number) =>
    namedLines([{ state: 'failed', count: 1, first: [{ index: 3, item }] }], columns, themeOf(false, true))
      .flat()
      .map(({ text }) => text)
      .join('');
  expect(shown(110)).toContain(item);
  expect(shown(60)).not.toContain(item);
  expect(shown(60)).toContain('…');
});
