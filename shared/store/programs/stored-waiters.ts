import type { EpochMs } from '../../domain/base/time.ts';
import type { Waiter, WaiterKey, Waiters } from '../../ports/waiters.ts';
import { aPut, jsonIn } from '../rows/fields.ts';
import { type Program, rowsIn, writeAll } from '../rows/program.ts';
import type { Context } from './context.ts';
import { WaiterSchema } from './row-bodies.ts';
import { waiterKey, waiterPartition, waiterSort } from './row-keys.ts';

const ROWS = 'rows of waiting Jobs';

/** {@link Waiters} as one row each. */
export const waiters = ({ run }: Context): Waiters => ({
  add: async (added, expireAt) => run(noteAll(added, expireAt)),
  remove: async (keys) => run(forgetAll(keys)),
  list: async (namespace, upstream) => run(listWaiters(namespace, upstream)),
});

const noteAll = (added: readonly Waiter[], expireAt: EpochMs): Program<void> =>
  writeAll(
    added.map((waiter) => aPut(waiterKey(waiter), waiter, expireAt)),
    ROWS,
  );

const forgetAll = (keys: readonly WaiterKey[]): Program<void> =>
  writeAll(
    keys.map((key) => ({ kind: 'delete', key: waiterKey(key) })),
    ROWS,
  );

function* listWaiters(namespace: string, upstream: string): Program<readonly Waiter[]> {
  const prefix = waiterSort(upstream, '');
  const rows = yield* rowsIn({ partition: waiterPartition(namespace), from: prefix, to: `${prefix}~` });
  return rows.map((row) => jsonIn(row, WaiterSchema));
}
