import { expect } from 'vitest';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import type { Host, HostTask } from '../../shared/ports/host-store.ts';
import { MINUTE_MS, type StoreCase, T0, anArn, at } from './store-under-test.ts';

const [A, B] = [asJobUid('uid-a'), asJobUid('uid-b')];
const LATER = at(60 * MINUTE_MS);

const aTask = (nth: number, change: Partial<HostTask> = {}): HostTask => ({
  attempt: 1,
  nonce: 0,
  taskArn: anArn(nth),
  ip: `10.0.0.${nth}`,
  calledAt: null,
  registered: true,
  ...change,
});
const aHost = (index: number, tasks: readonly HostTask[] = []): Host => ({
  index,
  serviceId: `srv-${String(index).padStart(16, '0')}`,
  tasks,
});

/** Reservations and rows of names, one caller at a time. */
export const HOST_CASES: readonly StoreCase[] = [
  {
    name: 'names are reserved up to the limit; a larger request gets the number that is left',
    async run({ hosts }) {
      expect(await hosts.reserve(A, 1_500, 2_000, T0)).toEqual({ kind: 'reserved' });
      expect(await hosts.reserve(B, 501, 2_000, at(1))).toEqual({ kind: 'full', left: 500 });
      expect(await hosts.reserve(B, 500, 2_000, at(2))).toEqual({ kind: 'reserved' });
      expect(await hosts.reserve(asJobUid('uid-c'), 1, 2_000, at(3))).toEqual({ kind: 'full', left: 0 });
      const all = [...(await hosts.reservations())].sort((a, b) => a.at - b.at);
      expect(all).toEqual([
        { uid: A, count: 1_500, at: T0 },
        { uid: B, count: 500, at: at(2) },
      ]);
    },
  },
  {
    name: 'a reservation grows, never shrinks, and stays as it was if there is no room',
    async run({ hosts }) {
      await hosts.reserve(A, 10, 100, T0);
      expect(await hosts.reserve(A, 20, 100, at(1))).toEqual({ kind: 'reserved' });
      expect(await hosts.reserve(A, 5, 100, at(2))).toEqual({ kind: 'reserved' });
      await hosts.reserve(B, 70, 100, at(3));
      expect(await hosts.reserve(A, 31, 100, at(4))).toEqual({ kind: 'full', left: 30 });
      expect(await hosts.reservations()).toContainEqual({ uid: A, count: 20, at: T0 });
      // Jobs keep names that exceed a lowered limit.
      expect(await hosts.reserve(A, 20, 10, at(5))).toEqual({ kind: 'reserved' });
      expect(await hosts.reserve(A, 21, 10, at(5))).toEqual({ kind: 'full', left: 0 });
    },
  },
  {
    name: 'others can reserve released names, and releasing twice is harmless',
    async run({ hosts }) {
      await hosts.release(A);
      await hosts.reserve(A, 100, 100, T0);
      await hosts.release(A);
      await hosts.release(A);
      expect(await hosts.reservations()).toEqual([]);
      expect(await hosts.reserve(B, 100, 100, at(1))).toEqual({ kind: 'reserved' });
      expect(await hosts.reservations()).toEqual([{ uid: B, count: 100, at: at(1) }]);
    },
  },
  {
    name: 'a row of names is written version by version; the loser gets the current row',
    async run({ hosts }) {
      const empty = await hosts.readHosts(A, 2);
      expect(empty).toEqual({ row: 2, version: 0, hosts: [] });
      const tasks = [aTask(1), aTask(2, { attempt: 2, nonce: 3, calledAt: at(7), registered: false })];
      const all = [aHost(20, tasks), aHost(21)];
      const first = { row: 2, version: 1, hosts: all };
      expect(await hosts.writeHosts(A, { ...empty, hosts: all }, LATER)).toEqual({ kind: 'written', row: first });
      expect(await hosts.readHosts(A, 2)).toEqual(first);
      expect(await hosts.writeHosts(A, { ...empty, hosts: [aHost(29)] }, LATER)).toEqual({ kind: 'lost', row: first });
      const second = { row: 2, version: 2, hosts: [aHost(21)] };
      expect(await hosts.writeHosts(A, { ...first, hosts: [aHost(21)] }, LATER)).toEqual({
        kind: 'written',
        row: second,
      });
      expect(await hosts.readHosts(A, 2)).toEqual(second);
      expect(await hosts.readHosts(B, 2)).toEqual(empty);
    },
  },
  {
    name: 'a row without names is removed, unless it has been written meanwhile',
    async run({ hosts }) {
      const none = { row: 0, version: 0, hosts: [] };
      const written = await hosts.writeHosts(A, { ...none, hosts: [aHost(0)] }, LATER);
      const again = await hosts.writeHosts(A, { ...written.row, hosts: [aHost(1)] }, LATER);
      expect(await hosts.writeHosts(A, { ...written.row, hosts: [] }, LATER)).toEqual({ kind: 'lost', row: again.row });
      expect(await hosts.writeHosts(A, none, LATER)).toEqual({ kind: 'lost', row: again.row });
      expect(await hosts.writeHosts(A, { ...again.row, hosts: [] }, LATER)).toEqual({ kind: 'written', row: none });
      expect(await hosts.readHosts(A, 0)).toEqual(none);
      expect(await hosts.writeHosts(A, none, LATER)).toEqual({ kind: 'written', row: none });
      expect(await hosts.listHosts(A)).toEqual([]);
    },
  },
  {
    name: 'all rows of a Job are listed in order, and no others',
    async run({ hosts }) {
      for (const row of [0, 199, 20, 3])
        await hosts.writeHosts(A, { row, version: 0, hosts: [aHost(row * 10)] }, LATER);
      await hosts.writeHosts(asJobUid('uid-a2'), { row: 4, version: 0, hosts: [aHost(40)] }, LATER);
      expect(await hosts.listHosts(A)).toEqual(
        [0, 3, 20, 199].map((row) => ({ row, version: 1, hosts: [aHost(row * 10)] })),
      );
    },
  },
  {
    name: 'a row of names disappears when it expires, and can be written again',
    async run({ hosts, clock }) {
      await hosts.writeHosts(A, { row: 0, version: 0, hosts: [aHost(0)] }, LATER);
      clock.advance(60 * MINUTE_MS);
      const none = { row: 0, version: 0, hosts: [] };
      expect(await hosts.readHosts(A, 0)).toEqual(none);
      expect(await hosts.listHosts(A)).toEqual([]);
      expect(await hosts.writeHosts(A, { row: 0, version: 1, hosts: [aHost(1)] }, at(90 * MINUTE_MS))).toEqual({
        kind: 'lost',
        row: none,
      });
      const anew = { row: 0, version: 1, hosts: [aHost(1)] };
      expect(await hosts.writeHosts(A, { ...none, hosts: [aHost(1)] }, at(90 * MINUTE_MS))).toEqual({
        kind: 'written',
        row: anew,
      });
    },
  },
];

