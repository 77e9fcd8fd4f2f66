import { setTimeout as sleep } from 'node:timers/promises';
import { holderOf } from './data-folder.ts';
import { endProcess, isThere } from './process-identity.ts';

/** What became of the runtime, and its pid. */
export type Stopped =
  | { readonly kind: 'none' }
  | { readonly kind: 'stopped' | 'still-stopping' | 'not-ours'; readonly pid: number };

const LOOK_EVERY_MS = 50;

/**
 * Stops the runtime of a data folder as Ctrl-C does, and resolves when it and its engine are gone, or after `timeoutMs`.
 * An engine that a killed runtime has left is ended, too. It may be called at any time, and again.
 */
export async function stopRuntime(dataDir: string, timeoutMs: number): Promise<Stopped> {
  const holder = holderOf(dataDir);
  if (holder === null) return { kind: 'none' };
  const { pid } = holder;
  let { engine } = holder;
  const wasThere = isThere(holder);
  if (wasThere && !terminate(pid)) return { kind: 'not-ours', pid };
  for (let waitedMs = 0; isThere(holder); waitedMs += LOOK_EVERY_MS) {
    if (waitedMs >= timeoutMs) return { kind: 'still-stopping', pid };
    await sleep(LOOK_EVERY_MS);
    engine = holderOf(dataDir)?.engine ?? engine; // it may be replaced until the last moment
  }
  const hadEngine = engine !== undefined && isThere(engine);
  if (engine !== undefined) await endProcess(engine);
  return wasThere || hadEngine ? { kind: 'stopped', pid } : { kind: 'none' };
}

/** false: it is another user's. */
function terminate(pid: number): boolean {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EPERM') return false;
  }
  return true;
}
