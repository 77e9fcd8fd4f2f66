import { runSeed } from '../simulation/seed-run.ts';

// Runs in a copy of the tree that has one fault planted: `tsx test/planted/first-red.ts SEEDS` prints, as JSON, the first
// seed below SEEDS that breaks a guarantee, and what it breaks.
const seeds = Number(process.argv[2]);
let seed = 0;
let broken: readonly string[] = [];
for (; seed < seeds && broken.length === 0; seed++) broken = (await runSeed(seed)).broken;
process.stdout.write(JSON.stringify({ seed: seed - 1, broken: broken.slice(0, 5).map((what) => what.slice(0, 300)) }));
