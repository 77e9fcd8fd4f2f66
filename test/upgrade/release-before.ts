import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { BundledHandlers } from '../support/bundled-handlers.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
/** Names the commit of the release before this one. */
const MARKER = '.ci/release-before';

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', REPOSITORY, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** A working tree of the release before, which uses the packages of this one. */
export type ReleaseBefore = { readonly folder: string; readonly remove: () => void };

const COMMIT = readFileSync(join(REPOSITORY, MARKER), 'utf8').trim();

/** Whether this clone has its commit: one without its whole history may not. */
export const hasReleaseBefore = ((): boolean => {
  try {
    git('cat-file', '-e', `${COMMIT}^{commit}`);
    return true;
  } catch {
    return false;
  }
})();

/** Checks the release before out into a folder that does not exist yet. */
export function checkOutReleaseBefore(folder: string): ReleaseBefore {
  git('worktree', 'add', '--detach', '--force', folder, COMMIT);
  symlinkSync(realpathSync(join(REPOSITORY, 'node_modules')), join(folder, 'node_modules'));
  return { folder, remove: () => void git('worktree', 'remove', '--force', folder) };
}

const HANDLERS = ['api', 'reconcile', 'dispatch', 'sweep', 'submit'] as const;

/** Bundles the functions of a working tree into a folder, as ES modules. */
export async function bundleFunctions(tree: string, into: string): Promise<BundledHandlers> {
  mkdirSync(into, { recursive: true });
  const entries = Object.fromEntries(
    HANDLERS.map((name) => [name, join(tree, 'functions', name, 'handler.ts')] as const),
  );
  await build({
    entryPoints: entries,
    outdir: into,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'error',
  });
  const path = (name: string): string => join(into, `${name}.mjs`);
  return {
    api: path('api'),
    reconcile: path('reconcile'),
    dispatch: path('dispatch'),
    sweep: path('sweep'),
    submit: path('submit'),
  };
}

/** This working tree. */
export const THIS_RELEASE = REPOSITORY;
