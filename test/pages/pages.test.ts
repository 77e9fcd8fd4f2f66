import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findKubectls, gapsOf } from '../kubectl/kubectls.ts';
import { type Block, blocksOf, isAsShown } from './blocks.ts';
import { PastedShell } from './paste.ts';
import { isVerifying } from '../verify/verifying.ts';

// Every block of every page is pasted whole into a shell, page by page, each in a fresh checkout.

const ROOT = resolve(import.meta.dirname, '../..');

/** Why a block that has this mark is not pasted. */
const NOT_RUN: Readonly<Record<string, string>> = {
  aws: 'it needs an AWS account, or a Muster that is deployed there',
  long: 'it takes minutes or hours: it is for who works on Muster, and `npm run verify` runs it',
  installs: 'it installs for the whole machine: test/e2e/bundles/installed.test.ts does it in a folder',
  sample: 'it shows a state that takes hours or bad luck to get into; the words are tested beside the command',
};
/** Runs until Ctrl-C: it is started in a terminal of its own, and the page goes on when it is ready. */
const STAYS = 'stays';
const READY = ' is ready';

/**
 * npm takes ten times as long to start as `muster` itself, which pages call two hundred times: these pages, which people see first,
 * show that `npx` finds it; in the others, it is called without npm.
 */
const WITH_NPM: readonly string[] = ['README.md', 'docs/run-locally.md'];

const BLOCK_MS = 600_000;
const CLOSE_MS = 60_000;

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((file) => `docs/${file}`),
  ...readdirSync(join(ROOT, 'examples')).map((folder) => `examples/${folder}/README.md`),
].filter((page) => page.endsWith('.md') && existsSync(join(ROOT, page)));
const blocks = pages.map((page) => ({ page, blocks: blocksOf(page, readFileSync(join(ROOT, page), 'utf8')) }));

const kubectl = findKubectls().at(-1);
if (kubectl === undefined && !isVerifying) console.warn(`SKIPPED: ${gapsOf([]).join('; ')}`);

test.runIf(isVerifying)('CI has a kubectl', () => {
  expect(kubectl).toBeDefined();
});

test('every mark of a block has a reason, and every reason a block', () => {
  const marks = blocks.flatMap((each) => each.blocks.flatMap(({ mark }) => mark ?? []));
  expect(new Set(marks)).toEqual(new Set([...Object.keys(NOT_RUN), STAYS]));
});

describe.runIf(kubectl !== undefined)('pasted', () => {
  test.concurrent.for(blocks.filter((each) => each.blocks.some(isRun)))('$page', async ({ page, blocks: ofPage }) => {
    const root = mkdtempSync(join(tmpdir(), 'muster-page-'));
    const { folder, env } = checkOut(root, dirname(kubectl!.path), WITH_NPM.includes(page));
    const shell = new PastedShell(folder, env);
    const others: PastedShell[] = [];
    try {
      const openOther = () => others[others.push(new PastedShell(folder, env)) - 1]!;
      for (const block of ofPage.filter(isRun)) expect(await faultOf(block, shell, openOther)).toBeNull();
    } finally {
      await shell.paste('npx muster stop', BLOCK_MS).catch(() => undefined);
      await Promise.all([shell, ...others].map((each) => each.close(CLOSE_MS)));
      rmSync(root, { recursive: true, force: true });
    }
  });
});

function isRun({ mark }: Block): boolean {
  return mark === null || mark === STAYS;
}

/** What is wrong with a block once it has been pasted; null: nothing. */
async function faultOf(block: Block, shell: PastedShell, open: () => PastedShell): Promise<string | null> {
  const at = `${block.page}:${block.line}`;
  for (const { text, shows } of block.commands) {
    if (block.mark === STAYS) {
      await open().start(text, READY, BLOCK_MS);
      continue;
    }
    const { printed, failed } = await shell.paste(text, BLOCK_MS);
    if (failed.length > 0) return `${at} fails (${failed.join('; ')}):\n${text}\nIt prints\n${printed}`;
    if (shows.length > 0 && !isAsShown(shows, printed))
      return `${at}: ${text}\nshows\n${shows.join('\n')}\nand prints\n${printed}`;
  }
  return null;
}

/** A checkout as `git clone` and `npm ci` make it, of the files as they are now. */
function checkOut(
  root: string,
  kubectlFolder: string,
  withNpm: boolean,
): { readonly folder: string; readonly env: Record<string, string> } {
  const folder = join(root, 'muster');
  const home = join(root, 'home');
  mkdirSync(home);
  const list = spawnSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  for (const file of list.stdout.split('\0').filter((each) => each !== '' && existsSync(join(ROOT, each)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const path = [kubectlFolder, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
  if (!withNpm) path.unshift(shortcutIn(root, folder));
  // npm says now and then that there is a newer npm.
  const quiet = { npm_config_update_notifier: 'false' };
  return { folder, env: { PATH: path.join(delimiter), HOME: home, LANG: 'C.UTF-8', TMPDIR: root, ...quiet } };
}

/** A folder with an `npx` that starts `muster` as npm's would, but at once, and nothing else. */
function shortcutIn(root: string, checkout: string): string {
  const folder = join(root, 'shortcut');
  mkdirSync(folder);
  const lines = [
    '#!/bin/sh',
    '[ "$1" = muster ] || { echo "there is no shortcut for $1" >&2; exit 1; }',
    'shift',
    `npm_lifecycle_event=npx exec "${join(checkout, 'dist/muster.mjs')}" "$@"`,
  ];
  writeFileSync(join(folder, 'npx'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return folder;
}
