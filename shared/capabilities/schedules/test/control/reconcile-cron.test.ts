import { describe, expect, it } from 'vitest';
import { deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import { adoptCrons, collectOrphans, sweepCrons } from '../../../../control/schedulers/sweep-crons.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';
import { KEY, Schedule, UID, slotJob } from './a-schedule.ts';

describe('a slot', () => {
  it('gets a Job of the template, which says when it was due and whose it is', async () => {
    const schedule = await Schedule.begin({
      spec: { timeZone: 'Asia/Kolkata' },
      jobMetadata: { labels: { app: 'x' }, annotations: { note: 'y' } },
      jobSpec: { completions: 3, completionMode: 'Indexed' },
    });
    await schedule.look(10);
    expect(await schedule.jobs()).toEqual([slotJob(10)]);
    const [uid] = await schedule.uids();
    const spec = await schedule.store.jobs.readSpec(uid!);
    expect(spec?.manifest).toMatchObject({
      metadata: {
        labels: { app: 'x' },
        annotations: { note: 'y', 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T15:40:00+05:30' },
        ownerReferences: [{ kind: 'CronJob', name: 'tick', uid: UID, controller: true, blockOwnerDeletion: true }],
      },
      spec: { completions: 3 },
    });
    expect(await schedule.status()).toEqual({
      active: [{ apiVersion: 'batch/v1', kind: 'Job', name: slotJob(10), namespace: 'default', uid }],
      lastScheduleTime: '2026-01-01T10:10:00Z',
    });
    expect(await schedule.events()).toEqual([`SuccessfulCreate: Created job ${slotJob(10)}`]);
  });

  it('gets one Job, however many look at once', async () => {
    const schedule = await Schedule.begin();
    await Promise.all(Array.from({ length: 8 }, () => schedule.look(10)));
    expect(await schedule.jobs()).toEqual([slotJob(10)]);
    expect(await schedule.events()).toHaveLength(1);
  });

  it.each([
    ['before its claim', 'before', 'crons.write'],
    ['behind its claim', 'behind', 'crons.write'],
    ['before its Job', 'before', 'jobs.createJob'],
    ['behind its Job', 'behind', 'jobs.createJob'],
    ['before its status', 'before', 'objects.commit'],
    ['behind its status', 'behind', 'objects.commit'],
  ] as const)('gets one Job where a scheduler dies %s', async (_, where, call) => {
    const schedule = await Schedule.begin();
    await schedule.dieAt(10, where, call);
    await schedule.look(11);
    expect(await schedule.jobs()).toEqual([slotJob(10)]);
    const [uid] = await schedule.uids();
    expect(await schedule.status()).toMatchObject({ active: [{ uid }], lastScheduleTime: '2026-01-01T10:10:00Z' });
    await schedule.look(12);
    expect((await schedule.events()).filter((each) => each.startsWith('SuccessfulCreate'))).toHaveLength(1);
  });

  it('is not forgotten, although others change the CronJob while the one before is published', async () => {
    const schedule = await Schedule.begin({ spec: { schedule: '* * * * *' } });
    const by = schedule.handler();
    by.arrange('objects.commit', async () => ({ kind: 'lost' }));
    await schedule.look(10, { by });
    expect(schedule.sent).toEqual([{ cron: UID, delaySec: 60 }]);
  });

  it('is recognized by its Job, even if the row is lost', async () => {
    const schedule = await Schedule.begin();
    await schedule.dieAt(10, 'behind', 'jobs.createJob');
    await schedule.store.crons.remove(UID);
    await adoptCrons(schedule.handler().deps);
    await schedule.look(11);
    expect(await schedule.events()).toEqual([`SuccessfulCreate: Created job ${slotJob(10)}`]);
    expect(await schedule.jobs()).toEqual([slotJob(10)]);
  });

  it('whose Job was deleted before its scheduler came to say so gets no other', async () => {
    const schedule = await Schedule.begin();
    await schedule.dieAt(10, 'behind', 'jobs.createJob');
    const [uid] = await schedule.uids();
    await deleteJob(uid!, schedule.handler().deps);
    await schedule.look(11);
    await schedule.look(12);
    expect(await schedule.jobs()).toEqual([]);
    expect(await schedule.status()).toEqual({ lastScheduleTime: '2026-01-01T10:10:00Z' });
  });

  it('is looked for by the sweep, if nobody goes on with its claim', async () => {
    const schedule = await Schedule.begin();
    await schedule.dieAt(10, 'behind', 'crons.write');
    schedule.time = schedule.at(11);
    expect(await sweepCrons(schedule.handler().deps)).toBe(1);
    expect(schedule.sent.at(-1)).toEqual({ cron: UID, delaySec: 0 });
  });

  it('whose name another Job has is left out', async () => {
    const schedule = await Schedule.begin();
    await schedule.look(10);
    const other = await Schedule.begin();
    const [uid] = await schedule.uids();
    const spec = await schedule.store.jobs.readSpec(uid!);
    const status = await schedule.store.jobs.readStatus(uid!);
    await other.store.jobs.createJob({ ...spec!, identity: { ...spec!.identity, uid: 'foreign' as never } }, status!);
    await other.look(10);
    expect(await other.events()).toEqual([
      `FailedCreate: Error creating job: jobs.batch "${slotJob(10)}" already exists`,
    ]);
    await other.look(20);
    expect(await other.jobs()).toEqual([slotJob(10), slotJob(20)]);
  });

  it('whose Job would be refused is tried again, and says why', async () => {
    const schedule = await Schedule.begin({
      jobSpec: { completionMode: 'Indexed', completions: 2 },
      jobMetadata: { annotations: { 'muster.run/rerun-of': 'absent' } },
    });
    await schedule.look(10);
    expect(await schedule.jobs()).toEqual([]);
    expect(await schedule.events()).toEqual([expect.stringMatching(/^FailedCreate: .*rerun-of\]: .*absent/)]);
    expect((await schedule.store.crons.read(UID))?.alarmAt).toBe(schedule.at(10) + 10_000);
    expect(schedule.sent.at(-1)).toEqual({ cron: UID, delaySec: 10 });
  });

  it('whose Job would have no command, where no image is pulled, says why, and the next is tried', async () => {
    const containers = [{ name: 'main', image: 'busybox' }];
    const schedule = await Schedule.begin({ jobSpec: { template: { spec: { restartPolicy: 'Never', containers } } } });
    const here = schedule.handler();
    const settings = { ...here.deps.settings, needsCommand: true };
    const by = { deps: { ...here.deps, settings } } as unknown as typeof here;
    await schedule.look(10, { by });
    await schedule.look(20, { by });
    expect(await schedule.jobs()).toEqual([]);
    for (const event of await schedule.events())
      expect(event).toMatch(/^FailedCreate: .*spec\.template\.spec\.containers\[0\]\.command: Required value: /);
    expect((await schedule.store.crons.read(UID))?.alarmAt).toBeGreaterThan(schedule.at(20));
    await schedule.look(30);
    expect(await schedule.jobs()).toEqual([slotJob(30)]);
  });
});

describe('A CronJob that mounts a folder of this machine', () => {
  it('has Jobs where that is allowed, and an Event for each that is refused', async () => {
    const template = {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'busybox' }],
        volumes: [{ name: 'in', hostPath: { path: '/srv/in' } }],
      },
    };
    const schedule = await Schedule.begin({ jobSpec: { template } });
    await schedule.look(10);
    expect(await schedule.jobs()).toEqual([]);
    for (const event of await schedule.events()) expect(event).toMatch(/^FailedCreate: .*volumes\[0\]\.hostPath/);
    const here = schedule.handler();
    const settings = { ...here.deps.settings, hostFolders: ['/srv'] };
    await schedule.look(20, { by: { deps: { ...here.deps, settings } } as unknown as typeof here });
    expect(await schedule.jobs()).toEqual([slotJob(20)]);
  });
});

