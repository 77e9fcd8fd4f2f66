import { expect, test } from 'vitest';
import { wakeOwner } from '../../../../control/process/wake-owner.ts';
import { Schedule, UID } from './a-schedule.ts';

test('a CronJob hears of the Jobs that it controls, and of no others', async () => {
  const schedule = await Schedule.begin();
  await schedule.look(10);
  const [uid] = await schedule.uids();
  const spec = uid === undefined ? null : await schedule.store.jobs.readSpec(uid);
  if (uid === undefined || spec === null) throw new Error('the slot has no Job');
  const { deps } = schedule.handler();
  const wokenBy = async (change: (owner: object) => object, namespace = 'default') => {
    const [owner] = spec.manifest.metadata.ownerReferences ?? [];
    const metadata = { ...spec.manifest.metadata, ownerReferences: [change(owner ?? {})] };
    const manifest = { ...spec.manifest, metadata } as typeof spec.manifest;
    schedule.sent.length = 0;
    await wakeOwner({ ...spec, identity: { ...spec.identity, namespace }, manifest }, deps);
    return [...schedule.sent];
  };
  expect(await wokenBy((owner) => owner)).toEqual([{ cron: UID, delaySec: 0, jobs: [uid] }]);
  expect(await wokenBy((owner) => owner, 'elsewhere')).toEqual([]);
  expect(await wokenBy((owner) => ({ ...owner, controller: false }))).toEqual([]);
  expect(await wokenBy((owner) => ({ ...owner, kind: 'JobConfig' }))).toEqual([]);
  expect(await wokenBy((owner) => ({ ...owner, uid: 'gone' }))).toEqual([]);
});
