import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '../..');
/** Names the commit of the release before this one; before the first release, an earlier commit. */
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

/** This working tree. */
export const THIS_RELEASE = REPOSITORY;
