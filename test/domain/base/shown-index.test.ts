import { describe, expect, test } from 'vitest';
import { indexText, indexWithin, itemsText, shortItem } from '../../../shared/domain/base/shown-index.ts';
import { textWidth } from '../../../shared/domain/base/text-width.ts';

describe('an index with its item', () => {
  test.each<[string, string, string?]>([
    ['banana.txt', 'banana.txt'],
    ['0.1\tslow, safe', '0.1 slow, safe', 'two columns'],
    ['a.txt\nb.txt\nc.txt', 'a.txt +2', 'a batch'],
    [`${'x'.repeat(20)}banana`, `${'x'.repeat(12)}…xxxxxbanana`],
    ['x'.repeat(24), 'x'.repeat(24)],
    [`${'x'.repeat(40)}\ny`, `${'x'.repeat(10)}…${'x'.repeat(10)} +1`, 'a long one of a batch says how many follow'],
    ['日'.repeat(13), `${'日'.repeat(6)}…${'日'.repeat(5)}`, 'cut by columns, not by characters'],
    ['evil\u001B[2Jred', 'evil [2Jred', 'nothing controls the terminal'],
    ['a\u202Egpj.exe', 'agpj.exe', 'nothing turns the line around'],
    ['\r\u2028 x ', 'x'],
    ['', ''],
  ])('%j is shown as %j', (line, expected) => {
    expect(shortItem(line)).toBe(expected);
    expect(textWidth(shortItem(line))).toBeLessThanOrEqual(24);
  });

  test.each([
    [17, 'banana.txt', 'index 17 (banana.txt)', 'index 17: banana.txt'],
    [17, null, 'index 17', 'index 17'],
    [0, '', 'index 0', 'index 0'],
  ])('index %i, %j', (index, item, alone, within) => {
    expect(indexText(index, item)).toBe(alone);
    expect(indexWithin(index, item)).toBe(within);
  });

  test.each<[number, readonly (string | null)[], string]>([
    [1, ['a'], ': a'],
    [2, ['a', 'b'], ': a, b'],
    [4, ['a', 'b', 'c', 'd'], ': a, b, c, …'],
    [9, ['a', null], ': a, …'],
    [2, [null, null], ''],
    [2, [], ''],
  ])('%i indexes with %j: %j', (count, items, expected) => {
    expect(itemsText(count, items)).toBe(expected);
  });
});
