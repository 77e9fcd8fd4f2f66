import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundlePage } from '../../ui/bundle.mjs';

const SOURCES = resolve(import.meta.dirname, '../../ui');
const GZIP_MAX_BYTES = 200_000;
/** What is loaded before anything is seen: the frame of the page and its style. */
const FIRST_MAX_BYTES = 40_000;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'page-'));
  await bundlePage(folder);
});
afterAll(async () => rm(folder, { recursive: true }));

const assets = async (): Promise<readonly string[]> => readdir(join(folder, 'assets'));
const zipped = async (name: string): Promise<number> =>
  gzipSync(await readFile(join(folder, 'assets', name)), { level: 9 }).length;

test('the whole page is at most 200 KB, compressed', async () => {
  const sizes = await Promise.all((await assets()).map(zipped));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(GZIP_MAX_BYTES);
});

test('views are loaded when they are looked at', async () => {
  const names = await assets();
  for (const view of ['jobs', 'job', 'graph', 'schedules', 'doctor'])
    expect(names.filter((name) => new RegExp(`^${view}-[A-Z0-9]{8}\\.js$`).test(name))).toHaveLength(1);
  const main = names.filter((name) => name.startsWith('main-'));
  expect(main).toHaveLength(2);
  const first = await Promise.all(main.map(zipped));
  expect(first.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_MAX_BYTES);
});

test('the first file names what it loads by its hash, from its own server, and has no script or style in it', async () => {
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="(?!data:image)([^"]*)"/g)].map(([, path]) => path);
  const there = (await assets()).filter((name) => name.startsWith('main-'));
  expect(new Set(named)).toEqual(new Set(there.map((name) => `/ui/assets/${name}`)));
  expect(html).not.toMatch(/<style|<script(?![^>]* src=)|style=|\bon\w+=/);
});

test('no source makes HTML or code of a text', async () => {
  const files = (await readdir(SOURCES, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const made = [];
  for (const name of files) {
    const text = await readFile(join(SOURCES, name), 'utf8');
    if (
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/.test(text)
    )
      made.push(name);
  }
  expect([files.length > 40, made]).toEqual([true, []]);
});
