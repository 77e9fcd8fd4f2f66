import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import pc from 'picocolors';
import * as z from 'zod';
import { ALL_FAULTS } from './all-faults.ts';
import { bundlePlanted } from './bundle-planted.ts';
import type { PlantedFault } from './planted-fault.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Inside the repository, so that packages resolve; git and every tool ignore it. */
const FOLDER = join(ROOT, '.muster', 'planted');
/** By fault, the seed that turned red the last time that somebody ran them with `--record`: it is run first. */
const RECORD = join(ROOT, 'test', 'planted', 'last-red.json');
const SEEDS_MAX = 200;
/** A fault may well make the code spin. */
const TIMEOUT_MS = 900_000;
const AT_ONCE = availableParallelism();

const Sighting = z.object({ seed: z.number(), broken: z.string() });
const Seen = z.object({ first: Sighting.nullable(), other: Sighting.nullable(), red: z.number(), ran: z.number() });
type Seen = z.output<typeof Seen>;
type Found = ({ readonly kind: 'ran' } & Seen) | { readonly kind: 'spoilt'; readonly why: string };
type Row = { readonly fault: PlantedFault; readonly seed: number | null; readonly text: string };

const program = new Command('npm run test:planted --')
  .description(
    'Plants one fault at a time in a copy of the sources, and shows that a seed of the simulation turns red. Without WORDS, all faults.',
  )
  .argument('[words]', "those whose name holds these words, or one of 'words|words'", '')
  .option('--record', 'forget which seeds turned red before, and write down which do now', false)
  .addHelpText(
    'after',
    `
Examples:
  npm run test:planted
  npm run test:planted -- 'launch|name'
  npm run test:planted -- --record

Exit codes: 0 each fault was seen    1 one was not, or none has such a name    2 invalid command line`,
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const [words = ''] = program.args;
const { record: isRecorded } = program.opts<{ readonly record: boolean }>();
const LastRed = z.record(z.string(), z.number());
const lastRed = LastRed.parse(JSON.parse(await readFile(RECORD, 'utf8')));
const faults = ALL_FAULTS.filter(({ name }) => words.split('|').some((part) => name.includes(part)));
const waiting = [...faults.entries()];
const rows: Row[] = [];

await rm(FOLDER, { recursive: true, force: true });
try {
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [nth, fault] = next;
      const startedMs = performance.now();
      const found = await plant(fault, join(FOLDER, `${nth}.mjs`));
      const row = rowOf(fault, found);
      rows.push(row);
      const mark = row.seed !== null ? pc.green('red') : pc.red('NOT CAUGHT');
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(3);
      process.stderr.write(`${seconds} s  ${mark}  ${fault.name}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
} finally {
  await rm(FOLDER, { recursive: true, force: true });
}
rows.sort((a, b) => faults.indexOf(a.fault) - faults.indexOf(b.fault));
const width = Math.max(...faults.map(({ name }) => name.length));
for (const { fault, seed, text } of rows)
  process.stdout.write(`${fault.name.padEnd(width)}  ${seed !== null ? '' : 'NOT CAUGHT '}${text}\n`);
const missed = rows.filter(({ seed }) => seed === null).length;
if (isRecorded) await writeFile(RECORD, `${JSON.stringify(record(), null, 2)}\n`);
process.stdout.write(
  `${faults.length} faults planted, ${missed} not caught by ${SEEDS_MAX} seeds, or by those that are about it\n`,
);
process.exitCode = missed === 0 && faults.length > 0 ? 0 : 1;

/** What is known of faults that were not planted now, and what was seen of the others. */
function record(): z.output<typeof LastRed> {
  const seen = new Map(rows.map(({ fault, seed }) => [fault.name, seed]));
  const all = ALL_FAULTS.map(({ name }) => [name, seen.has(name) ? seen.get(name) : lastRed[name]] as const);
  return Object.fromEntries(all.flatMap(([name, seed]) => (typeof seed === 'number' ? [[name, seed]] : [])));
}

/** Bundles the seeds with the fault in them, and runs them. */
async function plant({ edits, ...fault }: PlantedFault, bundle: string): Promise<Found> {
  const why = await bundlePlanted(edits, join(ROOT, 'test/planted/first-red.ts'), bundle);
  if (why !== null) return { kind: 'spoilt', why };
  const found = await firstRed(bundle, fault);
  await rm(bundle, { force: true });
  return found;
}

/** Runs seeds in a process of its own, for the planted code may spin or crash. */
function firstRed(
  bundle: string,
  { name, breaks, about, shownBy = isRecorded ? undefined : lastRed[name] }: Omit<PlantedFault, 'edits'>,
): Promise<Found> {
  const args = [bundle, String(SEEDS_MAX), JSON.stringify({ breaks, about, shownBy })];
  return new Promise((answer) => {
    execFile(process.execPath, args, { timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error !== null)
        return answer({ kind: 'spoilt', why: `the seeds did not run: ${stderr.slice(-400) || error.message}` });
      answer({ kind: 'ran', ...Seen.parse(JSON.parse(stdout)) });
    });
  });
}

/** fault → guarantee → the first seed that saw it, and how many did. */
function rowOf(fault: PlantedFault, found: Found): Row {
  if (found.kind === 'spoilt') return { fault, seed: null, text: found.why };
  const { first, other, red, ran } = found;
  const share = `${red} of the first ${ran} that were run`;
  if (first !== null) {
    const [guarantee = '', ...words] = first.broken.split(': ');
    return {
      fault,
      seed: first.seed,
      text: `${guarantee.padEnd(4)} seed ${String(first.seed).padEnd(4)} ${share}: ${words.join(': ')}`,
    };
  }
  const expected = `expected ${fault.breaks.join(' or ')}`;
  if (other === null) return { fault, seed: null, text: `${ran} seeds stay green, ${expected}` };
  return { fault, seed: null, text: `seed ${other.seed}, ${other.broken} (${share}; ${expected})` };
}
