import type { EpochMs } from '../../domain/base/time.ts';
import { type Lessee, cutBack, horizonMs, leaseFor } from '../../domain/base/pace.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LimitName, Limits } from '../../ports/limits.ts';
import { tryOnConflict } from '../../store/retry-on-conflict.ts';

/** Leases rights to call from the rows that all dispatchers share. One per process. */
export type Pacer = {
  /**
   * Up to `wanted` rights, as moments to wait for; fewer if the rate has none left for this lessee, none if other dispatchers
   * were faster each time. Requests made while a row is being written share the next write.
   */
  lease(name: LimitName, wanted: number, ratePerSec: number, lessee: Lessee): Promise<readonly EpochMs[]>;
  /** ECS has throttled a call although it had a right: less is granted for a while. */
  throttled(name: LimitName): Promise<void>;
};

type Ask = {
  readonly wanted: number;
  readonly ratePerSec: number;
  readonly lessee: Lessee;
  readonly done: (rights: readonly EpochMs[]) => void;
  readonly failed: (error: unknown) => void;
};

const TRIES_MAX = 10;

/** The pacer over `limits`; times are `clock`'s, which must agree with the other dispatchers' to a few milliseconds. */
export function createPacer(ports: { readonly limits: Limits; readonly clock: Clock }): Pacer {
  const waiting = new Map<LimitName, Ask[]>();
  const serve = async (name: LimitName): Promise<void> => {
    for (let asks = waiting.get(name) ?? []; asks.length > 0; asks = waiting.get(name) ?? []) {
      waiting.set(name, []);
      try {
        const leases = await leaseAll(name, asks, ports);
        for (const [i, { done }] of asks.entries()) done(leases[i] ?? []);
      } catch (error) {
        for (const { failed } of asks) failed(error);
      }
    }
    waiting.delete(name);
  };
  return {
    lease: (name, wanted, ratePerSec, lessee) =>
      new Promise((done, failed) => {
        const ask = { wanted, ratePerSec, lessee, done, failed };
        const others = waiting.get(name);
        if (others !== undefined) {
          others.push(ask);
          return;
        }
        waiting.set(name, [ask]);
        void serve(name);
      }),

    async throttled(name) {
      let row = await ports.limits.read(name);
      await tryOnConflict(TRIES_MAX, async () => {
        const state = cutBack(row.state, ports.clock.now());
        if (state === null) return 'done';
        const committed = await ports.limits.commit(name, row.version, state);
        if (committed.kind === 'committed') return 'done';
        row = committed.row;
        return 'conflict';
      });
    },
  };
}

/** One write of the row for all requests; those with the longest horizon come first. */
async function leaseAll(
  name: LimitName,
  asks: readonly Ask[],
  { limits, clock }: { readonly limits: Limits; readonly clock: Clock },
): Promise<readonly (readonly EpochMs[])[]> {
  let row = await limits.read(name);
  const leased = await tryOnConflict(TRIES_MAX, async () => {
    const now = clock.now();
    let { state } = row;
    const leases: (readonly EpochMs[])[] = asks.map(() => []);
    const order = [...asks.entries()]
      .map(([i, ask]) => ({ i, ask, horizon: horizonMs(ask.lessee, state, now) }))
      .toSorted((a, b) => b.horizon - a.horizon);
    for (const { i, ask } of order) {
      const lease = leaseFor(ask.lessee, state, now, ask.wanted, ask.ratePerSec);
      leases[i] = lease.rights;
      state = lease.state;
    }
    if (state === row.state) return leases;
    const committed = await limits.commit(name, row.version, state);
    if (committed.kind === 'committed') return leases;
    row = committed.row;
    return 'conflict';
  });
  return leased === 'conflict' ? asks.map(() => []) : leased;
}
