import { expect, test } from 'vitest';
import { asEpochMs } from '../../shared/domain/brand.ts';
import { Agenda } from '../../shared/rehearsal/agenda.ts';
import { Random } from './random.ts';
import { runSeed } from './seed-run.ts';

test.each([1, 8, 27, 29])('seed %i goes the same way twice', async (seed) => {
  const [first, second] = [await runSeed(seed), await runSeed(seed)];
  expect(second).toEqual(first);
  expect(first.steps).toBeGreaterThan(100);
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