/** Many callers at once. */
export const HOST_RACES: readonly StoreCase[] = [
  {
    name: 'no two Jobs that reserve at the same time get the same names',
    async run({ hosts }) {
      const uids = Array.from({ length: 20 }, (_, nth) => asJobUid(`uid-${nth}`));
      const outcomes = await Promise.all(uids.map(async (uid) => hosts.reserve(uid, 30, 100, T0)));
      expect(outcomes.filter(({ kind }) => kind === 'reserved')).toHaveLength(3);
      expect((await hosts.reservations()).map(({ count }) => count)).toEqual([30, 30, 30]);
      await Promise.all(uids.map(async (uid) => hosts.release(uid)));
      expect(await hosts.reservations()).toEqual([]);
    },
  },
  {
    name: 'one of several concurrent writers of a row of names wins, and the others see what it wrote',
    async run({ hosts }) {
      const none = await hosts.readHosts(A, 0);
      const writes = await Promise.all(
        Array.from({ length: 6 }, async (_, nth) => hosts.writeHosts(A, { ...none, hosts: [aHost(nth)] }, LATER)),
      );
      expect(writes.filter(({ kind }) => kind === 'written')).toHaveLength(1);
      const stored = await hosts.readHosts(A, 0);
      for (const { row } of writes) expect(row).toEqual(stored);
    },
  },
];
