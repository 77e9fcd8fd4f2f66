import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const PAGE = join(import.meta.dirname, '../../docs/conformance.md');

/** Jobs: what Fargate has no means for. A case more would be a case that nobody has mended. */
const IMPOSSIBLE_MAX = 2;

type Row = { readonly name: string; readonly demands: string; readonly here: string; readonly isTested: boolean };

const rows = (heading: string): readonly Row[] =>
  (readFileSync(PAGE, 'utf8').split(`\n## ${heading}\n`)[1] ?? '')
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => {
      const [, name = '', , demands = '', here = ''] = line.split('|').map((cell) => cell.trim());
      return { name: name.replaceAll('`', ''), demands, here, isTested: name.startsWith('`') };
    });

const tested = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.test.ts') && file !== 'page.test.ts')
  .flatMap((file) => [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(/\btest\('(.+?)', /g)])
  .map(([, title = '']) => title);

test('each case that holds is a test, each test is a case, and every other one has its reason', () => {
  const all = [...rows('Jobs'), ...rows('CronJobs')];
  expect(all.filter(({ demands, here }) => demands === '' || here === '')).toEqual([]);
  expect(all.filter(({ isTested, here }) => isTested !== here.startsWith('holds'))).toEqual([]);
  expect(all.filter(({ isTested }) => isTested).map(({ name }) => name)).toEqual(expect.arrayContaining([...tested]));
  expect(all.filter(({ isTested, name }) => isTested && !tested.includes(name))).toEqual([]);
});

test('all cases of Jobs hold, but for those that Fargate has no means for', () => {
  const jobs = rows('Jobs');
  expect(jobs.length).toBeGreaterThan(25);
  const others = jobs.filter(({ isTested }) => !isTested);
  expect(others.length).toBeLessThanOrEqual(IMPOSSIBLE_MAX);
  expect(others.filter(({ here }) => !here.startsWith('not on Fargate: '))).toEqual([]);
});

test('all cases of CronJobs hold', () => {
  const cronJobs = rows('CronJobs');
  expect(cronJobs).toHaveLength(12);
  expect(cronJobs.filter(({ here }) => here !== 'holds')).toEqual([]);
});
