import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when `work` has ended, however it ends, or after `ms`. */
export async function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController();
  const ended = work
    .then(
      () => undefined,
      () => undefined,
    )
    .finally(() => over.abort());
  await Promise.race([ended, sleep(ms, undefined, { signal: over.signal }).catch(() => undefined)]);
}
