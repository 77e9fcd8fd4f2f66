import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { Agenda } from '../../shared/domain/base/agenda.ts';
import { Random } from './random.ts';
import { runSeed, tellSeed } from './seed-run.ts';
import { shrink } from './shrink.ts';
import { AS_IS, faultsNamed, replayOf } from './variation.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

test.each([1, 8, 12, 27])('seed %i goes the same way twice', async (seed) => {
  const [first, second] = [await runSeed(seed), await runSeed(seed)];
  expect(second).toEqual(first);
  expect(first.steps).toBeGreaterThan(100);
});

test('a seed goes the same way in another process, and where its story is written', async () => {
  const seed = 8;
  const { result, story } = await tellSeed(seed, AS_IS);
  expect(result).toEqual(await runSeed(seed));
  const args = ['--import', 'tsx', MAIN, '--seed', String(seed), '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 });
  const told = z
    .object({ steps: z.number(), tookMs: z.number(), story: z.array(z.string()) })
    .parse(JSON.parse(stdout));
  expect(told.steps).toBe(result.steps);
  expect(told.tookMs).toBe(result.tookMs);
  expect(told.story).toEqual(story.all());
});

test('what is left out of a seed does not strike', async () => {
  const without = faultsNamed('crash,event,message-doubled');
  expect(without).toContain('event stale');
  const { faults } = await runSeed(8, { ...AS_IS, without, skip: [0, 1, 2], completions: 2, faultsMs: 600_000 });
  expect(without.filter((fault) => faults.has(fault))).toEqual([]);
  expect(() => faultsNamed('hail')).toThrow('no fault is called hail');
  expect(replayOf(8, { ...AS_IS, without: ['crash before'], skip: [2], completions: 3, faultsMs: 60_000 })).toBe(
    'npm run dst -- --seed 8 --without crash-before --skip 2 --completions 3 --faults-sec 60',
  );
});

test('a run that breaks nothing is not shrunk', async () => {
  const result = await runSeed(1);
  expect(await shrink(result, AS_IS)).toEqual({ result, variation: AS_IS, runs: 0 });
});

test('an agenda gives what is due, soonest first, and first come first served', () => {
  const random = new Random(1);
  const agenda = new Agenda<number>();
  const moments = Array.from({ length: 500 }, () => random.between(0, 40));
  for (const [nth, moment] of moments.entries()) agenda.add(nth, asEpochMs(moment));
  const expected = [...moments.keys()].sort((a, b) => moments[a]! - moments[b]! || a - b);
  const due = expected.filter((nth) => moments[nth]! <= 20);
  expect(drain(agenda, 20)).toEqual(due);
  expect(agenda.soonest()).toBe(21);
  expect(drain(agenda, 40)).toEqual(expected.slice(due.length));
  expect(agenda.soonest()).toBeNull();
});

function drain(agenda: Agenda<number>, now: number): readonly number[] {
  const taken: number[] = [];
  for (let next = agenda.takeDue(asEpochMs(now)); next !== undefined; next = agenda.takeDue(asEpochMs(now)))
    taken.push(next);
  return taken;
}
