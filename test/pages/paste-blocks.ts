import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { type Block, isAsShown } from './blocks.ts';
import { PastedShell } from './paste.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The mark of a block that runs until Ctrl-C: it is started in a terminal of its own, and the page goes on when it is ready. */
export const STAYS = 'stays';
const READY = ' is ready';

const BLOCK_MS = 600_000;
const CLOSE_MS = 60_000;

/** What blocks find on their `PATH`. */
export type Programs = {
  readonly kubectl: string;
  /** Whether `npx` is npm's own, which takes ten times as long to start. */
  readonly withNpm: boolean;
  /** Folders that come before all others. */
  readonly folders?: readonly string[];
};

/** Pastes blocks whole into a shell, one after the other, in a fresh checkout. Returns what is wrong with the first that is; null: nothing. */
export async function faultOf(blocks: readonly Block[], programs: Programs): Promise<string | null> {
  const root = mkdtempSync(join(tmpdir(), 'muster-page-'));
  const { folder, env } = checkOut(root, programs);
  const shell = new PastedShell(folder, env);
  const others: PastedShell[] = [];
  try {
    const openOther = () => others[others.push(new PastedShell(folder, env)) - 1]!;
    for (const block of blocks) {
      const fault = await faultOfOne(block, shell, openOther);
      if (fault !== null) return fault;
    }
    return null;
  } finally {
    await shell.paste('npx muster stop', BLOCK_MS).catch(() => undefined);
    await Promise.all([shell, ...others].map((each) => each.close(CLOSE_MS)));
    rmSync(root, { recursive: true, force: true });
  }
}

async function faultOfOne(block: Block, shell: PastedShell, open: () => PastedShell): Promise<string | null> {
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
  { kubectl, withNpm, folders = [] }: Programs,
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
  const path = [...folders, dirname(kubectl), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
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
