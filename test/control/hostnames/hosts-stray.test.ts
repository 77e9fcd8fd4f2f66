import { beforeEach, expect, test } from 'vitest';
import type { MemoryHostnames } from '../../../shared/adapters/memory/memory-hostnames.ts';
import { sweepStrangeNames } from '../../../shared/control/hostnames/hosts-sweep.ts';
import { deleteJob } from '../../../shared/control/lifecycle/job-changes.ts';
import { asJobUid } from '../../../shared/domain/base/ids.ts';
import type { Handler } from '../../support/a-handler.ts';
import { NAMED, NamedStage, nameOf } from './a-named-stage.ts';

// Names and reservations that no Job needs.

let stage: NamedStage;
let dns: MemoryHostnames;
let handler: Handler;
const go = async (seconds: number): Promise<void> => stage.go(seconds, handler);

beforeEach(() => {
  stage = new NamedStage();
  dns = stage.dns;
  handler = stage.handler();
});

test('a reservation for a Job that was never created is released after five minutes', async () => {
  await stage.store.hosts.reserve(asJobUid('never'), 10, 2_000, stage.time);
  await go(240);
  expect(await stage.store.hosts.reservations()).toHaveLength(1);
  await go(120);
  expect(await stage.store.hosts.reservations()).toEqual([]);
});

test('a listing finds services that no open Job needs; those of open Jobs and of others stay', async () => {
  const uid = await stage.job(NAMED);
  await go(3);
  const lost = await dns.ensureService('gone-0.workers.default');
  if (lost.kind === 'ready') await dns.register(lost.serviceId, 'some-task', '10.1.1.1');
  await dns.ensureService('train-0.others.default'); // the Job's name, but not its subdomain
  expect(await sweepStrangeNames(handler.deps)).toBe(2);
  expect(dns.names()).toEqual([0, 1, 2].map((index) => nameOf(index)));
  // A Job whose reservation was lost is still under its name.
  await stage.store.hosts.release(uid);
  expect(await sweepStrangeNames(handler.deps)).toBe(0);
  await deleteJob(uid, handler.deps);
  await go(10);
  expect(await stage.leftovers(uid)).toEqual([]);
});

test('a Job that takes over a stray name during its removal keeps its tasks under it', async () => {
  await dns.ensureService(nameOf(0));
  const slow = stage.handler();
  const held = slow.hold('before', 'hostnames.tasksIn');
  const sweep = sweepStrangeNames(slow.deps);
  await held.reached;
  const uid = await stage.job({ ...NAMED, completions: 1 });
  await go(3);
  expect(stage.shown(uid, 1)).toEqual(['attempt 1']);
  held.release();
  expect(await sweep).toBe(0);
  await go(120);
  expect(stage.shown(uid, 1)).toEqual(['attempt 1']);
});

test('names of a deleted Job are not stray while its tasks stop', async () => {
  stage.fate = { ...stage.fate, stopMs: 100_000 };
  const uid = await stage.job(NAMED);
  await go(3);
  await deleteJob(uid, handler.deps);
  await stage.settle(handler);
  expect(await sweepStrangeNames(handler.deps)).toBe(0);
});
