import { expect } from 'vitest';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import type { Waiter } from '../../shared/ports/waiters.ts';
import { MINUTE_MS, type StoreCase, at } from './store-under-test.ts';

const aWaiter = (uid: string, wish: Partial<Waiter> = {}): Waiter => ({
  namespace: 'default',
  upstream: 'prepare',
  uid: asJobUid(uid),
  name: `job-${uid}`,
  byIndex: false,
  ...wish,
});

const byUid = (waiters: readonly Waiter[]): readonly Waiter[] => waiters.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));

/** Promises about the rows of Jobs that wait for others. */
export const WAITER_CASES: readonly StoreCase[] = [
  {
    name: 'who waits for a Job is listed by its name, and nobody else',
    async run({ waiters }) {
      const mine = [aWaiter('a'), aWaiter('b', { byIndex: true })];
      const others = [
        aWaiter('c', { upstream: 'prepare-2' }),
        aWaiter('d', { upstream: 'prep' }),
        aWaiter('e', { namespace: 'other' }),
      ];
      await waiters.add([...mine, ...others], at(MINUTE_MS));
      expect(byUid(await waiters.list('default', 'prepare'))).toEqual(mine);
      expect(await waiters.list('default', 'nobody')).toEqual([]);
    },
  },
  {
    name: 'a waiter that is noted twice is one, and is forgotten once',
    async run({ waiters }) {
      await waiters.add([aWaiter('a')], at(MINUTE_MS));
      await waiters.add([aWaiter('a'), aWaiter('b')], at(MINUTE_MS));
      expect(await waiters.list('default', 'prepare')).toHaveLength(2);
      await waiters.remove([aWaiter('a')]);
      await waiters.remove([aWaiter('a')]);
      expect(await waiters.list('default', 'prepare')).toEqual([aWaiter('b')]);
    },
  },
  {
    name: 'a fan of 300 waiters is noted and listed whole',
    async run({ waiters }) {
      const fan = Array.from({ length: 300 }, (_, n) => aWaiter(String(n).padStart(3, '0')));
      await waiters.add(fan, at(MINUTE_MS));
      expect(byUid(await waiters.list('default', 'prepare'))).toEqual(fan);
    },
  },
  {
    name: 'a waiter vanishes when its time has passed',
    async run({ waiters, clock }) {
      await waiters.add([aWaiter('a')], at(MINUTE_MS));
      clock.advance(MINUTE_MS + 1_000);
      expect(await waiters.list('default', 'prepare')).toEqual([]);
    },
  },
];
