import { expect, test } from 'vitest';
import { LINES_MAX, linesWith, partsAround, withLines } from '../../ui/model/log-lines.ts';
import { cutLines, timedLine, visible } from '../../ui/model/stream-lines.ts';

test('a stream is cut into whole lines, however it comes', () => {
  const lines: string[] = [];
  let rest = '';
  for (const text of ['a', 'b\nc', '', '\n\nd', 'e']) {
    const cut = cutLines(rest, text);
    lines.push(...cut.lines);
    ({ rest } = cut);
  }
  expect([lines, rest]).toEqual([['ab', 'c', ''], 'de']);
});

test('a line has its time in front, unless it has none', () => {
  expect(timedLine('2026-11-28T10:00:00.123456789Z  two  blanks')).toEqual({
    at: '2026-11-28T10:00:00.123456789Z',
    text: ' two  blanks',
  });
  expect(timedLine('2026-11-28T10:00:00Z ')).toEqual({ at: '2026-11-28T10:00:00Z', text: '' });
  expect(timedLine('no time')).toEqual({ at: null, text: 'no time' });
});

test('nothing of a text steers anything', () => {
  expect(visible('\u001b[31mred\u001b[0m \u001b]0;title\u0007tab\tstays\u0000\u0007 \u202egnp.exe')).toBe(
    'red tab\tstays gnp.exe',
  );
});

test('of a log that is too long the last lines are kept', () => {
  const many = Array.from({ length: LINES_MAX }, (_, nth) => `line ${nth}`);
  const lines = withLines(withLines([], many), ['the last']);
  expect([lines.length, lines[0]?.text, lines.at(-1)?.text]).toEqual([LINES_MAX, 'line 1', 'the last']);
});

test('lines are found whatever the case, and nothing is found of nothing', () => {
  const lines = withLines([], ['An Error', 'fine', 'error: ERROR']);
  expect([linesWith(lines, 'error'), linesWith(lines, '')]).toEqual([[0, 2], []]);
});

test('every second part of a line is a hit', () => {
  expect(partsAround('error: ERROR!', 'error')).toEqual(['', 'error', ': ', 'ERROR', '!']);
  expect(partsAround('<b>', '')).toEqual(['<b>']);
});