describe('Jobs of a CronJob', () => {
  it('are replaced before the next begins, also where the scheduler dies in between', async () => {
    for (const nth of [1, 2]) {
      const schedule = await Schedule.begin({ spec: { concurrencyPolicy: 'Replace' } });
      await schedule.look(10);
      await schedule.dieAt(20, 'before', 'jobs.readStatus', nth);
      await schedule.look(21);
      expect(await schedule.jobs()).toEqual([slotJob(20)]);
    }
  });

  it('that somebody created for it are found when they are reported, and only then', async () => {
    const schedule = await Schedule.begin({ spec: { schedule: '0 0 1 1 *' } });
    const other = await Schedule.begin();
    await other.look(10);
    const [uid] = await other.uids();
    const [spec, status] = [await other.store.jobs.readSpec(uid!), await other.store.jobs.readStatus(uid!)];
    await schedule.store.jobs.createJob(spec!, status!);
    await schedule.look(11, { jobs: [uid!, 'unknown'] });
    expect(await schedule.events()).toEqual([
      `UnexpectedJob: Saw a job that the controller did not create or forgot: ${slotJob(10)}`,
    ]);
    expect(await schedule.status()).toEqual({});
  });

  it('are of its namespace: one elsewhere only says that it is its own, and goes as if nobody owned it', async () => {
    const schedule = await Schedule.begin({ spec: { successfulJobsHistoryLimit: 0 } });
    const elsewhere = await Schedule.begin();
    await elsewhere.look(10);
    const [uid] = await elsewhere.uids();
    const [spec, status] = [await elsewhere.store.jobs.readSpec(uid!), await elsewhere.store.jobs.readStatus(uid!)];
    await openNamespace(schedule.store.objects, 'other');
    const identity = { ...spec!.identity, namespace: 'other', name: 'claims' };
    await schedule.store.jobs.createJob({ ...spec!, identity }, status!);
    await schedule.look(5, { jobs: [uid!] });
    expect(await schedule.events()).toEqual([]);
    expect((await schedule.store.crons.read(UID))?.state).toMatchObject({ jobs: [], lastSuccessAt: null });
    await collectOrphans(schedule.handler().deps);
    expect(await schedule.jobs()).toEqual([]);
  });
});

