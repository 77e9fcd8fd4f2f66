import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { haveOwnFolder } from '../local/private-folder.ts';

type Enable = (dir: string) => unknown;
const { enableCompileCache } = module as typeof module & { readonly enableCompileCache?: Enable };

/**
 * Caches compiled code for the next run, if Node supports it (22.1 and later). Code from another user would be run, so the folder
 * must be this user's, and nobody else may write in it or swap it: with `sudo -E`, HOME is another user's. Else there is no cache,
 * and the program only starts slower.
 *
 * @param enable takes the folder
 */
export function keepCompiledCode(
  env: Readonly<Record<string, string | undefined>>,
  enable: Enable | undefined = enableCompileCache,
): void {
  if (enable === undefined) return;
  try {
    const dir = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'muster');
    if (haveOwnFolder(dir)) enable(dir);
  } catch {
    // the disk is full, or it is no place for a folder
  }
}
