import type { EpochMs } from '../domain/brand.ts';
import { cutBack, leaseRights } from '../domain/pace.ts';
import type { Clock } from '../ports/clock.ts';
import type { LimitName, Limits } from '../ports/limits.ts';

/** Leases rights to call from the rows that all dispatchers share. One a process. */
export type Pacer = {
  /**
   * Up to `wanted` rights, as moments to wait for, none further ahead than `horizonMs`; fewer when the rate has none left
   * to give out, none when others were faster each time. Who asks while a row is being written shares the next write.
   */
  lease(name: LimitName, wanted: number, ratePerSec: number, horizonMs: number): Promise<readonly EpochMs[]>;
  /** ECS has throttled a call although it had a right: less is given out for a while. */
  throttled(name: LimitName): Promise<void>;
};

type Ask = {
  readonly wanted: number;
  readonly ratePerSec: number;
  readonly horizonMs: number;
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
    lease: (name, wanted, ratePerSec, horizonMs) =>
      new Promise((done, failed) => {
        const ask = { wanted, ratePerSec, horizonMs, done, failed };
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
      for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
        const state = cutBack(row.state, ports.clock.now());
        if (state === null) return;
        const committed = await ports.limits.commit(name, row.version, state);
        if (committed.kind === 'committed') return;
        row = committed.row;
      }
    },
  };
}

/** One write of the row for all who ask; those who look furthest ahead have fewest claims before them and come first. */
async function leaseAll(
  name: LimitName,
  asks: readonly Ask[],
  { limits, clock }: { readonly limits: Limits; readonly clock: Clock },
): Promise<readonly (readonly EpochMs[])[]> {
  const order = [...asks.keys()].sort((a, b) => (asks[b]?.horizonMs ?? 0) - (asks[a]?.horizonMs ?? 0));
  let row = await limits.read(name);
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const now = clock.now();
    let { state } = row;
    const leases: (readonly EpochMs[])[] = asks.map(() => []);
    for (const i of order) {
      const ask = asks[i];
      if (ask === undefined) continue;
      const lease = leaseRights(state, now, ask.wanted, ask.ratePerSec, ask.horizonMs);
      leases[i] = lease.rights;
      state = lease.state;
    }
    if (state === row.state) return leases;
    const committed = await limits.commit(name, row.version, state);
    if (committed.kind === 'committed') return leases;
    row = committed.row;
  }
  return asks.map(() => []);
}
