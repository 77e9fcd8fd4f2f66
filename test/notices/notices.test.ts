import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = path.join(import.meta.dirname, '../../notices.mjs');
const MIT = 'MIT License\n\nCopyright (c) Kim\n';
const APACHE = 'Apache License\nVersion 2.0\n';

type Tree = Readonly<Record<string, { readonly license: unknown; readonly files?: Readonly<Record<string, string>> }>>;

const TREE: Tree = {
  'node_modules/a': { license: 'MIT', files: { LICENSE: MIT } },
  'node_modules/a/node_modules/b': { license: 'ISC', files: { 'LICENSE.md': 'ISC, Lee\n' } },
  'node_modules/@s/c': { license: 'Apache-2.0', files: { 'license.txt': APACHE, NOTICE: 'C has parts of D.\n' } },
  'node_modules/e': { license: '(MIT OR GPL-3.0-only)', files: { LICENSE: MIT.replaceAll('\n', '\r\n') } },
};

/** What is made of a bundle that has a file of each package, and one of ours. */
function noticesOf(tree: Tree) {
  const root = mkdtempSync(path.join(tmpdir(), 'muster-notices-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [folder, { license, files = {} }] of Object.entries(tree)) {
    mkdirSync(path.join(root, folder), { recursive: true });
    const name = folder.replace(/^.*node_modules\//, '');
    writeFileSync(path.join(root, folder, 'package.json'), JSON.stringify({ name, version: '1.2.3', license }));
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(root, folder, file), text);
  }
  const inputs = Object.fromEntries(
    ['cli/main.ts', ...Object.keys(tree).map((folder) => `${folder}/lib/index.js`)].map((file) => [file, {}]),
  );
  writeFileSync(path.join(root, 'meta.json'), JSON.stringify({ inputs }));
  const { status, stderr } = spawnSync('node', [PROGRAM, 'meta.json', 'out.txt'], { cwd: root, encoding: 'utf8' });
  const out = path.join(root, 'out.txt');
  return { status, stderr, text: existsSync(out) ? readFileSync(out, 'utf8') : null };
}

test('each package has the texts that it comes with, equal ones once', () => {
  const { status, stderr, text } = noticesOf(TREE);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const parts = text?.split(/^-{80}\n/m).slice(1);
  expect(parts).toEqual([
    `@s/c 1.2.3 (Apache-2.0)\n\n${APACHE}\nC has parts of D.\n\n`,
    `a 1.2.3 (MIT)\ne 1.2.3 ((MIT OR GPL-3.0-only))\n\n${MIT}\n`,
    'b 1.2.3 (ISC)\n\nISC, Lee\n',
  ]);
});

test('a package whose text the repository keeps has that one, and its own notice', () => {
  const kept = { license: 'MIT', files: { NOTICE: 'Thanks.\n' } };
  const { text } = noticesOf({ 'node_modules/rfc6902': kept });
  expect(text).toMatch(
    /^rfc6902 1\.2\.3 \(MIT\)\n\nMIT License\n\nCopyright 2014-2021 Christopher Brown\n[^]*\nThanks\.\n$/m,
  );
});

test.each<[string, Tree, string]>([
  ['no text', { 'node_modules/a': { license: 'MIT' } }, 'a 1.2.3 (MIT): it comes without the text of its licence'],
  [
    'a notice alone',
    { 'node_modules/a': { license: 'Apache-2.0', files: { NOTICE: 'x' } } },
    'a 1.2.3 (Apache-2.0): it comes without the text',
  ],
  [
    'code of that name',
    { 'node_modules/a': { license: 'MIT', files: { 'license.js': 'x' } } },
    'a 1.2.3 (MIT): it comes without the text',
  ],
  [
    'copyleft',
    { 'node_modules/a': { license: 'GPL-3.0-only', files: { COPYING: 'GPL' } } },
    'its licence is not one of',
  ],
  ['both', { 'node_modules/a': { license: 'MIT AND GPL-2.0', files: { LICENSE: MIT } } }, 'its licence is not one of'],
  ['none', { 'node_modules/a': { license: undefined, files: { LICENSE: MIT } } }, 'a 1.2.3 (undefined): its licence'],
])('a package with %s is not bundled', (_, tree, expected) => {
  const { status, stderr, text } = noticesOf({ ...TREE, ...tree });
  expect(stderr).toContain(expected);
  expect({ status, text }).toEqual({ status: 1, text: null });
});