describe('a CronJob', () => {
  it('that is deleted while its Job is created leaves none', async () => {
    const schedule = await Schedule.begin();
    const by = schedule.handler();
    const held = by.hold('behind', 'jobs.createJob');
    const looking = schedule.look(10, { by });
    await held.reached;
    const object = await schedule.store.objects.read('CronJob', KEY);
    await schedule.store.objects.commit('CronJob', { key: KEY, was: object!.version, document: null });
    held.release();
    await looking;
    expect(await schedule.jobs()).toEqual([]);
  });

  it('whose creation died before its wake-up is found by the sweep', async () => {
    const schedule = await Schedule.begin();
    schedule.time = schedule.at(1);
    expect(await sweepCrons(schedule.handler().deps)).toBe(1);
  });

  it('whose change died before its wake-up is found by the sweep', async () => {
    const schedule = await Schedule.begin({ spec: { suspend: true } });
    await schedule.look(2);
    expect((await schedule.store.crons.read(UID))?.alarmAt).toBeNull();
    schedule.time = schedule.at(15);
    await schedule.commands().arm(UID, KEY);
    await schedule.change({ suspend: false });
    schedule.time = schedule.at(16);
    expect(await sweepCrons(schedule.handler().deps)).toBe(1);
    await schedule.look(16);
    expect(await schedule.jobs()).toEqual([slotJob(10)]);
  });

  it('that was announced and never came leaves no row', async () => {
    const schedule = await Schedule.begin();
    await schedule.commands().arm('never', { namespace: 'default', name: 'never' });
    const { reconcileCron } = await import('../../control/reconcile-cron.ts');
    await reconcileCron({ uid: 'never', jobs: [] }, schedule.handler().deps);
    expect(await schedule.store.crons.read('never')).not.toBeNull();
    schedule.time = schedule.at(1);
    await reconcileCron({ uid: 'never', jobs: [] }, schedule.handler().deps);
    expect(await schedule.store.crons.read('never')).toBeNull();
  });

  it('that is deleted has no Jobs and no row any more', async () => {
    const schedule = await Schedule.begin();
    await schedule.look(10);
    const object = await schedule.store.objects.read('CronJob', KEY);
    await schedule.commands().remove(object!, 'Background');
    expect([await schedule.jobs(), await schedule.store.crons.read(UID)]).toEqual([[], null]);
  });
});

