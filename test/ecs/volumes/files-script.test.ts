import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contentsOf, writeContents } from '../../../local/ecs/driver/file-writer.ts';
import { type PlannedFolder, folderPlanOf, planOf } from '../../../shared/adapters/aws/ecs/file-plan.ts';
import { filesScript } from '../../../shared/adapters/aws/ecs/files-script.ts';
import { type TaskFile, fileVariable } from '../../../shared/domain/task/task.ts';
import { aDisk, fill } from '../../support/a-disk.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'muster-script-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Every shell with its own programs: those of busybox are of the image that runs on Fargate. */
const SHELLS = [['sh'], ['dash'], ['bash', '--norc'], ['busybox', 'sh']].filter(
  ([program = '', ...rest]) => spawnSync(program, [...rest, '-c', 'exit 7'], { stdio: 'ignore' }).status === 7,
);

type Variables = Readonly<Record<string, string>>;

const variablesOf = (files: readonly TaskFile[], more: Variables = {}): Variables => {
  const { plan, known } = planOf(files);
  return { MUSTER_FILES: plan, ...Object.fromEntries(known.map(({ name, value }) => [name, value])), ...more };
};

const foldersIn = (folders: readonly PlannedFolder[]): Variables =>
  folders.length === 0 ? {} : { MUSTER_FOLDERS: folderPlanOf(folders) };

function runScript([program = '', ...rest]: readonly string[], variables: Variables, dir: string) {
  const parts = { hasFolders: 'MUSTER_FOLDERS' in variables, hasFiles: 'MUSTER_FILES' in variables };
  const words = [...rest, '-c', filesScript(parts), 'muster-files', dir];
  const env = { PATH: process.env['PATH'] ?? '', ...variables };
  const { status, stderr, stdout } = spawnSync(program, words, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  return { status, said: stderr + stdout };
}

/** What the files of a folder are: by path, mode, group, and bytes, folders among them. */
const treeOf = (dir: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path): readonly [string, string] => {
        const stats = statSync(path);
        const mode = `${(stats.mode & 0o7777).toString(8)} ${stats.gid}`;
        return [relative(dir, path), stats.isDirectory() ? mode : `${mode} ${readFileSync(path).toString('base64')}`];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const AWKWARD = [
  'a b',
  ' lead',
  'trail ',
  'tab\tin',
  '-rf',
  '--',
  '$HOME',
  '$(touch x)',
  '`id`',
  'a\\b\\',
  "it's",
  '"quoted"',
  '*',
  '?[a]',
  '%s%n',
  'grün🙂',
  '…',
  '#',
  ';exit',
  '~',
  '!',
  '\r',
  '\u2028',
];
const NAME = fc.oneof(
  fc.constantFrom(...AWKWARD),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
    .filter((name) => !/[\n\0/]/.test(name) && !/^\.\.?$/.test(name)),
);
const PATH = fc.array(NAME, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const BYTES = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 100 }).map((text) => Buffer.from(text)),
  fc
    .constantFrom('', '\n', '\n\n', ' x ', '%s\\n', '-n', '\\c', '$x `id` "', 'long '.repeat(2_000))
    .map((text) => Buffer.from(text)),
);
/** Paths of which none is a folder of another. */
const FILES = fc
  .uniqueArray(
    fc.record({
      volume: fc.constantFrom('conf', 'key-s'),
      path: PATH,
      mode: fc.integer({ min: 0, max: 0o777 }),
      bytes: BYTES,
    }),
    {
      minLength: 1,
      maxLength: 6,
      selector: ({ volume, path }) => `${volume}/${path}`,
    },
  )
  .filter((files) => !files.some((a) => files.some((b) => a.volume === b.volume && b.path.startsWith(`${a.path}/`))))
  .map((files) =>
    files.map(
      ({ bytes, ...file }): TaskFile => ({
        ...file,
        content: { kind: 'known', base64: Buffer.from(bytes).toString('base64') },
      }),
    ),
  );

/** Root may give a folder to any group that a user namespace usually has, others to one of theirs. */
const GROUPS = process.getuid?.() === 0 ? [0, 2000, 60_000] : (process.getgroups?.() ?? []);

/** Which volumes belong to a group, one without files among them. */
const FOLDERS = fc.uniqueArray(
  fc.record({
    group: fc.constantFrom(...GROUPS),
    mode: fc.constantFrom(0o2755, 0o2777),
    volume: fc.constantFrom('conf', 'key-s', 'empty'),
  }),
  { maxLength: 3, selector: ({ volume }) => volume },
);
const VOLUMES = new Set(['conf', 'key-s', 'empty']);

