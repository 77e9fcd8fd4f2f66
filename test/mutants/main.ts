import { execFile } from 'node:child_process';
import { cp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { Random } from '../dst/random.ts';
import { EQUIVALENT } from './equivalent.ts';
import { type Mutation, mutationsOf } from './mutations.ts';
import { testsFor } from './tests-for.ts';

const program = new Command('npm run test:mutants --')
  .description(
    'Makes small changes of behavior in the sources, one at a time in a copy, and runs the tests that matter.',
  )
  .option('--count <n>', 'changes to make', wholeNumber, 100)
  .option(
    '--seed <n>',
    'which ones; the same seed makes the same ones as long as the sources are the same',
    wholeNumber,
    1,
  )
  .option('--only <word>', 'of files whose path holds the word', '')
  .option('--target <n>', 'percent that must be seen', wholeNumber, 95)
  .option('--list', 'print the changes, and make none', false)
  .addHelpText(
    'after',
    `
Examples:
  nice npm run test:mutants -- --count 20
  npm run test:mutants -- --seed 7 --only shared/control

Exit codes: 0 enough changes turned a test red    1 fewer did    2 invalid command line`,
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();
const options = program.opts<{
  readonly count: number;
  readonly seed: number;
  readonly only: string;
  readonly target: number;
  readonly list: boolean;
}>();

const ROOT = resolve(import.meta.dirname, '../..');
/** Inside the repository, so that packages resolve; git and every tool ignore it. */
const FOLDER = join(ROOT, '.muster', 'mutants');
/** Out of ten changes so many are made there. */
const SHARES: Readonly<Record<string, number>> = {
  'shared/domain': 4,
  'shared/control': 2.5,
  'shared/capabilities': 1,
  'shared/store': 0.5,
  'shared/kube': 1,
  'shared/schema': 0.5,
  'shared/adapters': 0.5,
};
/** A change may well make the code spin. */
const TIMEOUT_MS = 300_000;
const TIMEOUT_UNCHANGED_MS = 1_800_000;

/** `late`: the tests did not end in their time; a change that makes them spin does that, and so does a busy machine. */
type Run = 'green' | 'red' | 'late';
type Outcome = { readonly mutation: Mutation; readonly how: 'seen' | 'not seen' | 'late'; readonly round: number };

const chosen = await choose(options.count, options.seed, options.only);
if (options.list) {
  for (const mutation of chosen) process.stdout.write(`${textOf(mutation)}\n`);
  process.exit(0);
}
const outcomes = await tryAll(chosen);
const [seen, late, unseen] = (['seen', 'late', 'not seen'] as const).map((how) =>
  outcomes.filter((outcome) => outcome.how === how),
);
for (const { mutation } of late ?? []) process.stdout.write(`TIMED OUT  ${textOf(mutation)}\n`);
for (const { mutation } of unseen ?? []) process.stdout.write(`NOT SEEN   ${textOf(mutation)}\n`);
const seenCount = seen?.length ?? 0;
const judged = seenCount + (unseen?.length ?? 0);
const share = judged === 0 ? 0 : (100 * seenCount) / judged;
process.stdout.write(
  `${outcomes.length} changes by seed ${options.seed}: ${seenCount} of ${judged} seen (${share.toFixed(1)} %), ${late?.length ?? 0} timed out\n`,
);
process.exitCode = judged > 0 && share >= options.target ? 0 : 1;

/** As many as are wanted, by luck, each folder its share; those that change nothing are left out. */
async function choose(count: number, seed: number, only: string): Promise<readonly Mutation[]> {
  const all: Mutation[] = [];
  for (const [folder, share] of Object.entries(SHARES)) {
    const random = new Random(seed, folder);
    const files = (await readdir(join(ROOT, folder), { recursive: true }))
      .map((path) => join(folder, path))
      .filter((path) => path.endsWith('.ts') && path.includes(only) && !isLeftAlone(path))
      .sort();
    const found: Mutation[] = [];
    for (const file of files) {
      const text = await readFile(join(ROOT, file), 'utf8');
      const lines = text.split('\n').map((line) => line.trim());
      found.push(...mutationsOf(file, text).filter((mutation) => !isEquivalent(mutation, lines)));
    }
    const wanted = only === '' ? Math.round((count * share) / 10) : count;
    for (let n = 0; n < wanted && found.length > 0; n++)
      all.push(...found.splice(random.between(0, found.length - 1), 1));
  }
  return all.slice(0, count);
}

/** Tables of facts, which a table of the same facts would test; what only tests run. */
function isLeftAlone(path: string): boolean {
  return /shared\/schema\/kinds\/|^shared\/capabilities\/[^/]+\/test\/|shared\/adapters\/memory\/|shared\/domain\/base\/time-zone/.test(
    path,
  );
}

function isEquivalent({ file, before, after, line }: Mutation, lines: readonly string[]): boolean {
  return EQUIVALENT.some(
    (each) => each.file === file && each.before === before && each.after === after && each.line === lines[line - 1],
  );
}

async function tryAll(mutations: readonly Mutation[]): Promise<readonly Outcome[]> {
  const waiting = [...mutations];
  const done: Outcome[] = [];
  await rm(FOLDER, { recursive: true, force: true });
  const worker = async (folder: string): Promise<void> => {
    await copyTo(folder);
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const startedMs = performance.now();
      const outcome = await tryOne(next, folder);
      done.push(outcome);
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(0).padStart(3);
      process.stderr.write(`${seconds} s  ${outcome.how.padEnd(8)}  round ${outcome.round}  ${textOf(next)}\n`);
    }
  };
  try {
    const unchanged = join(FOLDER, 'unchanged');
    await copyTo(unchanged);
    const tests = [...new Set(mutations.flatMap(({ file }) => testsFor(unchanged, file).flat()))];
    if ((await run(unchanged, tests, TIMEOUT_UNCHANGED_MS)) !== 'green')
      throw new Error('the tests are red, or too slow, though nothing is changed: that must be mended first');
    await Promise.all(Array.from({ length: availableParallelism() }, (_, nth) => worker(join(FOLDER, String(nth)))));
  } finally {
    await rm(FOLDER, { recursive: true, force: true });
  }
  return done;
}

/** All that tests read, but for what is installed and made. */
async function copyTo(folder: string): Promise<void> {
  const left = new Set(['.git', '.muster', 'node_modules', 'dist', 'cdk.out', '.debian', 'coverage']);
  for (const name of await readdir(ROOT))
    if (!left.has(name)) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

async function tryOne(mutation: Mutation, folder: string): Promise<Outcome> {
  const { file, from, to, after } = mutation;
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  await writeFile(path, `${text.slice(0, from)}${after}${text.slice(to)}`);
  try {
    const rounds = testsFor(folder, file);
    for (const [nth, tests] of rounds.entries()) {
      const ran = await run(folder, tests);
      if (ran !== 'green') return { mutation, how: ran === 'red' ? 'seen' : 'late', round: nth + 1 };
    }
    return { mutation, how: 'not seen', round: rounds.length };
  } finally {
    await writeFile(path, text);
  }
}

function run(folder: string, tests: readonly string[], timeout = TIMEOUT_MS): Promise<Run> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', folder, '--bail', '1', '--reporter', 'dot', '--maxWorkers', '1', ...tests];
  const options = { cwd: folder, timeout, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 } as const;
  return new Promise((answer) => {
    execFile(process.execPath, args, options, (error) =>
      answer(error === null ? 'green' : error.killed === true ? 'late' : 'red'),
    );
  });
}

function textOf({ file, line, before, after }: Mutation): string {
  const short = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 80);
  return `${file}:${line}  ${short(before)}  ->  ${after === ';' ? 'left out' : short(after)}`;
}

function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('a whole number is wanted');
}
