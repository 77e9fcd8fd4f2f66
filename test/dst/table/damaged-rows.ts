import type { Page, Row, Rows } from '../../../shared/store/rows/row.ts';
import type { Calls } from '../world/calls.ts';
import type { FaultInjector } from '../world/fault-injector.ts';

/** The row of a Job cannot be decoded: every reader throws. */
export class DamagedRow extends Error {
  readonly uid: string;
  constructor(uid: string) {
    super(`the row of Job ${uid} cannot be read`);
    this.uid = uid;
  }
}

/** A page that ends early has so many rows at most. */
const SHORT_MAX = 3;

/**
 * The same table, as processes find it: rows in a partition of `damaged` (with the uid of their Job) cannot be read, and pages end
 * where it likes.
 */
export function damagedRows(
  table: Rows,
  damaged: ReadonlyMap<string, string>,
  calls: Calls,
  injector: FaultInjector,
): Rows {
  const shown = (rows: readonly Row[]): readonly Row[] => {
    if (damaged.size === 0) return rows;
    return rows.map((row) => {
      const uid = damaged.get(row.key.partition);
      return uid === undefined ? row : { ...row, fields: {}, fault: new DamagedRow(uid) };
    });
  };
  const cut = <T extends { readonly limit?: number }>(range: T): T => {
    const { limit = Number.POSITIVE_INFINITY } = range;
    const max = injector.luck('short page').between(1, SHORT_MAX);
    const isCut = max < limit && calls.meets('short page', injector.faultRates.shortPage);
    return isCut ? { ...range, limit: max } : range;
  };
  const pageOf = ({ rows, next }: Page): Page => ({ rows: shown(rows), next });
  return {
    get: async (keys) => {
      const { rows, unread } = await table.get(keys);
      return { rows: shown(rows), unread };
    },
    range: async (range) => pageOf(await table.range(cut(range))),
    write: async (write) => table.write(write),
    transact: async (token, writes) => table.transact(token, writes),
    batch: async (writes) => table.batch(writes),
    alarms: async (range) => table.alarms(cut(range)),
    pause: async (ms) => table.pause(ms),
    storedBytes: (body) => table.storedBytes(body),
    atOnce: table.atOnce,
  };
}
