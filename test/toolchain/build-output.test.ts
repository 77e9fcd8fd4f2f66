import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PlantedTree } from './planted-tree.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('a build leaves standard output to what is built: `npm run --silent bench -- --json` prints JSON only', async () => {
  const sources = ['build.mjs', 'bom.mjs', 'notices.mjs', 'LICENSE', 'README.md', 'ui/bundle.mjs', 'ui/index.html'];
  const copies = sources.map(async (path) => ({ path, text: await readFile(join(ROOT, path), 'utf8') }));
  const programs = ['cli/main.ts', 'demo/main.ts'].map((path) => ({ path, text: "console.log('{}');\n" }));
  const page = [
    { path: 'ui/main.tsx', text: "import './page.css';\n" },
    { path: 'ui/page.css', text: '' },
  ];
  const tree = await PlantedTree.with([...(await Promise.all(copies)), ...programs, ...page]);
  try {
    const built = await promisify(execFile)(process.execPath, ['build.mjs'], { cwd: tree.folder });
    expect(built).toMatchObject({ stdout: '', stderr: expect.stringContaining('dist/muster.mjs built') as string });
  } finally {
    await tree.remove();
  }
});
