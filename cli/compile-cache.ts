import { mkdirSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps compiled code for the next run, where Node can (22.1 and later). In a folder of this user alone: code that another
 * user has put there would run. A folder that cannot be made means no cache.
 */
export function keepCompiledCode(env: Readonly<Record<string, string | undefined>>): void {
  const { enableCompileCache } = module as typeof module & { readonly enableCompileCache?: (dir: string) => unknown };
  if (enableCompileCache === undefined) return;
  try {
    const dir = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'muster');
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    enableCompileCache(dir);
  } catch {
    // slower, nothing else
  }
}
