import { describe, expect, test } from 'vitest';
import { runSeed } from './seed-run.ts';
import { SIGHTS, type Sight } from './sights.ts';
import { FAULTS, type Fault } from './weather.ts';

/** A large seed takes seconds; a machine that is busy otherwise must not turn it red. */
const TIMEOUT_MS = 180_000;
const STRIKES_MIN = 20;
const SEEDS_MIN = 2;
const replayed = process.env['SEED'];

/**
 * Seeds `from`..`to`-1, a test each: every guarantee holds at every step, and each Job comes to its end.
 * `SEED=137 npx vitest run test/simulation` replays one.
 */
export function describeSeeds(from: number, to: number): void {
  const seeds = Array.from({ length: to - from }, (_, nth) => from + nth);
  const chosen = replayed === undefined ? seeds : seeds.filter((seed) => seed === Number(replayed));
  const struck = new Map<Fault, number>();
  const seen = new Map<Sight, number>();

  describe.skipIf(chosen.length === 0)(`seeds ${from} to ${to - 1}`, () => {
    test.each(chosen)('seed %i keeps every guarantee', { timeout: TIMEOUT_MS }, async (seed) => {
      const { broken, faults, sights } = await runSeed(seed);
      for (const sight of sights.keys()) seen.set(sight, (seen.get(sight) ?? 0) + 1);
      for (const [fault, times] of faults) struck.set(fault, (struck.get(fault) ?? 0) + times);
      expect(broken, `replay: npx tsx test/simulation/main.ts ${seed} ${seed + 1}`).toEqual([]);
    });

    test.skipIf(replayed !== undefined)('every kind of fault has struck, more than once or twice', () => {
      expect(FAULTS.filter((fault) => (struck.get(fault) ?? 0) < STRIKES_MIN)).toEqual([]);
    });

    test.skipIf(replayed !== undefined)('every end of an attempt and of a Job was seen in more than one seed', () => {
      expect(SIGHTS.filter((sight) => (seen.get(sight) ?? 0) < SEEDS_MIN)).toEqual([]);
    });
  });
}
