import { toTtl } from '../../../domain/base/time.ts';
import { TABLE } from '../../../names/table.ts';
import type { Waiters } from '../../../ports/waiters.ts';
import { WaiterSchema } from '../../../store/programs/row-bodies.ts';
import { writeBatches } from './dynamo-batches.ts';
import { waiterKey, waiterPartition, waiterSort } from './dynamo-keys.ts';
import { queryAll, rangeRequest } from './dynamo-read.ts';
import { ATTRIBUTE, ROW_VERSION, jsonIn, number, packedJson } from './dynamo-row.ts';
import type { Table } from './dynamo-write.ts';

const ROWS = 'rows of waiting Jobs';

/** {@link Waiters} as one row each. */
export const waiters = (table: Table): Waiters => ({
  async add(added, expireAt) {
    const puts = added.map((waiter) => ({
      PutRequest: {
        Item: {
          ...waiterKey(waiter),
          [ATTRIBUTE.layout]: number(ROW_VERSION),
          [ATTRIBUTE.body]: packedJson(waiter),
          [TABLE.ttl]: number(toTtl(expireAt)),
        },
      },
    }));
    await writeBatches(table, puts, ROWS);
  },

  async remove(keys) {
    await writeBatches(
      table,
      keys.map((key) => ({ DeleteRequest: { Key: waiterKey(key) } })),
      ROWS,
    );
  },

  async list(namespace, upstream) {
    const prefix = waiterSort(upstream, '');
    const rows = await queryAll(table, rangeRequest(table.name, waiterPartition(namespace), prefix, `${prefix}~`));
    return rows.map((row) => jsonIn(row, WaiterSchema));
  },
});
