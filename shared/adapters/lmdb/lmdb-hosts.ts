import type { HostRow, HostStore, Reservation } from '../../ports/host-store.ts';
import { HostsSchema, ReservationsSchema } from '../../store/programs/row-bodies.ts';
import { RESERVED_KEY, hostsKey, hostsOf, rangeOf } from './lmdb-keys.ts';
import { type Row, jsonIn, jsonRow } from './lmdb-row.ts';
import type { LmdbRows } from './lmdb-rows.ts';

/** {@link HostStore} as one row of reservations, and a row for the names of ten indexes each. */
export const hosts = (rows: LmdbRows): HostStore => ({
  async reserve(uid, count, max, at) {
    return rows.transact((now) => {
      const all = reservationsIn(now.get(RESERVED_KEY));
      const own = all.find((each) => each.uid === uid);
      if (own !== undefined && own.count >= count) return { kind: 'reserved' };
      const others = all.filter((each) => each.uid !== uid);
      const left = max - others.reduce((sum, each) => sum + each.count, 0);
      if (count > left) return { kind: 'full', left: Math.max(0, left) };
      now.put(RESERVED_KEY, jsonRow([...others, { uid, count, at: own?.at ?? at }]));
      return { kind: 'reserved' };
    });
  },

  async release(uid) {
    await rows.transact((now) => {
      const all = reservationsIn(now.get(RESERVED_KEY));
      const others = all.filter((each) => each.uid !== uid);
      if (others.length < all.length) now.put(RESERVED_KEY, jsonRow(others));
    });
  },

  async reservations() {
    return reservationsIn(rows.read(RESERVED_KEY));
  },

  async readHosts(uid, row) {
    return hostRow(row, rows.read(hostsKey(uid, row)));
  },

  async listHosts(uid) {
    const found: HostRow[] = [];
    for (const [key, row] of rows.range(...rangeOf(hostsOf(uid))))
      found.push(hostRow(Number(key.slice(key.lastIndexOf('#') + 1)), row));
    return found;
  },

  async writeHosts(uid, row, expireAt) {
    const key = hostsKey(uid, row.row);
    return rows.transact((now) => {
      const stored = hostRow(row.row, now.get(key));
      if (stored.version !== row.version) return { kind: 'lost', row: stored };
      if (row.hosts.length === 0) {
        now.remove(key);
        return { kind: 'written', row: { row: row.row, version: 0, hosts: [] } };
      }
      const written = { ...row, version: row.version + 1 };
      now.put(key, jsonRow(row.hosts, written.version, expireAt));
      return { kind: 'written', row: written };
    });
  },
});

const hostRow = (no: number, row: Row | null): HostRow =>
  row === null
    ? { row: no, version: 0, hosts: [] }
    : { row: no, version: row.version, hosts: jsonIn(row, HostsSchema) };

const reservationsIn = (row: Row | null): readonly Reservation[] =>
  row === null ? [] : jsonIn(row, ReservationsSchema);
