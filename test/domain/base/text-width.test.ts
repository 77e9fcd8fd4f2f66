import { describe, expect, test } from 'vitest';
import { cutToWidth, padToWidth, sliceToWidth, textWidth } from '../../../shared/domain/base/text-width.ts';

describe('columns of a terminal', () => {
  test.each<[string, number, string?]>([
    ['', 0],
    ['my file.txt', 11],
    ['Köln', 4],
    ['Ko\u0308ln', 4, 'a letter with a mark of its own'],
    ['日本語.txt', 10],
    ['한국', 4],
    ['ＡＢ', 4],
    ['ｱｲ', 2, 'half-width kana'],
    ['🍌', 2],
    ['👩‍🚀', 2, 'several characters that are shown as one'],
    ['🇩🇪', 2],
    ['❤️', 2, 'a sign in the style of an emoji'],
    ['❤', 1],
    ['\u200B', 0],
    ['■□×·━…', 6],
    ['привет', 6],
    ['שלום', 4],
    ['\uD83C', 1, 'half a character'],
  ])('of %j: %i', (text, expected) => {
    expect(textWidth(text)).toBe(expected);
  });

  test.each([
    ['banana', 4, 'bana', 'ba…a'],
    ['banana', 5, 'banan', 'ba…na'],
    ['/data/scene-001/frame-000123.exr', 16, '/data/scene-001/', '/data/sc…123.exr'],
    ['banana', 6, 'banana', 'banana'],
    ['日本語', 5, '日本', '日…語'],
    ['日本語', 4, '日本', '日…'],
    ['🍌🍌', 3, '🍌', '…'],
    ['ä🍌🍌o\u0308', 5, 'ä🍌🍌', 'ä…o\u0308'],
    ['my file', 4, 'my f', 'my…e'],
    ['my file is  x', 7, 'my file', 'my…x'],
    ['banana', 1, 'b', '…'],
    ['banana', 0, '', ''],
    ['日本', -1, '', ''],
  ])('%j within %i is %j, or %j', (text, columns, sliced, cut) => {
    expect(sliceToWidth(text, columns)).toBe(sliced);
    expect(cutToWidth(text, columns)).toBe(cut);
    expect(textWidth(cut)).toBeLessThanOrEqual(Math.max(columns, 0));
  });

  test.each([
    ['a', 3, 'a  '],
    ['語', 3, '語 '],
    ['banana', 3, 'banana'],
  ])('%j in %i columns is %j', (text, columns, expected) => {
    expect(padToWidth(text, columns)).toBe(expected);
  });
});
