import { plusMs } from '../../../domain/base/time.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { namespacesWithQuotas } from './count-namespace.ts';
import { recount } from './room.ts';

/** All sweeps have 55 seconds in total. */
const SWEPT_MS = 10_000;

/** Where a minute is not enough for all namespaces, each minute begins with another. */
const MINUTE_MS = 60_000;

/**
 * Counts the namespaces that have quotas: what has ended, was suspended, or is deleted, is not used any more, and nor is what was
 * reserved for changes that never came. Every minute. Resolves to the number of namespaces counted.
 *
 * @param ms it begins with no further namespace after so long
 */
export async function sweepQuotas(deps: Deps, ms: number = SWEPT_MS): Promise<number> {
  const { clock } = deps;
  const until = plusMs(clock.now(), ms);
  const names = await namespacesWithQuotas(deps);
  const first = names.length === 0 ? 0 : Math.floor(clock.now() / MINUTE_MS) % names.length;
  let counted = 0;
  for (const namespace of [...names.slice(first), ...names.slice(0, first)]) {
    if (clock.now() >= until) break;
    await recount(namespace, deps);
    counted++;
  }
  return counted;
}
