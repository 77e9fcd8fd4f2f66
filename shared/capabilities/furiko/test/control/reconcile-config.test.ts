import { describe, expect, it } from 'vitest';
import { adoptCrons, collectOrphans, sweepCrons } from '../../../../control/schedulers/sweep-crons.ts';
import { ANNOTATIONS } from '../../../../domain/manifests/annotations.ts';
import { Config, KEY, UID, slotJob, uidOf } from './a-config.ts';

const ONE = { concurrency: { policy: 'Enqueue', maxConcurrency: 1 } };

describe('Jobs that take turns', () => {
  it('start in the order of their places', async () => {
    const config = await Config.begin(ONE);
    for (const name of ['a', 'b', 'c']) await config.run(name);
    expect(await config.letIn()).toEqual(['a']);
    await config.look(1);
    expect(await config.places()).toEqual(['a active', 'b queued', 'c queued']);
    expect(await config.status()).toMatchObject({ state: 'Executing', active: 1, queued: 2 });
    await config.end('a');
    await config.look(2, { jobs: ['a'] });
    expect(await config.letIn()).toEqual(['b']);
    await config.end('b');
    await config.look(3, { jobs: ['b'] });
    expect(await config.letIn()).toEqual(['c']);
    await config.end('c');
    await config.look(4, { jobs: ['c'] });
    expect(await config.places()).toEqual([]);
    expect(await config.status()).toEqual({
      state: 'Ready',
      queued: 0,
      active: 0,
      lastExecuted: '2026-01-01T10:00:03Z',
    });
  });

  it.each([
    ['before the row is written', 'before', 'crons.write', 1],
    ['behind the row', 'behind', 'crons.write', 1],
    ['before the Job is started', 'before', 'jobs.commitSpec', 1],
    ['behind it', 'behind', 'jobs.commitSpec', 1],
    ['before the status', 'before', 'objects.commit', 1],
  ] as const)('start once where a scheduler dies %s', async (_, where, call, nth) => {
    const config = await Config.begin(ONE);
    for (const name of ['a', 'b', 'c']) await config.run(name);
    await config.look(1);
    await config.end('a');
    await config.dieAt(2, where, call, nth);
    await config.look(3);
    expect(await config.letIn()).toEqual(['b']);
    expect(await config.status()).toMatchObject({ active: 1, queued: 1 });
  });

  it('start once, however many look at once', async () => {
    const config = await Config.begin(ONE);
    for (const name of ['a', 'b', 'c']) await config.run(name);
    await config.end('a');
    await Promise.all(Array.from({ length: 6 }, () => config.look(2)));
    expect(await config.letIn()).toEqual(['b']);
  });

  it('start when one that ran is deleted, or one that waited is', async () => {
    const config = await Config.begin(ONE);
    for (const name of ['a', 'b', 'c']) await config.run(name);
    await config.delete('b');
    await config.delete('a');
    await config.look(2);
    expect(await config.letIn()).toEqual(['c']);
  });

  it('start at their time, and are passed over before', async () => {
    const config = await Config.begin(ONE);
    await config.run('late', { startAfter: '2026-01-01T10:01:00Z' });
    await config.run('a');
    await config.look(1);
    expect(await config.letIn()).toEqual(['a']);
    await config.end('a');
    await config.look(58);
    expect(await config.letIn()).toEqual([]);
    await config.look(60);
    expect(await config.letIn()).toEqual(['late']);
  });

  it('of policy Forbid are turned away if the JobConfig is busy when their time comes', async () => {
    const config = await Config.begin(ONE);
    await config.run('late', { startAfter: '2026-01-01T10:01:00Z', concurrencyPolicy: 'Forbid' });
    await config.run('a');
    await config.look(60);
    const spec = await config.store.jobs.readSpec(uidOf('late'));
    expect(spec?.furiko?.admissionError).toContain('as many active Jobs as it allows');
    expect(spec?.manifest.metadata.annotations).toMatchObject({ [ANNOTATIONS.killAt]: '2026-01-01T10:01:00Z' });
    await config.look(61);
    expect(await config.places()).toEqual(['a active']);
  });

  it('wait when the limit is lowered, and start when it is raised', async () => {
    const config = await Config.begin({ concurrency: { policy: 'Enqueue', maxConcurrency: 2 } });
    for (const name of ['a', 'b', 'c']) await config.run(name);
    await config.change({ concurrency: { policy: 'Enqueue', maxConcurrency: 1 } });
    await config.end('a');
    await config.look(1);
    expect(await config.letIn()).toEqual(['b']);
    await config.change({ concurrency: { policy: 'Enqueue', maxConcurrency: 3 } });
    await config.look(2);
    expect(await config.letIn()).toEqual(['b', 'c']);
  });
});

