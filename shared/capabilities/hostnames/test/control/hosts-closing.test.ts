import { beforeEach, expect, test } from 'vitest';
import { closeHosts } from '../../control/hosts-closing.ts';
import { deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import { NAMED, NamedStage } from './a-named-stage.ts';

// What happens to the names of a Job that has ended, and to those of the next Job of its name.

let stage: NamedStage;
beforeEach(() => {
  stage = new NamedStage();
});

test('nothing remains of the names of a finished Job', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000 };
  const uid = await stage.job(NAMED);
  await stage.go(15);
  expect((await stage.status(uid)).phase.kind).toBe('finished');
  expect(await stage.leftovers(uid)).toEqual([]);
});

test('nothing remains of the names of a deleted Job', async () => {
  const uid = await stage.job(NAMED);
  await stage.go(3);
  expect(stage.dns.names()).toHaveLength(3);
  await deleteJob(uid, stage.worker.deps);
  await stage.go(10);
  expect(await stage.leftovers(uid)).toEqual([]);
});

test('a launch message long after the end of the Job creates no names', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000 };
  const uid = await stage.job(NAMED);
  await stage.worker.pass(uid);
  const packs = stage.takeDispatches();
  await stage.worker.dispatch(packs);
  await stage.go(15);
  expect(stage.dns.names()).toEqual([]);
  await stage.worker.dispatch(packs);
  expect(await stage.leftovers(uid)).toEqual([]);
});

test('closing affects only finished Jobs', async () => {
  const uid = await stage.job(NAMED);
  await stage.go(3);
  await stage.worker.dispatch([{ kind: 'closeHosts', uid }]);
  expect(stage.shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  expect(await stage.store.hosts.reservations()).toHaveLength(1);
});

test.each(['finished', 'deleted'])(
  'of a %s Job, closing reads what may have taken its name, and no more',
  async (end) => {
    stage.fate = { ...stage.fate, runMs: end === 'finished' ? 5_000 : 3_600_000 };
    const uid = await stage.job(NAMED);
    await stage.go(3);
    stage.trouble = (call) => (call === 'deleteService' ? 'Rate exceeded' : null);
    if (end === 'deleted') await deleteJob(uid, stage.worker.deps);
    await stage.go(12);
    const before = stage.worker.calls.length;
    await stage.worker.dispatch([{ kind: 'closeHosts', uid }]);
    const read = stage.worker.calls.slice(before).filter((call) => call.startsWith('jobs.'));
    expect(read).toEqual(['jobs.readStatus', 'jobs.readSpec', 'jobs.findJob']);
  },
);

test('names of a Job that nobody knows any more are removed', async () => {
  const uid = await stage.job(NAMED);
  await stage.go(3);
  expect(stage.dns.names()).toHaveLength(3);
  const jobs = { ...stage.worker.deps.jobs, readStatus: async () => null, readSpec: async () => null };
  await closeHosts(uid, { ...stage.worker.deps, jobs });
  expect(await stage.leftovers(uid)).toEqual([]);
});

test.each([
  ['has no names', { subdomain: undefined }],
  ['has other names', { subdomain: 'others' }],
  ['is over', { parallelism: 1, completions: 0 }],
])('services are removed though another Job of the same name exists, which %s', async (_, wish) => {
  const uid = await stage.job(NAMED);
  await stage.go(3);
  stage.trouble = (call) => (call === 'deleteService' ? 'Rate exceeded' : null);
  await deleteJob(uid, stage.worker.deps);
  await stage.go(10);
  const { subdomain, ...plain } = { ...NAMED, ...wish, uid: 'uid-2' };
  const next = await stage.job(subdomain === undefined ? plain : { ...plain, subdomain });
  await stage.settle(stage.worker);
  stage.trouble = null;
  await stage.worker.dispatch([{ kind: 'closeHosts', uid }]);
  expect(stage.dns.names().filter((name) => name.includes('.workers.'))).toEqual([]);
  expect(await stage.store.hosts.listHosts(uid)).toEqual([]);
  await deleteJob(next, stage.worker.deps);
});

test('another Job of the same name keeps the services that it found', async () => {
  const uid = await stage.job(NAMED);
  await stage.go(3);
  stage.trouble = (call) => (call === 'deleteService' ? 'Rate exceeded' : null);
  await deleteJob(uid, stage.worker.deps);
  await stage.go(10);
  const next = await stage.job({ ...NAMED, uid: 'uid-2' });
  await stage.settle(stage.worker);
  stage.trouble = null;
  await stage.worker.dispatch([{ kind: 'closeHosts', uid }]);
  expect(await stage.store.hosts.listHosts(uid)).toEqual([]);
  expect(stage.worker.calls.filter((call) => call === 'hostnames.ensureService')).toHaveLength(6);
  await stage.go(3);
  expect(stage.shown(next)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  expect(stage.worker.calls.filter((call) => call === 'hostnames.ensureService')).toHaveLength(6); // none was gone
});

test('a finished Job keeps its reservation until its names are gone', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000 };
  const uid = await stage.job(NAMED);
  stage.trouble = (call) => (call === 'deleteService' ? 'Rate exceeded' : null);
  await stage.go(130);
  expect((await stage.status(uid)).phase.kind).toBe('finished');
  expect(await stage.store.hosts.reservations()).toHaveLength(1);
  expect(stage.shown(uid)).toEqual(['', '', '']);
  expect(stage.mail.size('dispatch')).toBe(0);
  stage.trouble = null;
  await stage.go(121);
  expect(await stage.leftovers(uid)).toEqual([]);
});

test('closing continues message by message, however many names there are', async () => {
  stage.fate = { ...stage.fate, runMs: 5_000 };
  const uid = await stage.job({ ...NAMED, completions: 120, parallelism: 120 });
  await stage.go(3);
  expect(stage.dns.names()).toHaveLength(120);
  await stage.go(27);
  expect(await stage.leftovers(uid)).toEqual([]);
});

test('a Job of the same name takes the names over', async () => {
  const uid = await stage.job(NAMED);
  await stage.go(3);
  await deleteJob(uid, stage.worker.deps);
  const next = await stage.job({ ...NAMED, uid: 'uid-2' });
  await stage.go(60);
  expect(stage.shown(next)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
  expect(await stage.store.hosts.listHosts(uid)).toEqual([]);
  expect((await stage.store.hosts.reservations()).map((each) => each.uid)).toEqual([next]);
  await deleteJob(next, stage.worker.deps);
  await stage.go(60);
  expect(await stage.leftovers(next)).toEqual([]);
});
