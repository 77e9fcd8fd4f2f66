import { expect, test } from 'vitest';
import { Figures } from './figures.ts';
import { GUARANTEES } from './checks/law.ts';
import { PLAYS } from './plays.ts';
import { runSeed } from './seed-run.ts';

import { AS_IS, replayOf } from './variation.ts';

// A few, so that a mistake shows here already; `npm run dst` runs thousands. Seed 9 is a large one, 12 one of two Jobs.
const SEEDS = Array.from({ length: 24 }, (_, seed) => seed);
/** A large seed takes seconds; a machine that is busy otherwise must not turn it red. */

test.each(SEEDS)('seed %i keeps every guarantee', async (seed) => {
  const { broken } = await runSeed(seed);
  expect(broken, `again: ${replayOf(seed, AS_IS)}`).toEqual([]);
});

test('no play has the seeds of another one', () => {
  const wanted = Array.from({ length: 400 }, (_, seed) => PLAYS.filter(({ has }) => has(seed)).length);
  expect(Math.max(...wanted)).toBe(1);
});

test('a run of many seeds reports what none of them met', async () => {
  const figures = new Figures();
  const result = await runSeed(1);
  for (let seeds = 0; seeds < 199; seeds++) figures.add(result);
  expect(figures.missing()).toEqual([]);
  figures.add(result);
  const missing = figures.missing();
  expect(missing).toContain('G13');
  for (const name of result.faults.keys()) expect(missing).not.toContain(name);
  expect(figures.isGood).toBe(false);
  expect(GUARANTEES.filter((guarantee) => figures.seen(guarantee).times > 0)).toContain('G1');
});
