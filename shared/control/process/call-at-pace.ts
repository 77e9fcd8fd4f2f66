import type { EpochMs } from '../../domain/base/time.ts';
import { type Lessee, RIGHT_LIFE_MS } from '../../domain/base/pace.ts';
import type { LimitName } from '../../ports/limits.ts';
import type { Deps } from './deps.ts';

export type Paced = Partial<Lessee> & {
  readonly name: LimitName;
  /** null: no limit of ours; all calls are made at once. */
  readonly ratePerSec: number | null;
};

/**
 * Calls `call` for each item when the rate allows, for as many as it soon has room for; the others are returned without a call.
 * A caller that misses its moment leases another.
 */
export async function callAtPace<T>(
  items: readonly T[],
  { name, ratePerSec, namespace = null, ahead = 0 }: Paced,
  { pacer, clock }: Pick<Deps, 'pacer' | 'clock'>,
  call: (item: T) => Promise<void>,
): Promise<readonly T[]> {
  if (ratePerSec === null) {
    await Promise.all(items.map(call));
    return [];
  }
  let waiting = items;
  const left: T[] = [];
  for (let round = 0; round < ROUNDS_MAX && waiting.length > 0; round++) {
    const rights = await pacer.lease(name, waiting.length, ratePerSec, { namespace, ahead });
    left.push(...waiting.slice(rights.length));
    const missed: T[] = [];
    await Promise.all(
      waiting.slice(0, rights.length).map(async (item, i) => {
        const moment = rights[i] ?? clock.now();
        if (await isInTime(moment, clock)) await call(item);
        else missed.push(item);
      }),
    );
    waiting = missed;
  }
  return [...left, ...waiting];
}

/** A process that misses its moments this often in a row gives up; the message comes again. */
const ROUNDS_MAX = 3;

/** ECS has throttled a call that had a right. Without a limit of ours, there is no rate to cut. */
export async function slowDown({ name, ratePerSec }: Paced, { pacer }: Pick<Deps, 'pacer'>): Promise<void> {
  if (ratePerSec !== null) await pacer.throttled(name);
}

/** Waits for the moment; false: it has passed. */
async function isInTime(moment: EpochMs, clock: Deps['clock']): Promise<boolean> {
  for (let waitMs = moment - clock.now(); waitMs > 0; waitMs = moment - clock.now())
    await clock.sleep(Math.ceil(waitMs));
  return clock.now() <= moment + RIGHT_LIFE_MS;
}
