import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { spanOf } from '../../local/logs/line-times.ts';
import { LogFile, PIECE_BYTES_MAX, type PrintedLine } from '../../local/logs/log-stream.ts';

const textOf = ({ bytes }: PrintedLine): string => bytes.toString().replace(/\n$/, '');

function aFile(content: string): LogFile {
  const folder = mkdtempSync(join(tmpdir(), 'muster-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stream');
  writeFileSync(path, content);
  return new LogFile(path, `${path}.times`);
}

const line = (no: number): string => `line ${String(no).padStart(6, '0')} ${'x'.repeat(86)}`; // 98 and its end: 99 bytes
const LINES = 30_000;
const all = Array.from({ length: LINES }, (_, no) => line(no));

test('a tail of more than 1 MiB is whole lines, the last ones, and earlier pages go on where it began', () => {
  const file = aFile(`${all.join('\n')}\n`);
  const lines: string[] = [];
  let pages = 0;
  for (let to: number | 'end' = 'end'; to !== 0; pages++) {
    const page = file.read({ to }, 1_000_000, true);
    expect(page.lines.length).toBeGreaterThan(0);
    lines.unshift(...page.lines.map(textOf));
    to = page.start;
  }
  expect(pages).toBeGreaterThan(2);
  expect(lines).toEqual(all);
});

test('one that begins within the first line of what is read skips that one only', () => {
  const file = aFile(`${all.join('\n')}\n`);
  const { lines, start, end } = file.read({ to: 'end' }, 1_000_000, true);
  const kept = Math.floor((1024 * 1024) / 99);
  expect([lines.length, ...[lines[0], lines.at(-1)].map((each) => (each === undefined ? '' : textOf(each)))]).toEqual([
    kept,
    line(LINES - kept),
    line(LINES - 1),
  ]);
  expect([start, end]).toEqual([(LINES - kept) * 99, LINES * 99]);
});

test('a line is no later than the moment when it was first seen, even where the clock of the file is ahead', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stream');
  writeFileSync(path, 'hello\n');
  utimesSync(path, 20_000, 20_000);
  const file = new LogFile(path, `${path}.times`, () => 9_000_000);
  expect(file.read({ from: 0 }, 1, true).lines.map(({ atMs }) => atMs)).toEqual([9_000_000]);
});

