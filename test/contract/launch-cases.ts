import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { EpochMs } from '../../shared/domain/base/time.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import type { LaunchSlot } from '../../shared/ports/job-store.ts';
import { MINUTE_MS, type StoreCase, type Stores, T0, aStoredJob, anArn, at, following } from './store-under-test.ts';

const UID = asJobUid('uid-1');
const LATER = at(60 * MINUTE_MS);
const launching = (index: number): LaunchSlot => ({ index, attempt: 1, nonce: 0, state: 'launching', since: T0 });

const bulky = (index: number, bytes: number): LaunchSlot => {
  const taskArn = asTaskArn(randomBytes(bytes).toString('base64'));
  return { index, attempt: 1, nonce: 0, state: 'launched', taskArn, since: T0 };
};

async function allDue({ jobs }: Stores, now: EpochMs | null, limit: number): Promise<string[]> {
  const found: string[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < 100; pages++) {
    const page = await jobs.dueJobs({ now, after, limit });
    expect(page.uids.length).toBeLessThanOrEqual(limit);
    found.push(...page.uids);
    after = page.next;
    if (after === null) return found.sort();
  }
  throw new Error('a listing without an end');
}

/** Templates, launch rows and alarms, one caller at a time. */
export const LAUNCH_CASES: readonly StoreCase[] = [
  {
    name: 'every caller gets the template that was stored first',
    async run({ jobs }) {
      const first = { taskDefinition: 'arn:td:1', containers: ['main', 'side'], placement: '{"subnets":[]}' };
      const variants = [{ image: 'a:1', taskDefinition: 'arn:other:1' }];
      const [second, third, fourth] = [2, 3, 4].map((no) => ({ ...first, taskDefinition: `arn:td:${no}`, variants }));
      expect(await jobs.addTemplate(UID, 0, first)).toEqual([first]);
      expect(await jobs.addTemplate(UID, 0, second!)).toEqual([first]);
      expect(await jobs.addTemplate(UID, 1, second!)).toEqual([first, second]);
      expect(await jobs.addTemplate(UID, 1, third!)).toEqual([first, second]);
      expect(await jobs.addTemplate(UID, 2, third!)).toEqual([first, second, third]);
      expect(await jobs.addTemplate(UID, 3, fourth!)).toEqual([first, second, third, fourth]);
      expect(await jobs.readTemplates(UID)).toEqual([first, second, third, fourth]);
    },
  },
  {
    name: 'a launch row is written version by version; the loser gets the current row',
    async run({ jobs }) {
      const empty = await jobs.readLaunches(UID, 3);
      const slots: LaunchSlot[] = [launching(30), { index: 31, attempt: 2, nonce: 1, state: 'cancelled' }];
      const first = { row: 3, version: 1, slots };
      expect(await jobs.writeLaunches(UID, { ...empty, slots }, LATER)).toEqual({ kind: 'written', row: first });
      expect(await jobs.readLaunches(UID, 3)).toEqual(first);
      expect(await jobs.writeLaunches(UID, { ...empty, slots: [] }, LATER)).toEqual({ kind: 'lost', row: first });
      expect(await jobs.writeLaunches(UID, { ...first, version: 2 }, LATER)).toEqual({ kind: 'lost', row: first });
      const launched: LaunchSlot = {
        index: 30,
        attempt: 1,
        nonce: 0,
        state: 'launched',
        taskArn: anArn(1),
        since: at(5),
      };
      const second = { row: 3, version: 2, slots: [launched] };
      expect(await jobs.writeLaunches(UID, { ...first, slots: [launched] }, LATER)).toEqual({
        kind: 'written',
        row: second,
      });
      expect(await jobs.readLaunches(UID, 3)).toEqual(second);
      expect(await jobs.readLaunches(UID, 4)).toEqual({ row: 4, version: 0, slots: [] });
    },
  },
  {
    name: 'a cancel cannot miss a written launch, and a launch cannot miss a written cancel',
    async run({ jobs }) {
      const empty = await jobs.readLaunches(UID, 0);
      const cancelled: LaunchSlot = { index: 0, attempt: 1, nonce: 0, state: 'cancelled' };
      await jobs.writeLaunches(UID, { ...empty, slots: [cancelled] }, LATER);
      const lost = await jobs.writeLaunches(UID, { ...empty, slots: [launching(0)] }, LATER);
      expect(lost).toEqual({ kind: 'lost', row: { row: 0, version: 1, slots: [cancelled] } });
    },
  },
  {
    name: 'existing launch rows of a range are read in order',
    async run({ jobs }) {
      for (const row of [0, 9, 10, 99, 100, 409, 410]) {
        await jobs.writeLaunches(UID, { row, version: 0, slots: [launching(row * 10)] }, LATER);
      }
      await jobs.writeLaunches(asJobUid('other'), { row: 11, version: 0, slots: [] }, LATER);
      const rows = await jobs.readLaunchRange(UID, 9, 409);
      expect(rows.map(({ row }) => row)).toEqual([9, 10, 99, 100, 409]);
      expect(rows[1]).toEqual({ row: 10, version: 1, slots: [launching(100)] });
      expect(await jobs.readLaunchRange(UID, 11, 98)).toEqual([]);
    },
  },
  {
    name: 'a range is read completely, however many pages of 1 MB it takes',
    async run({ jobs }) {
      // Real rows stay under 1 KB. These have 4 KB that do not compress.
      const rows = Array.from({ length: 410 }, (_, row) => ({ row, version: 0, slots: [bulky(row * 10, 4_096)] }));
      await Promise.all(rows.map(async (row) => jobs.writeLaunches(UID, row, LATER)));
      expect(await jobs.readLaunchRange(UID, 0, 409)).toEqual(rows.map((row) => ({ ...row, version: 1 })));
    },
  },
  {
    name: 'a launch row disappears when it expires, and can be written again',
    async run({ jobs, clock }) {
      await jobs.writeLaunches(UID, { row: 0, version: 0, slots: [launching(0)] }, LATER);
      clock.advance(60 * MINUTE_MS);
      const none = { row: 0, version: 0, slots: [] };
      expect(await jobs.readLaunches(UID, 0)).toEqual(none);
      expect(await jobs.readLaunchRange(UID, 0, 9)).toEqual([]);
      expect(await jobs.writeLaunches(UID, { row: 0, version: 1, slots: [] }, at(90 * MINUTE_MS))).toEqual({
        kind: 'lost',
        row: none,
      });
      const anew = { row: 0, version: 1, slots: [launching(1)] };
      const written = await jobs.writeLaunches(UID, { ...none, slots: [launching(1)] }, at(90 * MINUTE_MS));
      expect(written).toEqual({ kind: 'written', row: anew });
      expect(await jobs.readLaunches(UID, 0)).toEqual(anew);
    },
  },
  {
    name: 'alarms are due from their rounded-up minute on',
    async run(store) {
      const wishes = { past: -1, now: 0, soon: 1, next: MINUTE_MS, later: MINUTE_MS + 1, none: null };
      for (const [name, ms] of Object.entries(wishes)) {
        const { status, uid } = await aStoredJob(store, { uid: name, name });
        await store.jobs.commitPass(
          uid,
          following(status, '', { alarms: ms === null ? [] : [at(ms), at(ms + 5)] }),
          [],
        );
      }
      expect(await allDue(store, at(-MINUTE_MS), 10)).toEqual([]);
      expect(await allDue(store, at(0), 10)).toEqual(['now', 'past']);
      expect(await allDue(store, at(MINUTE_MS - 1), 10)).toEqual(['now', 'past']);
      expect(await allDue(store, at(MINUTE_MS), 10)).toEqual(['next', 'now', 'past', 'soon']);
      expect(await allDue(store, at(2 * MINUTE_MS), 10)).toEqual(['later', 'next', 'now', 'past', 'soon']);
      expect(await allDue(store, null, 10)).toEqual(['later', 'next', 'now', 'past', 'soon']);
    },
  },
  {
    name: 'a new Job is due at once, and commits move, remove, and restore its alarm',
    async run(store) {
      const { spec, status, uid } = await aStoredJob(store);
      expect(await allDue(store, at(0), 1)).toEqual([uid]);
      const moved = following(status, '', { alarms: [at(5 * MINUTE_MS)] });
      await store.jobs.commitPass(uid, moved, []);
      expect(await allDue(store, at(4 * MINUTE_MS), 1)).toEqual([]);
      expect(await allDue(store, at(5 * MINUTE_MS), 1)).toEqual([uid]);
      const quiet = following(moved, '', { alarms: [] });
      await store.jobs.commitSpec(spec, quiet);
      expect(await allDue(store, null, 1)).toEqual([]);
      await store.jobs.commitDeletion(spec.identity, following(quiet, '', { alarms: [at(0)] }));
      expect(await allDue(store, at(0), 1)).toEqual([uid]);
    },
  },
  {
    name: 'due Jobs are paged, each once, in pages of any size',
    async run(store) {
      const names = Array.from({ length: 23 }, (_, nth) => `job-${String(nth).padStart(2, '0')}`);
      for (const [nth, name] of names.entries()) {
        const { status, uid } = await aStoredJob(store, { uid: name, name });
        await store.jobs.commitPass(uid, following(status, '', { alarms: [at((nth % 3) * MINUTE_MS)] }), []);
      }
      for (const limit of [1, 2, 5, 23, 100]) expect(await allDue(store, null, limit)).toEqual(names);
      const first = names.filter((_, nth) => nth % 3 === 0);
      for (const limit of [1, 3, 100]) expect(await allDue(store, at(0), limit)).toEqual(first);
    },
  },
];
