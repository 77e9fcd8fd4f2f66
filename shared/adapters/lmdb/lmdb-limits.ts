import { IDLE_PACE } from '../../domain/base/pace.ts';
import type { LimitRow, Limits } from '../../ports/limits.ts';
import { PaceSchema } from '../../store/programs/row-bodies.ts';
import { limitKey } from './lmdb-keys.ts';
import { type Row, jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows } from './lmdb-rows.ts';

/** {@link Limits} as one row each. */
export const limits = (rows: LmdbRows): Limits => ({
  async read(name) {
    return limitRow(rows.read(limitKey(name)));
  },

  async commit(name, expectedVersion, state) {
    return rows.transact((now) => {
      const row = limitRow(now.get(limitKey(name)));
      if (row.version !== expectedVersion) return { kind: 'lost', row };
      const version = expectedVersion + 1;
      now.put(limitKey(name), jsonRow(state, version));
      return { kind: 'committed', row: { version, state } };
    });
  },
});

const limitRow = (row: Row | null): LimitRow =>
  row === null ? { version: 0, state: IDLE_PACE } : { version: row.version, state: jsonIn(row, PaceSchema) };