describe('places', () => {
  it('are refused by Forbid, and by a full queue', async () => {
    const config = await Config.begin(ONE);
    await config.run('a');
    expect(await config.run('b', { concurrencyPolicy: 'Forbid' })).toEqual({
      kind: 'refused',
      message: 'concurrency policy is Forbid: 1 Job active, 1 at most',
    });
    for (let n = 0; n < 20; n++) expect(await config.run(`q${n}`)).toMatchObject({ place: 'queued' });
    expect(await config.run('late')).toMatchObject({ kind: 'refused' });
    expect(await config.jobs()).toHaveLength(21);
  });

  it('are given back if the Job is refused', async () => {
    const config = await Config.begin(ONE);
    await config.run('a');
    await config.run('b');
    const again = await config.run('b', {}, config.handler(), uidOf('b-again'));
    expect(again).toMatchObject({ kind: 'taken', place: 'queued' });
    expect(await config.places()).toEqual(['a starting', 'b queued']);
    expect(config.sent.at(-1)).toEqual({ cron: UID, delaySec: 0 });
  });

  it('are not given back for a Job that is there', async () => {
    const config = await Config.begin(ONE);
    await config.run('a');
    await config.commands().givePlaceBack(UID, uidOf('a'));
    expect(await config.places()).toEqual(['a starting']);
  });

  it('are kept while their Job may still come, in their order, and then dropped', async () => {
    const config = await Config.begin(ONE);
    await config.run('a');
    const by = config.handler();
    const held = by.hold('before', 'jobs.createJob');
    void config.run('dead', {}, by);
    await held.reached;
    await config.run('b');
    await config.end('a');
    await config.look(119);
    expect(await config.letIn()).toEqual([]);
    expect(await config.places()).toEqual(['dead queued', 'b queued']);
    await config.look(121);
    expect(await config.letIn()).toEqual(['b']);
  });

  it('go to Jobs that come too late for theirs', async () => {
    const config = await Config.begin(ONE);
    await config.run('a');
    const by = config.handler();
    const held = by.hold('before', 'jobs.createJob');
    const slow = config.run('slow', {}, by);
    await held.reached;
    await config.look(130);
    expect(await config.places()).toEqual(['a active']);
    held.release();
    await slow;
    expect(config.sent.at(-1)).toMatchObject({ cron: UID, jobs: [uidOf('slow')] });
    await config.look(131, { jobs: ['slow'] });
    expect(await config.places()).toEqual(['a active', 'slow queued']);
    expect(await config.events()).toEqual(['UnexpectedJob: Saw a job that had no place: slow']);
  });

  it('are many users’ at once, and never too many', async () => {
    const config = await Config.begin({ concurrency: { policy: 'Enqueue', maxConcurrency: 3 } });
    const given = await Promise.all(Array.from({ length: 12 }, (_, n) => config.run(`job-${n}`)));
    expect(given.filter((each) => 'place' in each && each.place === 'active')).toHaveLength(3);
    expect(await config.letIn()).toHaveLength(3);
    expect(await config.places()).toHaveLength(12);
  });

  it('are none of a JobConfig that is gone', async () => {
    const config = await Config.begin(ONE);
    const object = await config.found();
    expect(await config.owned().remove(object, 'Background')).toEqual({ kind: 'deleted' });
    const wanted = { uid: uidOf('a'), name: 'a', policy: 'Enqueue', startAfter: null, at: config.time } as const;
    expect(await config.commands().takePlace(UID, KEY, wanted)).toEqual({ kind: 'gone' });
    expect(await config.store.crons.read(UID)).toBeNull();
  });
});

