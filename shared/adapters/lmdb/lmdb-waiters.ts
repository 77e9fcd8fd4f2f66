import type { WaiterKey, Waiters } from '../../ports/waiters.ts';
import { WaiterSchema } from '../../store/programs/row-bodies.ts';
import { isShortEnough, rangeOf, waiterKey, waitersOf } from './lmdb-keys.ts';
import { jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows } from './lmdb-rows.ts';

/** {@link Waiters} as one row each. */
export const waiters = (rows: LmdbRows): Waiters => ({
  async add(added, expireAt) {
    await rows.transact((all) => {
      for (const waiter of added) all.put(keyOf(waiter), jsonRow(waiter, 0, expireAt));
    });
  },

  async remove(keys) {
    await rows.transact((all) => {
      for (const key of keys) all.remove(keyOf(key));
    });
  },

  async list(namespace, upstream) {
    const prefix = waitersOf({ namespace, name: upstream });
    if (!isShortEnough(prefix)) return [];
    return [...rows.range(...rangeOf(prefix))].map(([, row]) => jsonIn(row, WaiterSchema));
  },
});

const keyOf = ({ namespace, upstream, uid }: WaiterKey): string => waiterKey({ namespace, name: upstream }, uid);
