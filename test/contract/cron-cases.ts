import { expect } from 'vitest';
import type { CronStore } from '../../shared/ports/cron-store.ts';
import { HAS_SCHEDULERS, aSchedulerRow as aRow } from './a-scheduler-row.ts';
import { MINUTE_MS, type StoreCase, T0, at } from './store-under-test.ts';

async function dueUids(crons: CronStore, until = T0): Promise<readonly string[]> {
  return (await crons.due({ until, after: null, limit: 100 })).crons.map(({ uid }) => uid);
}

const CASES: readonly StoreCase[] = [
  {
    name: 'a row of a scheduler is written from its newest version only',
    async run({ crons }) {
      await crons.write(aRow());
      expect(await crons.write(aRow({ alarmAt: T0 }))).toEqual({ kind: 'lost' });
      expect(await crons.write(aRow({ version: 1 }))).toEqual({ kind: 'written' });
      expect(await crons.write(aRow({ version: 1, alarmAt: T0 }))).toEqual({ kind: 'lost' });
      expect(await crons.read('cron-1')).toMatchObject({ version: 2, alarmAt: null });
      expect(await dueUids(crons)).toEqual([]);
    },
  },
  {
    name: 'objects that make Jobs are due from the millisecond of their alarm on, earliest first, page by page',
    async run({ crons }) {
      const alarms = [3 * MINUTE_MS, 1, MINUTE_MS + 7, 2 * MINUTE_MS, 5 * MINUTE_MS];
      for (const [n, ms] of alarms.entries()) await crons.write(aRow({ uid: `cron-${n}`, alarmAt: at(ms) }));
      await crons.write(aRow({ uid: 'cron-idle' }));
      expect(await dueUids(crons)).toEqual([]);
      expect(await dueUids(crons, at(1))).toEqual(['cron-1']);
      expect(await dueUids(crons, at(2 * MINUTE_MS))).toEqual(['cron-1', 'cron-2', 'cron-3']);
      const first = await crons.due({ until: at(3 * MINUTE_MS), after: null, limit: 3 });
      expect(first.crons.map(({ alarmAt }) => alarmAt - T0)).toEqual([1, MINUTE_MS + 7, 2 * MINUTE_MS]);
      const rest = await crons.due({ until: at(3 * MINUTE_MS), after: first.next, limit: 3 });
      expect(rest).toEqual({ crons: [{ uid: 'cron-0', alarmAt: at(3 * MINUTE_MS) }], next: null });
    },
  },
  {
    name: 'an alarm that is moved or taken back is not due any more, nor is one of a row that is removed',
    async run({ crons }) {
      for (const uid of ['cron-1', 'cron-2', 'cron-3']) await crons.write(aRow({ uid, alarmAt: T0 }));
      await crons.write(aRow({ uid: 'cron-1', version: 1, alarmAt: at(MINUTE_MS) }));
      await crons.write(aRow({ uid: 'cron-2', version: 1 }));
      await crons.remove('cron-3');
      await crons.remove('cron-3');
      expect(await dueUids(crons)).toEqual([]);
      expect(await dueUids(crons, at(MINUTE_MS))).toEqual(['cron-1']);
      expect(await crons.read('cron-3')).toBeNull();
    },
  },
  {
    name: 'alarms of schedulers are no alarms of Jobs',
    async run({ crons, jobs }) {
      await crons.write(aRow({ alarmAt: T0 }));
      expect(await jobs.dueJobs({ now: null, after: null, limit: 10 })).toEqual({ uids: [], next: null });
    },
  },
];

const RACES: readonly StoreCase[] = [
  {
    name: 'of schedulers that write a row at once, one wins',
    async run({ crons }) {
      const writes = Array.from({ length: 8 }, (_, n) => crons.write(aRow({ alarmAt: at(n * MINUTE_MS) })));
      const kinds = (await Promise.all(writes)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'written')).toHaveLength(1);
      const winner = kinds.indexOf('written');
      expect(await crons.read('cron-1')).toMatchObject({ version: 1, alarmAt: at(winner * MINUTE_MS) });
      expect(await dueUids(crons, at(8 * MINUTE_MS))).toEqual(['cron-1']);
    },
  },
];

/** Promises about schedulers' rows. */
export const CRON_CASES = HAS_SCHEDULERS ? CASES : [];

/** What several schedulers at once may rely on. */
export const CRON_RACES = HAS_SCHEDULERS ? RACES : [];
