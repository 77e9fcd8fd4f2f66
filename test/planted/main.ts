import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import pc from 'picocolors';
import * as z from 'zod';
import { ANNOUNCE_FAULTS } from './announce-faults.ts';
import { CONTRACT_FAULTS } from './contract-faults.ts';
import { CRON_FAULTS } from './cron-faults.ts';
import { MACHINE_FAULTS } from './machine-faults.ts';
import { LIST_FAULTS } from './list-faults.ts';
import { RERUN_FAULTS } from './rerun-faults.ts';
import { SUBMIT_FAULTS } from './submit-faults.ts';
import { WORLD_FAULTS } from './world-faults.ts';
import type { Edit, PlantedFault } from './planted-fault.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Inside the repository, so that packages resolve; git and every tool ignore it. */
const FOLDER = join(ROOT, '.muster', 'planted');
const COPIED = ['shared', 'test/dst', 'test/support', 'test/planted/first-red.ts', 'package.json', 'tsconfig.json'];
const SEEDS_MAX = 200;
/** A fault may well make the code spin. */
const TIMEOUT_MS = 240_000;
const AT_ONCE = availableParallelism();

const Sighting = z.object({ seed: z.number(), broken: z.string() });
const Seen = z.object({ first: Sighting.nullable(), other: Sighting.nullable(), red: z.number(), ran: z.number() });
type Seen = z.output<typeof Seen>;
type Found = ({ readonly kind: 'ran' } & Seen) | { readonly kind: 'spoilt'; readonly why: string };
type Row = { readonly fault: PlantedFault; readonly caught: boolean; readonly text: string };

/** `tsx test/planted/main.ts [WORDS]`: each fault (those whose name holds WORDS, or one of WORDS|WORDS) must turn a seed red; exit code 1 if one does not. */
const words = process.argv[2] ?? '';
const faults = [
  ...MACHINE_FAULTS,
  ...CONTRACT_FAULTS,
  ...WORLD_FAULTS,
  ...RERUN_FAULTS,
  ...LIST_FAULTS,
  ...CRON_FAULTS,
  ...ANNOUNCE_FAULTS,
  ...SUBMIT_FAULTS,
].filter(({ name }) => words.split('|').some((part) => name.includes(part)));
const waiting = [...faults.entries()];
const rows: Row[] = [];

await rm(FOLDER, { recursive: true, force: true });
try {
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [nth, fault] = next;
      const startedMs = performance.now();
      const found = await plant(fault, join(FOLDER, String(nth)));
      const row = rowOf(fault, found);
      rows.push(row);
      const mark = row.caught ? pc.green('red') : pc.red('NOT CAUGHT');
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
for (const { fault, caught, text } of rows)
  process.stdout.write(`${fault.name.padEnd(width)}  ${caught ? '' : 'NOT CAUGHT '}${text}\n`);
const missed = rows.filter(({ caught }) => !caught).length;
process.stdout.write(`${faults.length} faults planted, ${missed} not caught by ${SEEDS_MAX} seeds\n`);
process.exitCode = missed === 0 && faults.length > 0 ? 0 : 1;

async function plant({ edits, breaks }: PlantedFault, folder: string): Promise<Found> {
  for (const path of COPIED) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  for (const edit of edits) {
    const stale = await replaceOnce(folder, edit);
    if (stale !== null) return { kind: 'spoilt', why: stale };
  }
  const found = await firstRed(folder, breaks);
  await rm(folder, { recursive: true, force: true });
  return found;
}

/** null: done; else why the fault does not fit the code any more. */
async function replaceOnce(folder: string, { file, find, replace }: Edit): Promise<string | null> {
  const path = join(folder, file);
  const parts = (await readFile(path, 'utf8')).split(find);
  if (parts.length !== 2) return `stale: ${file} holds ${parts.length - 1} times: ${find}`;
  await writeFile(path, parts.join(replace));
  return null;
}

/** Runs seeds in a process of its own, for the planted code may spin or crash. */
function firstRed(folder: string, breaks: PlantedFault['breaks']): Promise<Found> {
  const args = ['--import', 'tsx', 'test/planted/first-red.ts', String(SEEDS_MAX), breaks.join(',')];
  return new Promise((answer) => {
    execFile(process.execPath, args, { cwd: folder, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error !== null)
        return answer({ kind: 'spoilt', why: `the seeds did not run: ${stderr.slice(-400) || error.message}` });
      answer({ kind: 'ran', ...Seen.parse(JSON.parse(stdout)) });
    });
  });
}

/** fault → guarantee → the first seed that saw it, and how many did. */
function rowOf(fault: PlantedFault, found: Found): Row {
  if (found.kind === 'spoilt') return { fault, caught: false, text: found.why };
  const { first, other, red, ran } = found;
  const share = `${red} of the first ${ran} seeds`;
  if (first !== null) {
    const [guarantee = '', ...words] = first.broken.split(': ');
    return {
      fault,
      caught: true,
      text: `${guarantee.padEnd(4)} seed ${String(first.seed).padEnd(4)} ${share}: ${words.join(': ')}`,
    };
  }
  const expected = `expected ${fault.breaks.join(' or ')}`;
  if (other === null) return { fault, caught: false, text: `${ran} seeds stay green, ${expected}` };
  return { fault, caught: false, text: `seed ${other.seed}, ${other.broken} (${share}; ${expected})` };
}