describe('slots', () => {
  const MINUTELY = { schedule: { cron: { expression: '* * * * *' } }, concurrency: { policy: 'Allow' } };

  it('get a Job that says whose it is, and for when', async () => {
    const config = await Config.begin(MINUTELY);
    await config.look(60);
    expect(await config.jobs()).toEqual([slotJob(60)]);
    const { jobs } = await config.store.jobs.listJobs({ namespace: null, after: null, limit: 1 });
    const spec = await config.store.jobs.readSpec(jobs[0]!.uid);
    expect(spec?.furiko).toMatchObject({ spec: { type: 'Scheduled' }, config: { name: 'build', uid: UID } });
    expect(spec?.manifest.metadata.ownerReferences).toMatchObject([{ kind: 'JobConfig', uid: UID, controller: true }]);
    expect(await config.status()).toMatchObject({
      state: 'Executing',
      active: 1,
      activeJobs: [{ name: slotJob(60) }],
      lastScheduled: '2026-01-01T10:01:00Z',
    });
    expect(await config.events()).toEqual([`SuccessfulCreate: Created job ${slotJob(60)}`]);
  });

  it.each([
    ['before its place', 'before', 'crons.write', 1],
    ['behind its place', 'behind', 'crons.write', 1],
    ['before its Job', 'before', 'jobs.createJob', 1],
    ['behind its Job', 'behind', 'jobs.createJob', 1],
    ['before its place is settled', 'before', 'crons.write', 2],
    ['before its status', 'before', 'objects.commit', 1],
    ['behind its status', 'behind', 'objects.commit', 1],
  ] as const)('get one Job where a scheduler dies %s', async (_, where, call, nth) => {
    const config = await Config.begin(MINUTELY);
    await config.dieAt(60, where, call, nth);
    await config.look(90);
    expect(await config.jobs()).toEqual([slotJob(60)]);
    expect(await config.status()).toMatchObject({ active: 1, lastScheduled: '2026-01-01T10:01:00Z' });
    expect(await config.events()).toHaveLength(1);
  });

  it('get one Job, however many look at once', async () => {
    const config = await Config.begin(MINUTELY);
    await Promise.all(Array.from({ length: 8 }, () => config.look(60)));
    expect(await config.jobs()).toEqual([slotJob(60)]);
    expect(await config.events()).toHaveLength(1);
  });

  it('wait in the queue like others', async () => {
    const config = await Config.begin({ ...MINUTELY, concurrency: { policy: 'Enqueue', maxConcurrency: 1 } });
    await config.run('a');
    await config.look(60);
    expect(await config.letIn()).toEqual(['a']);
    expect(await config.places()).toEqual(['a active', `${slotJob(60)} queued`]);
    await config.end('a');
    await config.look(61, { jobs: ['a'] });
    expect(await config.letIn()).toEqual([slotJob(60)]);
  });

  it('whose Job is refused are skipped, and said so', async () => {
    const config = await Config.begin({
      ...MINUTELY,
      option: { options: [{ type: 'String', name: 'who', required: true }] },
    });
    await config.look(60);
    expect(await config.jobs()).toEqual([]);
    expect((await config.events())[0]).toContain(`FailedCreate: Error creating job ${slotJob(60)}: it is invalid: `);
    expect(await config.places()).toEqual([]);
  });

  it('whose Job would have no command, where no image is pulled, are skipped, and said so', async () => {
    const pod = { spec: { containers: [{ name: 'main', image: 'busybox' }] } };
    const config = await Config.begin({ ...MINUTELY, template: { spec: { taskTemplate: { pod } } } });
    const here = config.handler();
    const settings = { ...here.deps.settings, needsCommand: true };
    await config.look(60, { by: { deps: { ...here.deps, settings } } as unknown as typeof here });
    expect(await config.jobs()).toEqual([]);
    expect((await config.events())[0]).toContain(
      'template.taskTemplate.pod.spec.containers[0].command: Required value',
    );
  });

  it('whose Job would mount a folder that is not allowed any more are skipped, and said so', async () => {
    const containers = [{ name: 'main', image: 'busybox', command: ['true'] }];
    const pod = { spec: { containers, volumes: [{ name: 'in', hostPath: { path: '/srv/in' } }] } };
    const config = await Config.begin({ ...MINUTELY, template: { spec: { taskTemplate: { pod } } } });
    await config.look(60);
    expect(await config.jobs()).toEqual([]);
    expect((await config.events())[0]).toContain('volumes[0].hostPath: Forbidden');
    const here = config.handler();
    const settings = { ...here.deps.settings, hostFolders: ['/srv'] };
    await config.look(120, { by: { deps: { ...here.deps, settings } } as unknown as typeof here });
    expect(await config.jobs()).toHaveLength(1);
  });

  it('whose name a Job has are skipped', async () => {
    const config = await Config.begin(MINUTELY);
    await config.run(slotJob(60));
    await config.look(60);
    expect((await config.events())[0]).toContain('already exists');
    expect(await config.places()).toEqual([`${slotJob(60)} active`]);
  });

  it('send a wake-up for the next, if it is soon', async () => {
    const config = await Config.begin({ ...MINUTELY, schedule: { cron: { expression: '*/20 * * * * * *' } } });
    await config.look(20);
    expect(config.sent).toEqual([{ cron: UID, delaySec: 20 }]);
    await config.look(40);
    expect(config.sent).toHaveLength(2);
  });

  it('is woken for its next slot, although others change it meanwhile', async () => {
    const config = await Config.begin({ ...MINUTELY, schedule: { cron: { expression: '*/20 * * * * * *' } } });
    const by = config.handler();
    by.arrange('objects.commit', async () => ({ kind: 'lost' })); // the status, which another look has just written
    await config.look(20, { by });
    expect(config.sent).toEqual([{ cron: UID, delaySec: 20 }]);
  });

  it('are found by the sweep', async () => {
    const config = await Config.begin(MINUTELY);
    await config.look(1);
    config.time = config.at(55);
    expect(await sweepCrons(config.handler().deps)).toBe(1);
    expect(config.sent.at(-1)).toMatchObject({ cron: UID, delaySec: 5 });
  });
});

