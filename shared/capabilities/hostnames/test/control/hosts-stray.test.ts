import { beforeEach, expect, test } from 'vitest';
import { sweepStrangeNames } from '../../control/hosts-sweep.ts';
import { deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { NAMED, NamedStage, nameOf } from './a-named-stage.ts';

// Names and reservations that no Job needs.

let stage: NamedStage;
beforeEach(() => {
  stage = new NamedStage();
});

test('a reservation for a Job that was never created is released after five minutes', async () => {
  await stage.store.hosts.reserve(asJobUid('never'), 10, 2_000, stage.time);
  await stage.go(240);
  expect(await stage.store.hosts.reservations()).toHaveLength(1);
  await stage.go(120);
  expect(await stage.store.hosts.reservations()).toEqual([]);
});

test('a listing finds services that no open Job needs; those of open Jobs and of others stay', async () => {
  const uid = await stage.job(NAMED);
  await stage.go(3);
  const lost = await stage.dns.ensureService('gone-0.workers.default');
  if (lost.kind === 'ready') await stage.dns.register(lost.serviceId, 'some-task', '10.1.1.1');
  await stage.dns.ensureService('train-0.others.default'); // the Job's name, but not its subdomain
  expect(await sweepStrangeNames(stage.worker.deps)).toBe(2);
  expect(stage.dns.names()).toEqual([0, 1, 2].map((index) => nameOf(index)));
  // A Job whose reservation was lost is still under its name.
  await stage.store.hosts.release(uid);
  expect(await sweepStrangeNames(stage.worker.deps)).toBe(0);
  await deleteJob(uid, stage.worker.deps);
  await stage.go(10);
  expect(await stage.leftovers(uid)).toEqual([]);
});

test('a Job that takes over a stray name during its removal keeps its tasks under it', async () => {
  await stage.dns.ensureService(nameOf(0));
  const slow = stage.handler();
  const held = slow.hold('before', 'hostnames.tasksIn');
  const sweep = sweepStrangeNames(slow.deps);
  await held.reached;
  const uid = await stage.job({ ...NAMED, completions: 1 });
  await stage.go(3);
  expect(stage.shown(uid, 1)).toEqual(['attempt 1']);
  held.release();
  expect(await sweep).toBe(0);
  await stage.go(120);
  expect(stage.shown(uid, 1)).toEqual(['attempt 1']);
});

test('names of a deleted Job are not stray while its tasks stop', async () => {
  stage.fate = { ...stage.fate, stopMs: 100_000 };
  const uid = await stage.job(NAMED);
  await stage.go(3);
  await deleteJob(uid, stage.worker.deps);
  await stage.settle(stage.worker);
  expect(await sweepStrangeNames(stage.worker.deps)).toBe(0);
});
