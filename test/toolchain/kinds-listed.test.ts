import { readFile, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { STORED } from '../../shared/domain/kinds/api-kinds.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** So many kinds a file may name because it is about them: roles, bindings, and accounts are five. */
const NAMED_MAX = 5;

test('kinds are listed in the rows of the kernel and of capabilities, and nowhere else', async () => {
  const counts = await Promise.all(
    (await sources()).map(async (path) => [path, namedIn(await readFile(join(ROOT, path), 'utf8')).length] as const),
  );
  const lists = counts.filter(([, count]) => count > NAMED_MAX).map(([path]) => path);
  expect(lists).toEqual([]);
  // It sees them: the kernel's own are the namespace, accounts, and Services.
  expect(counts.find(([path]) => path === 'shared/domain/kinds/api-kinds.ts')?.[1]).toBe(3);
});

/** The kinds that a source names as a text, or as a key of an object, or whose plural it has as a text. */
const namedIn = (text: string): readonly string[] =>
  STORED.filter(({ kind, plural }) =>
    [`'${kind}'`, `'${plural}'`, `/${plural}\``, `\n  ${kind}: `].some((form) => text.includes(form)),
  ).map(({ name }) => name);

async function sources(): Promise<readonly string[]> {
  const folders = ['shared', 'functions', 'local', 'cli', 'cdk'];
  const files = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(ROOT, folder), { recursive: true })).map((path) => join(folder, path)),
    ),
  );
  return files.flat().filter((path) => path.endsWith('.ts') && !path.includes('/test/'));
}
