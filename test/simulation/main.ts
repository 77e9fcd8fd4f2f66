import { runSeed } from './seed-run.ts';
import { SIGHTS } from './sights.ts';
import { FAULTS } from './weather.ts';

/** `tsx test/simulation/main.ts FROM TO`: runs seeds FROM..TO-1 and prints those that broke a guarantee; of a single one, everything. */
const [from = 0, to = 300] = process.argv.slice(2).map(Number);
const trace = to - from === 1 ? (line: string) => process.stdout.write(`${line}\n`) : undefined;
let broken = 0;
let steps = 0;
const seen = new Map<string, number>();
for (let seed = from; seed < to; seed++) {
  const result = await runSeed(seed, trace);
  steps += result.steps;
  if (result.broken.length > 0) broken++;
  for (const name of [...result.faults.keys(), ...result.sights.keys()]) seen.set(name, (seen.get(name) ?? 0) + 1);
  if (result.broken.length > 0 || process.env['VERBOSE'] === '1') {
    process.stdout.write(`${[seed, result.steps, result.verdict, ...result.broken.slice(0, 3)].join(' | ')}\n`);
  }
}
const names = [...FAULTS, ...SIGHTS].map((name) => `${name} ${seen.get(name) ?? 0}`);
process.stdout.write(`in how many seeds: ${names.join(', ')}\n`);
process.stdout.write(`${to - from} seeds, ${broken} broken, ${steps} steps\n`);
process.exitCode = broken === 0 ? 0 : 1;
