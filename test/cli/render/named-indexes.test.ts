import { describe, expect, test } from 'vitest';
import { type NamedIndexes, namedLines } from '../../../cli/render/named-indexes.ts';
import { paintLine, themeOf } from '../../../cli/render/theme.ts';
import { textWidth } from '../../../shared/domain/base/text-width.ts';

const SHAPES = themeOf(false, true);
const of = (state: NamedIndexes['state'], items: readonly string[], from = 3, count = items.length): NamedIndexes => ({
  state,
  count,
  first: items.map((item, nth) => ({ index: from + nth, item })),
});
const drawn = (named: readonly NamedIndexes[], columns: number): readonly string[] =>
  namedLines(named, columns, SHAPES).map((line) => paintLine(line, columns, SHAPES));

describe('what runs and what has failed, with items', () => {
  test.each<[string, readonly NamedIndexes[], number, readonly string[]]>([
    ['nothing', [], 40, []],
    ['a Job without a list', [of('running', [], 3, 4)], 40, []],
    ['one', [of('running', ['my file.txt'])], 40, ['□ 3 my file.txt']],
    ['several', [of('running', ['a.txt', 'b.txt'])], 40, ['□ 3 a.txt   4 b.txt']],
    ['more than were listed', [of('failed', ['a.txt', 'b.txt'], 3, 9)], 40, ['× 3 a.txt   4 b.txt   +7']],
    ['a line a state', [of('running', ['a']), of('retrying', ['b'], 7)], 40, ['□ 3 a', '! 7 b']],
    [
      'as many as fit',
      [of('running', ['apple.txt', 'banana.txt', 'c.txt'])],
      34,
      ['□ 3 apple.txt   4 banana.txt   +1'],
    ],
    ['no more than fit', [of('running', ['apple.txt', 'banana.txt', 'c.txt'])], 32, ['□ 3 apple.txt   +2']],
    [
      'all, with no place for a rest',
      [of('running', ['apple.txt', 'banana.txt'])],
      28,
      ['□ 3 apple.txt   4 banana.txt'],
    ],
    ['wide characters', [of('running', ['日本語', '韓国'])], 19, ['□ 3 日本語   4 韓国']],
    ['wide characters that do not fit', [of('running', ['日本語', '韓国'])], 18, ['□ 3 日本語   +1']],
    ['a long one', [of('running', ['x'.repeat(99)])], 20, [`□ 3 ${'x'.repeat(12)}…xxx`]],
  ])('%s', (_, named, columns, expected) => {
    expect(drawn(named, columns)).toEqual(expected);
    for (const line of drawn(named, columns)) expect(textWidth(line)).toBeLessThanOrEqual(columns);
  });
});
