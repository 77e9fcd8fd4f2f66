import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pc from 'picocolors';
import { z } from 'zod';
import { CONTRACT_FAULTS } from './contract-faults.ts';
import { MACHINE_FAULTS } from './machine-faults.ts';
import type { Edit, PlantedFault } from './planted-fault.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Inside the repository, so that packages resolve; git and every tool ignore it. */
const FOLDER = join(ROOT, '.muster', 'planted');
const COPIED = [
  'shared',
  'test/simulation',
  'test/support',
  'test/planted/first-red.ts',
  'package.json',
  'tsconfig.json',
];
const SEEDS_MAX = 200;
/** A fault may well make the code spin. */
const TIMEOUT_MS = 240_000;
const AT_ONCE = 2;

const FirstRed = z.object({ seed: z.number(), broken: z.array(z.string()) });
type Found =
  | { readonly kind: 'red'; readonly seed: number; readonly broken: readonly string[] }
  | { readonly kind: 'green' }
  | { readonly kind: 'spoilt'; readonly why: string };

/** `tsx test/planted/main.ts [WORDS]`: each fault (those whose name holds WORDS) must turn a seed red; exit code 1 if one does not. */
const words = process.argv[2] ?? '';
const faults = [...MACHINE_FAULTS, ...CONTRACT_FAULTS].filter(({ name }) => name.includes(words));
const waiting = [...faults.entries()];
let missed = 0;

await rm(FOLDER, { recursive: true, force: true });
try {
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [nth, fault] = next;
      const startedMs = performance.now();
      const found = await plant(fault, join(FOLDER, String(nth)));
      const verdict = judge(fault, found);
      if (!verdict.caught) missed++;
      const mark = verdict.caught ? pc.green('red') : pc.red('NOT CAUGHT');
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(3);
      process.stdout.write(`${seconds} s  ${mark}  ${fault.name}: ${verdict.text}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
} finally {
  await rm(FOLDER, { recursive: true, force: true });
}
process.stdout.write(`${faults.length} faults planted, ${missed} not caught by ${SEEDS_MAX} seeds\n`);
process.exitCode = missed === 0 && faults.length > 0 ? 0 : 1;

async function plant({ edits }: PlantedFault, folder: string): Promise<Found> {
  for (const path of COPIED) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  for (const edit of edits) {
    const stale = await replaceOnce(folder, edit);
    if (stale !== null) return { kind: 'spoilt', why: stale };
  }
  const found = await firstRed(folder);
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
function firstRed(folder: string): Promise<Found> {
  const args = ['--import', 'tsx', 'test/planted/first-red.ts', String(SEEDS_MAX)];
  return new Promise((answer) => {
    execFile(process.execPath, args, { cwd: folder, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error !== null)
        return answer({ kind: 'spoilt', why: `the seeds did not run: ${stderr.slice(-400) || error.message}` });
      const { seed, broken } = FirstRed.parse(JSON.parse(stdout));
      answer(broken.length === 0 ? { kind: 'green' } : { kind: 'red', seed, broken });
    });
  });
}

function judge({ breaks }: PlantedFault, found: Found): { readonly caught: boolean; readonly text: string } {
  if (found.kind === 'green') return { caught: false, text: `${SEEDS_MAX} seeds stay green` };
  if (found.kind === 'spoilt') return { caught: false, text: found.why };
  const named = found.broken.filter((what) => breaks.some((guarantee) => what.startsWith(`${guarantee}:`)));
  const what = (named[0] ?? found.broken[0] ?? '').split('\n')[0] ?? '';
  const text = `seed ${found.seed}, ${what}`;
  return named.length > 0
    ? { caught: true, text }
    : { caught: false, text: `${text} (expected ${breaks.join(' or ')})` };
}
