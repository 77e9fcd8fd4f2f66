import { readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';

/** Folders and files of tests that look at what lies in a folder of `shared`; nothing that starts an engine or a browser of processes. */
const BY_FOLDER: Readonly<Record<string, readonly string[]>> = {
  'shared/domain': [
    'test/domain',
    'shared/capabilities/plan/test',
    'test/control',
    'test/departures',
    'test/runtime',
    'test/schema',
    'shared/capabilities/simulate/test',
    'shared/capabilities/doctor/test',
    'test/dst/interleavings',
  ],
  'shared/control': [
    'test/control',
    'test/runtime',
    'shared/capabilities/simulate/test',
    'shared/capabilities/doctor/test',
    'test/dst/interleavings',
    'test/departures',
    'test/asks',
    'test/kube',
  ],
  'shared/store': ['test/store', 'test/control', 'test/dst/interleavings', 'test/kube'],
  'shared/kube': ['test/kube', 'test/capabilities', 'test/departures', 'test/runtime'],
  // Requests that are no objects: only the API reads them.
  'shared/schema/requests': ['test/schema', 'test/kube/muster', 'test/kube/pods', 'test/kube/write'],
  'shared/schema': ['test/schema', 'test/kube/jobs', 'test/kube/pods', 'shared/capabilities/plan/test', 'test/runtime'],
  'shared/adapters': ['test/adapters', 'test/contract', 'test/runtime', 'test/dst/interleavings'],
};

/** Slow, and about other things. */
const LEFT_OUT = /\/e2e\/|fuzz|bench|kubectl\.test|hosts-crash|determinism/;

/**
 * The tests that a change of `file` is shown to, in two rounds: those that import the file or bear its name, then all others of
 * {@link BY_FOLDER}, or of its capability. A last round are the simulation's own seeds, for what only they might see.
 */
export function testsFor(root: string, file: string): readonly (readonly string[])[] {
  const all = ['test', 'shared/capabilities']
    .flatMap((top) =>
      readdirSync(join(root, top), { recursive: true, encoding: 'utf8' }).map((path) => join(top, path)),
    )
    .filter((path) => path.endsWith('.test.ts') && !LEFT_OUT.test(path));
  const folder = Object.keys(BY_FOLDER).find((each) => file.startsWith(`${each}/`)) ?? '';
  const [capability] = /^shared\/capabilities\/[^/]+\//.exec(file) ?? [];
  const folders = capability === undefined ? (BY_FOLDER[folder] ?? []) : [`${capability}test/`];
  const own = folders.flatMap((start) => all.filter((path) => path.startsWith(start)));
  const name = basename(file, '.ts');
  const close = own.filter(
    (path) => basename(path).startsWith(`${name}.`) || imports(root, path, file) || basename(path).includes(name),
  );
  const rest = [...new Set(own)].filter((path) => !close.includes(path));
  const isSimulated = /^shared\/(domain|store|control)\//.test(file);
  return [[...new Set(close)], rest, isSimulated ? ['test/dst/seeds.test.ts'] : []].filter((round) => round.length > 0);
}

function imports(root: string, test: string, file: string): boolean {
  const path = relative(dirname(test), file);
  return readFileSync(join(root, test), 'utf8').includes(`'${path}'`);
}
