import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { PlantedTree } from './planted-tree.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['shared', 'functions', 'cdk', 'local', 'cli', 'dashboard', 'test', 'examples'];

/** How one would wave a rule off. Put together from halves, so that this file does not find itself. */
const WAVED_OFF = new RegExp(
  [
    ['oxlint-', 'disable'],
    ['eslint-', 'disable'],
    ['biome-', 'ignore'],
    ['@ts-', '(ignore|expect-error|nocheck)'],
  ]
    .map((halves) => halves.join(''))
    .join('|'),
);

test('no source file waves a rule off', async () => {
  const waved = [];
  for (const path of await sources()) {
    const lines = (await readFile(join(ROOT, path), 'utf8')).split('\n');
    waved.push(...lines.flatMap((line, at) => (WAVED_OFF.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])));
  }
  expect(waved).toEqual([]);
});

test('the lock file names no place to download from', async () => {
  const lock = await readFile(join(ROOT, 'package-lock.json'), 'utf8');
  expect(lock.split('\n').filter((line) => line.includes('"resolved"'))).toEqual([]);
});

test.each([
  ['biome', ['format', '.'], 'shared/domain/planted.ts', 'export const  a=1'],
  ['tsc', ['-p', '.', '--incremental', 'false'], 'shared/domain/planted.ts', "export const a: number = '1';\n"],
  ['knip', [], 'shared/domain/planted.ts', 'export const nobodyNeedsThis = 1;\n'],
])('%s goes red over one bad file and is green without it', async (tool, args, path, text) => {
  const good = [
    { path: 'build.mjs', text: '' },
    { path: 'cli/main.ts', text: "console.log('ok');\n" },
  ];
  const [clean, planted] = [await PlantedTree.with(good), await PlantedTree.with([...good, { path, text }])];
  try {
    // knip also names the packages that this small tree does not need: compare what is said about the file.
    expect((await clean.run(tool, ...args)).output).not.toContain(path);
    const ran = await planted.run(tool, ...args);
    expect(ran.output).toContain(path);
    expect(ran.exitCode).toBeGreaterThan(0);
  } finally {
    await Promise.all([clean.remove(), planted.remove()]);
  }
});

async function sources(): Promise<readonly string[]> {
  const lists = await Promise.all(
    FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((path) => join(folder, path)),
    ),
  );
  return lists.flat().filter((path) => /\.[cm]?tsx?$/.test(path));
}