function aGrowingFile() {
  const folder = mkdtempSync(join(tmpdir(), 'muster-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stream');
  const times = join(folder, 'times', 'stream');
  const open = (): LogFile => new LogFile(path, times);
  return {
    open,
    times,
    /** Prints at this moment, in seconds. */
    print(atSec: number, text: string): void {
      appendFileSync(path, text);
      utimesSync(path, atSec, atSec);
    },
    stamps: (file: LogFile): readonly string[] =>
      file
        .read({ from: 0 }, 1_000, true)
        .lines.map((each) => `${each.atMs}.${String(each.nanos).padStart(6, '0')} ${textOf(each)}`),
  };
}

test('lines have the time of the look that has found them, each its own, and keep it when the process starts again', () => {
  const log = aGrowingFile();
  const file = log.open();
  log.print(1_000, 'a\nbb\n');
  file.look();
  log.print(1_008, 'c\n');
  file.look();
  const expected = ['999999.999997 a', '1000000.000000 bb', '1008000.000000 c'];
  expect(log.stamps(file)).toEqual(expected);
  expect(log.stamps(log.open())).toEqual(expected);
  log.print(1_020, 'd\n');
  expect(log.stamps(log.open())).toEqual([...expected, '1020000.000000 d']);
  expect(log.stamps(file)).toEqual([...expected, '1020000.000000 d']);
});

test('without a look in between, what is printed has the time of the last of it', () => {
  const log = aGrowingFile();
  log.print(1_000, 'a\n');
  expect(log.stamps(log.open())).toEqual(['1000000.000000 a']);
  expect(existsSync(log.times)).toBe(false); // nobody looked while it was written
  log.print(1_008, 'b\n');
  expect(log.stamps(log.open())).toEqual(['1007999.999998 a', '1008000.000000 b']);
});

test('looks close to one another are one, and its lines come after those before', () => {
  const log = aGrowingFile();
  const file = log.open();
  log.print(1_000, 'a\n');
  file.look();
  log.print(1_000.5, 'b\n');
  file.look();
  const size = statSync(log.times).size;
  log.print(1_000.9, 'c\n');
  file.look();
  expect(statSync(log.times).size).toBe(size);
  expect(log.stamps(file)).toEqual(['1000000.000000 a', '1000000.000002 b', '1000000.000004 c']);
});

test('the longer a log is written, the rarer are its times: they stay few', () => {
  const log = aGrowingFile();
  const file = log.open();
  for (let sec = 1_000; sec < 1_000 + 86_400; sec += 20) {
    log.print(sec, 'x\n');
    file.look();
  }
  expect(statSync(log.times).size / 32).toBeLessThan(2_500);
  const stamps = log.stamps(file);
  expect(new Set(stamps).size).toBe(stamps.length);
});

test('what is printed faster than a byte a nanosecond has growing times, too', () => {
  expect(
    spanOf({ until: 4, anchor: 4, atMs: 1_000, nanos: 0 }, 1_000, 4_000_000_004, { atMs: 2_000, nanos: 0 }),
  ).toEqual({
    kind: 'next',
    span: { until: 4_000_000_004, anchor: 4_000_000_004, atMs: 5_000, nanos: 0 },
  });
});

test('torn times are those up to the tear', () => {
  const log = aGrowingFile();
  log.print(1_000, 'a\n');
  log.open().look();
  log.print(1_010, 'b\n');
  log.open().look();
  truncateSync(log.times, 40);
  expect(log.stamps(log.open())).toEqual(['1000000.000000 a', '1010000.000000 b']);
});

test.each([
  ['a fraction', [4, 4, 0.5, 0]],
  ['no number', [4, 4, Number.NaN, 0]],
  ['less than nothing', [4, 4, -1, 0]],
  ['more nanoseconds than a millisecond has', [4, 4, 1_005_000, 1_000_000]],
  ['an offset that is none', [4, 5, 1_005_000, 0]],
])('times that make no sense end those that count: %s', (_, span) => {
  const log = aGrowingFile();
  log.print(1_000, 'a\n');
  log.open().look();
  log.print(1_010, 'b\n');
  appendFileSync(log.times, new Uint8Array(Float64Array.from(span).buffer));
  expect(log.stamps(log.open())).toEqual(['1000000.000000 a', '1010000.000000 b']);
});

const LONG = 'é'.repeat(1_000_000);

test.each([
  ['blank lines, line ends of Windows, and no last line end', 'a\n\n  b\nc\r\n\n\nd'],
  ['a long line between others', `x\n${LONG}\ny\n`],
  ['a long line alone', LONG],
])('%s: what is read is what was printed, in either direction', (_, content) => {
  const file = aFile(content);
  const forwards: PrintedLine[] = [];
  for (let from = 0; ; ) {
    const page = file.read({ from }, 7, true);
    forwards.push(...page.lines);
    if (page.end === from) break;
    from = page.end;
  }
  expect(Buffer.concat(forwards.map(({ bytes }) => bytes)).toString()).toBe(content);
  expect(forwards.every(({ bytes }) => bytes.length <= PIECE_BYTES_MAX)).toBe(true);
  expect(forwards.filter(({ continues }) => !continues)).toHaveLength(content.split(/(?<=\n)/).length);
  const backwards: PrintedLine[] = [];
  for (let to: number | 'end' = 'end'; to !== 0; ) {
    const page = file.read({ to }, 3, true);
    backwards.unshift(...page.lines);
    to = page.start;
  }
  expect(Buffer.concat(backwards.map(({ bytes }) => bytes)).toString()).toBe(content);
  expect(backwards.filter(({ continues }) => !continues)).toHaveLength(content.split(/(?<=\n)/).length);
});
