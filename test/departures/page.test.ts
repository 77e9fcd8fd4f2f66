import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const TESTS = join(import.meta.dirname, '..');
const PAGE = join(TESTS, '../docs/departures.md');

/** Titles of the tests in these files, as they are written there. */
const titlesIn = (files: readonly string[]): readonly string[] =>
  files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^\s*test\((['"])(.+?)\1, /gm)].map(([, , title = '']) => title),
  );

const files = [TESTS, join(TESTS, '../shared/capabilities')].flatMap((top) =>
  readdirSync(top, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(top, file)),
);
const here = files.filter((file) => file.startsWith(import.meta.dirname) && !file.endsWith('page.test.ts'));

/** The cells of the page's table, row for row, without its head. */
const rows = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .slice(2);

test('each row of the page says all there is to say, and names a test of its own that is there', () => {
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((cells) => cells.length !== 6 || cells.includes(''))).toEqual([]);
  const named = rows.map((cells) => /^`(.+)`$/.exec(cells[5] ?? '')?.[1] ?? `no test: ${cells[0]}`);
  expect(named).toHaveLength(new Set(named).size);
  const there = titlesIn(files);
  expect(named.filter((title) => !there.includes(title))).toEqual([]);
  // The other way round: what is tested here as a departure is on the page.
  expect(titlesIn(here).filter((title) => !named.includes(title))).toEqual([]);
  expect(titlesIn(here).length).toBeGreaterThan(10);
});
