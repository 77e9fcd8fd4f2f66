import type { EpochMs } from '../../domain/base/time.ts';
import type { Waiter, WaiterKey, Waiters } from '../../ports/waiters.ts';
import { ExpiringMap } from './expiring-map.ts';

/** {@link Waiters} in this process's memory. */
export function createMemoryWaiters(now: () => EpochMs): Waiters {
  const rows = new ExpiringMap<Waiter>(now);
  return {
    async add(waiters, expireAt) {
      for (const waiter of waiters) rows.set(keyOf(waiter), structuredClone(waiter), expireAt);
    },

    async remove(keys) {
      for (const key of keys) rows.delete(keyOf(key));
    },

    async list(namespace, upstream) {
      return rows
        .entries()
        .filter(([, waiter]) => waiter.namespace === namespace && waiter.upstream === upstream)
        .map(([, waiter]) => structuredClone(waiter));
    },
  };
}

const keyOf = ({ namespace, upstream, uid }: WaiterKey): string => `${namespace}!${upstream}!${uid}`;
