import type { PlantedFault } from './planted-fault.ts';
import { seedsFor } from './seeds-for.ts';
import { runSeed } from '../dst/seed-run.ts';

// Bundled with one fault planted: `node BUNDLE SEEDS FAULT` prints, as JSON, the first seed that breaks one of the guarantees of
// FAULT (JSON: what it breaks, and what it is about), and how many of the seeds do that.

/** So many seeds are run in any case, unless they take too long: a fault that one seed of many sees is seen by luck. */
const SEEDS_MIN = 40;
const ENOUGH_MS = 500;

const fault = JSON.parse(process.argv[3] ?? '') as Pick<PlantedFault, 'breaks' | 'about' | 'shownBy'>;
const seeds = seedsFor(fault, Number(process.argv[2]));
const startedMs = performance.now();
let first: { readonly seed: number; readonly broken: string } | null = null;
/** The first seed that breaks something else. */
let other: { readonly seed: number; readonly broken: string } | null = null;
let red = 0;
let ran = 0;
for (const seed of seeds) {
  if (first !== null && (ran >= SEEDS_MIN || performance.now() - startedMs > ENOUGH_MS)) break;
  ran++;
  const { broken } = await runSeed(seed);
  if (broken.length === 0) continue;
  red++;
  const named = broken.find((what) => fault.breaks.some((guarantee) => what.startsWith(`${guarantee}:`)));
  if (named !== undefined) first ??= { seed, broken: cut(named) };
  else other ??= { seed, broken: cut(broken[0] ?? '') };
}
process.stdout.write(JSON.stringify({ first, other, red, ran }));

function cut(what: string): string {
  return what.split('\n')[0]?.slice(0, 200) ?? '';
}
