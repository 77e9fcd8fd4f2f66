import type { EpochMs } from '../../domain/base/time.ts';
import type { Waiter, WaiterKey, Waiters } from '../../ports/waiters.ts';
import { aPut, jsonIn } from '../rows/fields.ts';
import { type Program, rowsIn, writeAll } from '../rows/program.ts';
import { type Table, methodsOf } from '../rows/run.ts';
import { WaiterSchema } from './row-bodies.ts';
import { waiterKey, waiterPartition, waiterSort } from './row-keys.ts';

const ROWS = 'rows of waiting Jobs';

/** {@link Waiters} as one row each. */
export const waiters = (table: Table): Waiters =>
  methodsOf(table, { add: noteAll, remove: forgetAll, list: listWaiters });

function noteAll(added: readonly Waiter[], expireAt: EpochMs): Program<void> {
  return writeAll(
    added.map((waiter) => aPut(waiterKey(waiter), waiter, expireAt)),
    ROWS,
  );
}

function forgetAll(keys: readonly WaiterKey[]): Program<void> {
  return writeAll(
    keys.map((key) => ({ kind: 'delete', key: waiterKey(key) })),
    ROWS,
  );
}

function* listWaiters(namespace: string, upstream: string): Program<readonly Waiter[]> {
  const prefix = waiterSort(upstream, '');
  const rows = yield* rowsIn({ partition: waiterPartition(namespace), from: prefix, to: `${prefix}~` });
  return rows.map((row) => jsonIn(row, WaiterSchema));
}
