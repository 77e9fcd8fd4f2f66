import type { EpochMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { HostRow, HostStore, Reservation } from '../../ports/host-store.ts';
import { ExpiringMap } from './expiring-map.ts';

/** {@link HostStore} in this process's memory: every method takes its whole effect in one synchronous step. */
export function createMemoryHosts(now: () => EpochMs): HostStore {
  const reserved = new Map<JobUid, Reservation>();
  const rows = new ExpiringMap<HostRow>(now);
  const keyOf = (uid: JobUid, row: number): string => `${uid}#${String(row).padStart(6, '0')}`;
  const rowOf = (uid: JobUid, row: number): HostRow =>
    structuredClone(rows.get(keyOf(uid, row)) ?? { row, version: 0, hosts: [] });

  return {
    async reserve(uid, count, max, at) {
      const own = reserved.get(uid);
      if (own !== undefined && own.count >= count) return { kind: 'reserved' };
      const left = max - [...reserved.values()].reduce((sum, each) => sum + (each.uid === uid ? 0 : each.count), 0);
      if (count > left) return { kind: 'full', left: Math.max(0, left) };
      reserved.set(uid, { uid, count, at: own?.at ?? at });
      return { kind: 'reserved' };
    },

    async release(uid) {
      reserved.delete(uid);
    },

    async reservations() {
      return [...reserved.values()];
    },

    async readHosts(uid, row) {
      return rowOf(uid, row);
    },

    async listHosts(uid) {
      return rows
        .entries()
        .filter(([key]) => key.startsWith(`${uid}#`))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, row]) => structuredClone(row));
    },

    async writeHosts(uid, row, expireAt) {
      const stored = rowOf(uid, row.row);
      if (stored.version !== row.version) return { kind: 'lost', row: stored };
      if (row.hosts.length === 0) rows.delete(keyOf(uid, row.row));
      else rows.set(keyOf(uid, row.row), structuredClone({ ...row, version: row.version + 1 }), expireAt);
      return { kind: 'written', row: rowOf(uid, row.row) };
    },
  };
}
