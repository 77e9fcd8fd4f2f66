import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LogFile } from '../../local/logs/log-stream.ts';

function aFile(content: string): LogFile {
  const folder = mkdtempSync(join(tmpdir(), 'muster-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stream');
  writeFileSync(path, content);
  return new LogFile(path);
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
    lines.unshift(...page.lines.map(({ text }) => text));
    to = page.start;
  }
  expect(pages).toBeGreaterThan(2);
  expect(lines).toEqual(all);
});

test('one that begins within the first line of what is read skips that one only', () => {
  const file = aFile(`${all.join('\n')}\n`);
  const { lines, start, end } = file.read({ to: 'end' }, 1_000_000, true);
  const kept = Math.floor((1024 * 1024) / 99);
  expect([lines.length, lines[0]?.text, lines.at(-1)?.text]).toEqual([kept, line(LINES - kept), line(LINES - 1)]);
  expect([start, end]).toEqual([(LINES - kept) * 99, LINES * 99]);
});

test('a line is no later than the moment when it was first seen, even where the clock of the file is ahead', () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'stream');
  writeFileSync(path, 'hello\n');
  utimesSync(path, 20_000, 20_000);
  const file = new LogFile(path, () => 9_000_000);
  expect(file.read({ from: 0 }, 1, true).lines.map(({ atMs }) => atMs)).toEqual([9_000_000]);
});