describe('the sweep', () => {
  it('sends what is due within a minute so that it comes in time, once', async () => {
    const schedule = await Schedule.begin();
    await schedule.look(1); // the next is due at 10:10
    const { deps } = schedule.handler();
    for (const [minutes, woken] of [
      [8.9, 0],
      [9.1, 1],
      [9.6, 0],
      [10.5, 0], // the queue is behind
      [10.7, 1],
    ] as const) {
      schedule.time = schedule.at(minutes);
      expect(await sweepCrons(deps)).toBe(woken);
    }
    expect(schedule.sent).toEqual([
      { cron: UID, delaySec: 54 },
      { cron: UID, delaySec: 0 },
    ]);
  });

  it('gives a scheduler to CronJobs that have none', async () => {
    const schedule = await Schedule.begin();
    await schedule.store.crons.remove(UID);
    await adoptCrons(schedule.handler().deps);
    expect(await schedule.store.crons.read(UID)).toMatchObject({ alarmAt: schedule.at(1) });
  });

  it('deletes Jobs whose CronJob is gone, and no others', async () => {
    const schedule = await Schedule.begin();
    await schedule.look(10);
    const { reads } = await counted(schedule);
    expect([await schedule.jobs(), reads]).toEqual([[slotJob(10)], []]);
    const object = await schedule.store.objects.read('CronJob', KEY);
    await schedule.store.objects.commit('CronJob', { key: KEY, was: object!.version, document: null });
    expect((await counted(schedule)).reads).toContain('readSpec');
    expect(await schedule.jobs()).toEqual([]);
  });
});

/** Collects orphans; `reads`: the calls that read one Job. */
async function counted(schedule: Schedule): Promise<{ readonly reads: readonly string[] }> {
  const { deps } = schedule.handler();
  const reads: string[] = [];
  const readSpec: typeof deps.jobs.readSpec = async (uid) => {
    reads.push('readSpec');
    return deps.jobs.readSpec(uid);
  };
  await collectOrphans({ ...deps, jobs: { ...deps.jobs, readSpec } });
  return { reads };
}

describe('messages', () => {
  it('do not multiply: only a look that changes something sends for the next', async () => {
    const schedule = await Schedule.begin({ spec: { schedule: '* * * * *' } });
    for (let minute = 1; minute <= 5; minute++) {
      schedule.sent.length = 0;
      for (let n = 0; n < 4; n++) await schedule.look(minute);
      expect(schedule.sent.filter(({ delaySec }) => delaySec === 60)).toHaveLength(1);
    }
    expect(await schedule.jobs()).toHaveLength(5);
  });

  it.each([
    ['while a Job holds the next one back', 'TZ=UTC */10 * * * *', 20],
    ['while more slots were missed than are looked at', '*/10 * * * *', 1_100],
  ] as const)('do not multiply %s', async (_, text, later) => {
    const schedule = await Schedule.begin({ spec: { concurrencyPolicy: 'Forbid' } });
    await schedule.change({ schedule: text });
    await schedule.look(10);
    await schedule.look(later);
    const { version } = (await schedule.store.crons.read(UID))!;
    schedule.sent.length = 0;
    for (let n = 0; n < 4; n++) await schedule.look(later + 9 + n / 20); // the next slot is due within a minute
    expect(schedule.sent).toEqual([]);
    expect((await schedule.store.crons.read(UID))?.version).toBe(version);
  });

  it('do not multiply while Jobs are reported shortly before a slot', async () => {
    const schedule = await Schedule.begin();
    await schedule.look(10);
    await schedule.look(19);
    schedule.sent.length = 0;
    const [uid] = await schedule.uids();
    await deleteJob(uid!, schedule.handler().deps);
    schedule.sent.length = 0;
    await schedule.look(19.5, { jobs: [uid!] });
    expect(await schedule.events()).toContain(`MissingJob: Active job went missing: ${slotJob(10)}`);
    expect(schedule.sent).toEqual([]);
  });

  it('that come a second early wait for the moment; those that come earlier come again', async () => {
    const schedule = await Schedule.begin();
    await schedule.look(1);
    schedule.sent.length = 0;
    await schedule.look(9.95); // three seconds
    expect(schedule.sent).toEqual([{ cron: UID, delaySec: 3 }]);
    expect(await schedule.jobs()).toEqual([]);
    await schedule.look(9.99);
    expect([await schedule.jobs(), schedule.time]).toEqual([[slotJob(10)], schedule.at(10)]);
  });
});
