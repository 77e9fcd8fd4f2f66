import { mkdirSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Caches compiled code for the next run, if Node supports it (22.1 and later). Uses a folder that is private to this
 * user, because code from another user would be run. If the folder cannot be created, there is no cache.
 */
export function keepCompiledCode(env: Readonly<Record<string, string | undefined>>): void {
  const { enableCompileCache } = module as typeof module & { readonly enableCompileCache?: (dir: string) => unknown };
  if (enableCompileCache === undefined) return;
  try {
    const dir = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'muster');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    enableCompileCache(dir);
  } catch {
    // without a cache, the program only starts slower
  }
}
