import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { subset } from 'semver';
import * as z from 'zod';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDERS = ['shared', 'functions', 'cdk', 'local', 'cli', 'test', 'ui', 'examples'];

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      inBundle: z.boolean().optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
      engines: z.object({ node: z.string().optional() }).optional(),
    }),
  ),
});

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

test('no folder holds more than 25 files', async () => {
  const counts = countBy((await sources()).map((path) => dirname(path)));
  expect([...counts].filter(([, count]) => count > 25)).toEqual([]);
});

test('no two files of shared have one name', async () => {
  const named = (await sources()).filter((path) => path.startsWith('shared/') && basename(path) !== 'index.ts');
  const counts = countBy(named.map((path) => basename(path)));
  expect([...counts].filter(([, count]) => count > 1)).toEqual([]);
});

test('the lock file names no place to download from', async () => {
  expect(Object.entries(await lockedPackages()).filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('the lock file has a checksum of each package, but of those that come inside another one', async () => {
  const unchecked = Object.entries(await lockedPackages()).filter(
    ([at, { integrity, inBundle = false }]) => at !== '' && !inBundle && integrity === undefined,
  );
  expect(unchecked.map(([at]) => at)).toEqual([]);
});

test('the lock file holds every package for another platform that it speaks of (npm ci refuses it otherwise)', async () => {
  const locked = await lockedPackages();
  const missing = Object.entries(locked).flatMap(([at, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {}).filter(
      (name) => locked[`node_modules/${name}`] === undefined && locked[`${at}/node_modules/${name}`] === undefined,
    ),
  );
  expect(missing).toEqual([]);
});

test('every package runs on the oldest Node 20 that we support (npm warns of EBADENGINE otherwise)', async () => {
  const locked = await lockedPackages();
  const ours = locked['']?.engines?.node ?? '*';
  const newerOnly = Object.entries(locked).filter(([, { engines }]) => !satisfiesNode20(ours, engines?.node ?? '*'));
  expect(newerOnly).toEqual([]);
});

/** Whether a package that asks for `engines` takes every Node 20 of `ours`. */
const satisfiesNode20 = (ours: string, engines: string): boolean => subset(`${ours} <21`, engines);

async function lockedPackages(): Promise<z.output<typeof Lock>['packages']> {
  return Lock.parse(JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'))).packages;
}

function countBy(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

async function sources(): Promise<readonly string[]> {
  const lists = await Promise.all(
    FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((path) => join(folder, path)),
    ),
  );
  return lists.flat().filter((path) => /\.[cm]?tsx?$/.test(path));
}
