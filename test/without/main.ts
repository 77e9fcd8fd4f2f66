import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { importedFiles } from './imported-files.ts';
import { partings } from './partings.ts';
import { withoutLines } from './without-lines.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.muster', 'without');
const CAPABILITIES = 'shared/capabilities';
const LISTS = `${CAPABILITIES}/lists`;
/** Lists of what capabilities give to tests. */
const TEST_LISTS = [
  'test/dst/plays.ts',
  'test/dst/parts/world-parts.ts',
  'test/dst/parts/list-keepers.ts',
  'test/planted/all-faults.ts',
];
const TESTS = /^(test\/|shared\/capabilities\/[^/]+\/test\/)/;
const TITLE = /^\s*test\((['"])(.+?)\1, /gm;

const program = new Command('npm run test:without --')
  .description(
    `Shows that everything else passes without a capability (a folder of shared/capabilities, and its lines in the lists there and in
those of plays, parts of worlds, keepers of lists, and planted faults), in copies of the sources: types, layers, and the bundle
without each one; the tests of everything else once, without all of them; and the tests of the capabilities, without those that are left out beside them. A test goes with the
capability that it imports.`,
  )
  .argument('[names...]', 'capabilities; default: all')
  .addHelpText(
    'after',
    `
Examples:
  npm run test:without
  npm run test:without -- simulate

Exit codes: 0 all passes    1 something does not    2 invalid command line`,
  )
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse();

/** A copy of the sources without capabilities; returns the tests that go with them, because they import one. */
function copyWithout(names: readonly string[], copy: string): readonly string[] {
  rmSync(copy, { recursive: true, force: true });
  const sources = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(ROOT, path)));
  const belongs = (path: string): boolean => names.some((name) => path.startsWith(`${CAPABILITIES}/${name}/`));
  const left = sources.filter((path) => !belongs(path));
  for (const path of left) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path));
  }
  const lists = readdirSync(join(copy, LISTS), { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('.ts'),
  );
  for (const list of [...lists.map((each) => join(LISTS, each)), ...TEST_LISTS]) {
    const path = join(copy, list);
    writeFileSync(path, names.reduce(withoutLines, readFileSync(path, 'utf8')));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const gone = sources.filter(belongs);
  for (let more = true; more; ) {
    const lost = left.filter((path) => TESTS.test(path) && existsSync(join(copy, path)) && importsNothing(copy, path));
    for (const path of lost) rmSync(join(copy, path));
    gone.push(...lost);
    more = lost.length > 0;
  }
  pagesWithout(gone, copy, left);
  return gone.filter((path) => path.endsWith('.test.ts'));
}

/** The pages lose the lines that name a file that is gone, or the title of a test in one. */
function pagesWithout(gone: readonly string[], copy: string, left: readonly string[]): void {
  const titles = gone
    .filter((path) => path.endsWith('.test.ts'))
    .flatMap((path) =>
      [...readFileSync(join(ROOT, path), 'utf8').matchAll(TITLE)].map(([, , title]) => `\`${title}\``),
    );
  for (const page of left.filter((path) => path.endsWith('.md')).map((path) => join(copy, path))) {
    const lines = readFileSync(page, 'utf8').split('\n');
    writeFileSync(page, lines.filter((line) => ![...gone, ...titles].some((name) => line.includes(name))).join('\n'));
  }
}

/** It imports a file that is not there. */
const importsNothing = (copy: string, path: string): boolean =>
  path.endsWith('.ts') &&
  importsOf(join(copy, path)).some((file) => file.endsWith('.ts') && !existsSync(join(copy, dirname(path), file)));

const READ = new Map<string, readonly string[]>();

/** Each text is read once, in however many copies it is. */
function importsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const files = READ.get(text) ?? importedFiles(text);
  READ.set(text, files);
  return files;
}

type Step = readonly [what: string, command: string, ...args: readonly string[]];
const TYPES: Step = ['types', 'node', 'node_modules/typescript-7/bin/tsc', '--incremental', 'false'];
const LAYERS: Step = ['layers', 'node_modules/.bin/depcruise', '.'];
const BUNDLE: Step = ['bundle', 'node', 'build.mjs'];
const VITEST = ['node_modules/.bin/vitest', 'run', '--project', 'unit', '--project', 'integration'] as const;
const tests = (...files: readonly string[]): Step => [
  'tests',
  ...VITEST,
  '--reporter=dot',
  '--passWithNoTests',
  ...files,
];

const known = readdirSync(join(ROOT, CAPABILITIES), { withFileTypes: true })
  .filter((each) => each.isDirectory() && each.name !== 'lists')
  .map((each) => each.name);
const unknown = program.args.filter((name) => !known.includes(name));
if (unknown.length > 0)
  program.error(`error: no capability is named ${unknown.join(', ')}; there are ${known.join(', ')}`);
let red = 0;

/** Takes the steps in a copy without `names`, and returns the tests that went with them. */
function pass(names: readonly string[], steps: (gone: readonly string[]) => readonly Step[]): readonly string[] {
  const copy = join(FOLDER, names.join('-'));
  const gone = copyWithout(names, copy);
  process.stdout.write(`without ${names.join(', ')}, and ${gone.length} files of tests:\n`);
  for (const [what, command, ...args] of steps(gone)) {
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 1024 ** 3,
      env: { ...process.env, NO_COLOR: '1' },
    });
    process.stdout.write(`  ${what} ${status === 0 ? 'pass' : 'FAIL'}\n`);
    if (status === 0) continue;
    red++;
    process.stdout.write(`${stdout}${stderr}\n`);
  }
  rmSync(copy, { recursive: true, force: true });
  return gone;
}

const chosen = program.args.length === 0 ? known : [...new Set(program.args)];
for (const name of chosen) pass([name], () => [TYPES, LAYERS, BUNDLE]);
const ofCapabilities = pass(chosen, () => [BUNDLE, tests()]);
for (const names of partings(chosen)) {
  pass(names, (gone) => {
    const theirs = ofCapabilities.filter((file) => !gone.includes(file));
    return theirs.length === 0 ? [] : [BUNDLE, tests(...theirs)];
  });
}
process.stdout.write(`${red} failed\n`);
process.exitCode = red === 0 ? 0 : 1;
