import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, normalize, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...(await Promise.all(['docs', 'examples'].map(async (folder) => pagesIn(folder)))).flat(),
];

test.each(pages)('%s: every link leads to a file, and to a heading of it', (page) => {
  const lost = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].filter(
    ([, path = '', anchor]) => {
      const target = path === '' ? page : normalize(join(dirname(page), path));
      return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    },
  );
  expect(lost.map(([link]) => link)).toEqual([]);
});

test.each(pages)('%s: every source file that it names is there', (page) => {
  const named = textOf(page).matchAll(
    /`((?:shared|functions|local|cli|cdk|test|examples)\/[\w./-]+\.(?:ts|mjs|py|yaml|json|md))`/g,
  );
  expect([...named].map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

async function pagesIn(folder: string): Promise<readonly string[]> {
  const files = await readdir(join(ROOT, folder), { recursive: true });
  return files.filter((file) => file.endsWith('.md')).map((file) => join(folder, file));
}

/** GitHub's anchors of a page's headings: lower case, without punctuation, with dashes for spaces. */
function anchorsOf(page: string): readonly string[] {
  const prose = textOf(page).replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}
