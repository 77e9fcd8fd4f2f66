import type { Guarantee } from './checks/law.ts';
import { type SeedResult, runSeed } from './seed-run.ts';
import { STORM_MS } from './world/scenario-events.ts';
import type { Variation } from './variation.ts';
import type { Fault } from './world/fault-rates.ts';

export type Shrunk = { readonly variation: Variation; readonly result: SeedResult; readonly runs: number };

/** Steps of all tries together: some seconds. */
const STEPS_MAX = 600_000;
const RUNS_MAX = 150;

/**
 * Looks for a smaller run of a seed that breaks the same guarantee: without kinds of fault, without happenings, with fewer
 * indexes, with the weather clearing sooner. What is left out and still breaks stays left out.
 */
export async function shrink(first: SeedResult, given: Variation): Promise<Shrunk> {
  const guarantee = first.violations[0]?.guarantee;
  let best: Shrunk = { variation: given, result: first, runs: 0 };
  if (guarantee === undefined) return best;
  let runs = 0;
  let steps = 0;
  const tries = async (variation: Variation): Promise<boolean> => {
    if (runs >= RUNS_MAX || steps >= STEPS_MAX) return false;
    runs++;
    const result = await runSeed(first.seed, variation);
    steps += result.steps;
    if (!breaks(result, guarantee)) return false;
    best = { variation, result, runs };
    return true;
  };

  for (let round = 0; round < ROUNDS; round++) {
    const before = best;
    const { variation } = best;
    const sooner = [1 / 16, 1 / 4].map((share) => Math.ceil(((variation.faultsMs ?? STORM_MS) * share) / 1000) * 1000);
    for (const faultsMs of sooner) if (await tries({ ...best.variation, faultsMs })) break;
    await withoutFaults(() => best, tries);
    await withoutHappenings(() => best, tries);
    for (const completions of [1, 2, 4, 8])
      if (completions < (best.variation.completions ?? Infinity) && (await tries({ ...best.variation, completions })))
        break;
    for (const parallelism of [1, 2, 4])
      if (parallelism < (best.variation.parallelism ?? Infinity) && (await tries({ ...best.variation, parallelism })))
        break;
    if (best === before) break;
  }
  return { ...best, runs };
}

const ROUNDS = 3;

const breaks = ({ violations }: SeedResult, guarantee: Guarantee): boolean => violations[0]?.guarantee === guarantee;

type Tries = (variation: Variation) => Promise<boolean>;

/** All at once, then half of them, then one by one. */
async function withoutFaults(best: () => Shrunk, tries: Tries): Promise<void> {
  const struck: readonly Fault[] = [...best().result.faults.keys()];
  const leaveOut = async (faults: readonly Fault[]): Promise<boolean> => {
    const { variation } = best();
    const fresh = faults.filter((fault) => !variation.without.includes(fault));
    return fresh.length === 0 || tries({ ...variation, without: [...variation.without, ...fresh] });
  };
  await inPieces(struck, leaveOut);
}

async function withoutHappenings(best: () => Shrunk, tries: Tries): Promise<void> {
  const all = Array.from({ length: best().result.happenings }, (_, nth) => nth);
  const { skip } = best().variation;
  await inPieces(
    all.filter((nth) => !skip.includes(nth)),
    async (some) => tries({ ...best().variation, skip: [...best().variation.skip, ...some].sort((a, b) => a - b) }),
  );
}

/** Tries to leave all out; else each half, down to single ones. */
async function inPieces<T>(items: readonly T[], leaveOut: (some: readonly T[]) => Promise<boolean>): Promise<void> {
  if (items.length === 0 || (await leaveOut(items)) || items.length === 1) return;
  const half = Math.ceil(items.length / 2);
  await inPieces(items.slice(0, half), leaveOut);
  await inPieces(items.slice(half), leaveOut);
}
