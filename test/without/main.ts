import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withoutLines } from './without-lines.ts';

const HELP = `usage: npm run test:without -- [NAME...]

Leaves out one capability at a time (a folder of shared/capabilities, and its lines in the lists there), in a copy of the sources,
and shows that everything else still passes: types, layers, the bundle, and every test that does not import the capability.
Exit code 1 if something does not.

examples:
  npm run test:without
  npm run test:without -- simulate`;

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, '.muster', 'without');
const CAPABILITIES = 'shared/capabilities';
const TESTS = /^(test\/|shared\/capabilities\/[^/]+\/test\/)/;
const IMPORTED = /(?:from|import\()\s*'(\.[^']+)'/g;

const { values, positionals } = parseArgs({
  options: { help: { type: 'boolean', short: 'h', default: false } },
  allowPositionals: true,
});
if (values.help) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}

/** A copy of the sources without a capability; returns the tests that go with it, because they import it. */
function copyWithout(name: string, copy: string): readonly string[] {
  rmSync(copy, { recursive: true, force: true });
  const left = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && !path.startsWith(`${CAPABILITIES}/${name}/`) && existsSync(join(ROOT, path)));
  for (const path of left) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path));
  }
  for (const list of readdirSync(join(copy, CAPABILITIES)).filter((each) => each.endsWith('.ts'))) {
    const path = join(copy, CAPABILITIES, list);
    writeFileSync(path, withoutLines(readFileSync(path, 'utf8'), name));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  const gone: string[] = [];
  for (let more = true; more; ) {
    const lost = left.filter((path) => TESTS.test(path) && existsSync(join(copy, path)) && importsNothing(copy, path));
    for (const path of lost) rmSync(join(copy, path));
    gone.push(...lost);
    more = lost.length > 0;
  }
  return gone.filter((path) => path.endsWith('.test.ts'));
}

/** It imports a file that is not there. */
const importsNothing = (copy: string, path: string): boolean =>
  path.endsWith('.ts') &&
  [...readFileSync(join(copy, path), 'utf8').matchAll(IMPORTED)].some(
    ([, spec = '']) => spec.endsWith('.ts') && !existsSync(join(copy, dirname(path), spec)),
  );

const STEPS: readonly (readonly [what: string, command: string, ...args: readonly string[]])[] = [
  ['types', 'node', 'node_modules/typescript-7/bin/tsc', '--incremental', 'false'],
  ['layers', 'node_modules/.bin/depcruise', '.'],
  ['bundle', 'node', 'build.mjs'],
  ['tests', 'node_modules/.bin/vitest', 'run', '--project', 'unit', '--project', 'integration', '--reporter=dot'],
];

const known = readdirSync(join(ROOT, CAPABILITIES), { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .map((each) => each.name);
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no capability is named ${unknown.join(', ')}; there are ${known.join(', ')}\n`);
  process.exit(2);
}
let red = 0;
for (const name of positionals.length === 0 ? known : positionals) {
  const copy = join(FOLDER, name);
  const tests = copyWithout(name, copy);
  process.stdout.write(`without ${name}, and ${tests.length} files of tests:\n`);
  for (const [what, command, ...args] of STEPS) {
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
}
process.stdout.write(`${red} failed\n`);
process.exitCode = red === 0 ? 0 : 1;