describe.each(SHELLS)('%s', (...words) => {
  const shell = words.filter((word) => typeof word === 'string');

  test('writes what is written on this machine, byte for byte and group for group, whatever the names are', () => {
    let runs = 0;
    fc.assert(
      fc.property(FILES, FOLDERS, (files, folders) => {
        const [there, here] = [join(root, `script-${++runs}`), join(root, `native-${runs}`)];
        const variables = variablesOf(files, foldersIn(folders));
        expect(runScript(shell, variables, there)).toEqual({ status: 0, said: '' });
        const wanted = contentsOf(new Map(Object.entries(variables)), VOLUMES);
        expect(wanted.kind === 'contents' ? writeContents(wanted, here) : wanted).toEqual({ kind: 'written' });
        expect(treeOf(there)).toEqual(treeOf(here));
        // Once more: the same.
        expect(runScript(shell, variables, there)).toEqual({ status: 0, said: '' });
        expect(treeOf(there)).toEqual(treeOf(here));
      }),
      { numRuns: 40 },
    );
  });

  /** Of base64 it is no whole number of bytes: busybox skips what is no digit. */
  const SECRET = 'correct horses*';
  const BROKEN_OFF = gzipSync(SECRET.repeat(99)).subarray(0, 30).toString('base64');
  const file = (path: string): TaskFile => ({ volume: 'conf', path, mode: 0o644, content: { kind: 'late' } });

  test.each<[string, readonly TaskFile[], Variables]>([
    ['conf/x: its content is not set', [file('x')], {}],
    [
      'conf/x: its content cannot be written',
      [file('x')],
      { MUSTER_FILES: '0 base64 0644 conf/x', MUSTER_FILE_0: SECRET },
    ],
    [
      'conf/x: its content cannot be written',
      [file('x')],
      { MUSTER_FILES: '0 gzip 0644 conf/x', MUSTER_FILE_0: BROKEN_OFF },
    ],
    [
      'conf/x: its content cannot be written',
      [file('x')],
      { MUSTER_FILES: '0 hex 0644 conf/x', MUSTER_FILE_0: SECRET },
    ],
    ['conf/a: it is a folder', [file('a/b'), file('a')], { MUSTER_FILE_0: SECRET, MUSTER_FILE_1: SECRET }],
    ['conf/a/b: its folder cannot be made', [file('a'), file('a/b')], { MUSTER_FILE_0: SECRET, MUSTER_FILE_1: SECRET }],
  ])('ends with 1 and names it: %s', (what, files, more) => {
    const { status, said } = runScript(shell, variablesOf(files, more), root);
    expect(status).toBe(1);
    expect(said).toContain(`muster-files: cannot write ${what}\n`);
    expect(said).not.toContain('horse');
  });

  test('gives a folder without files to its group, and all that is made in it', () => {
    const [group = 0] = GROUPS.slice(-1);
    expect(runScript(shell, foldersIn([{ group, mode: 0o2777, volume: 'data' }]), root)).toEqual({
      status: 0,
      said: '',
    });
    mkdirSync(join(root, 'data/deep'));
    writeFileSync(join(root, 'data/deep/file'), '');
    expect(['data', 'data/deep', 'data/deep/file'].map((path) => statSync(join(root, path)).gid)).toEqual([
      group,
      group,
      group,
    ]);
    expect(statSync(join(root, 'data')).mode & 0o7777).toBe(0o2777);
  });

  test('ends with 1 where a folder cannot have its group, and writes nothing', () => {
    writeFileSync(join(root, 'data'), '');
    const folders = foldersIn([{ group: GROUPS[0] ?? 0, mode: 0o2777, volume: 'data' }]);
    const { status, said } = runScript(shell, variablesOf([file('x')], { ...folders, MUSTER_FILE_0: SECRET }), root);
    expect(status).toBe(1);
    expect(said).toContain('muster-files: cannot write data: its group cannot be set\n');
    expect(readdirSync(root)).toEqual(['data']);
  });

  test('ends with 1 where the disk is full', () => {
    const disk = aDisk(64);
    if (disk === null) return;
    expect(runScript(shell, variablesOf([file('before')], { MUSTER_FILE_0: 'x' }), disk.dir).status).toBe(0);
    fill(disk.dir);
    const content = 'y'.repeat(20_000);
    for (const [form, value] of Object.entries({ text: content, base64: Buffer.from(content).toString('base64') })) {
      const plan = `0 ${form} 0644 conf/before`;
      const { status, said } = runScript(shell, { MUSTER_FILES: plan, [fileVariable(0)]: value }, disk.dir);
      expect(status).toBe(1);
      expect(said).toContain('muster-files: cannot write conf/before: ');
      expect(said).not.toContain('yyy');
    }
  });
});

test('there are shells to try', () => {
  expect(SHELLS.length).toBeGreaterThan(0);
});