describe('a JobConfig that is deleted', () => {
  it('takes its Jobs along', async () => {
    const config = await Config.begin(ONE);
    for (const name of ['a', 'b']) await config.run(name);
    expect(await config.owned().remove(await config.found(), 'Foreground')).toEqual({ kind: 'deleted' });
    expect(await config.jobs()).toEqual([]);
    expect(await config.store.crons.read(UID)).toBeNull();
  });

  it('lets those that waited start, if they are to outlive it', async () => {
    const config = await Config.begin(ONE);
    for (const name of ['a', 'b']) await config.run(name);
    expect(await config.owned().remove(await config.found(), 'Orphan')).toEqual({ kind: 'deleted' });
    expect(await config.letIn()).toEqual(['a', 'b']);
  });

  it('takes along a Job that comes late', async () => {
    const config = await Config.begin(ONE);
    const by = config.handler();
    const held = by.hold('before', 'jobs.createJob');
    const slow = config.run('slow', {}, by);
    await held.reached;
    await config.owned().remove(await config.found(), 'Background');
    held.release();
    await slow;
    expect(await config.jobs()).toEqual([]);
  });

  it('is looked after daily: one without a row gets one, and strays go', async () => {
    const config = await Config.begin(ONE);
    await config.run('a');
    await config.store.crons.remove(UID);
    expect(await adoptCrons(config.handler().deps)).toEqual(new Map([[`${KEY.namespace}/${UID}`, 'JobConfig']]));
    await collectOrphans(config.handler().deps);
    expect(config.sent.at(-1)).toMatchObject({ cron: UID, jobs: [uidOf('a')] });
    await config.look(1, { jobs: ['a'] });
    expect(await config.places()).toEqual(['a active']);
    const { version } = await config.found();
    await config.store.objects.commit('JobConfig', { key: KEY, was: version, document: null });
    await collectOrphans(config.handler().deps);
    expect(await config.jobs()).toEqual([]);
  });
});
