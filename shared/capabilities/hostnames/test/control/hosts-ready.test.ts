import { beforeEach, describe, expect, test } from 'vitest';
import { sweepStrangeNames } from '../../control/hosts-sweep.ts';
import { deleteJob, deletePod } from '../../../../control/lifecycle/job-changes.ts';
import type { JobUid } from '../../../../domain/base/ids.ts';
import { BAD } from '../../../../../test/support/a-stage.ts';
import { NamedStage } from './a-named-stage.ts';

// The name that says that all indexes of a Job run.

let stage: NamedStage;
beforeEach(() => {
  stage = new NamedStage();
});

const GANG = {
  name: 'train',
  subdomain: 'workers',
  completions: 3,
  parallelism: 3,
  annotations: { 'muster.run/gang': 'all', 'muster.run/gang-timeout-seconds': '60', 'muster.run/gang-restarts': '1' },
};
const READY = 'train-ready.workers.default';
const addresses = (): readonly string[] => [...stage.dns.lookUp(READY).values()];

const addressOf = (uid: JobUid, index: number): string | null | undefined =>
  stage.live(uid, index).find(({ stage: at }) => at === 'running')?.privateIp;

test('it leads to the first index while all of them run', async () => {
  const uid = await stage.job(GANG);
  await stage.settle(stage.worker);
  expect([stage.dns.names().includes(READY), addresses()]).toEqual([true, []]);
  await stage.go(4);
  expect(addresses()).toEqual([addressOf(uid, 0)]);
  expect(await stage.store.hosts.reservations()).toMatchObject([{ uid, count: 4 }]);
});

test('it is not there before the last of their own names is', async () => {
  let isOpen = false;
  const uid = await stage.job(GANG);
  const register = stage.dns.register.bind(stage.dns);
  stage.dns.register = async (service, task, ip) =>
    isOpen || stage.live(uid, 2).every(({ privateIp }) => privateIp !== ip)
      ? register(service, task, ip)
      : { kind: 'later', reason: 'Rate exceeded' };
  await stage.go(10);
  expect((await stage.status(uid)).gang?.isReady).toBe(true);
  expect(addresses()).toEqual([]);
  isOpen = true;
  await stage.go(70);
  expect(addresses()).toEqual([addressOf(uid, 0)]);
});

test('it goes when one ends, and comes back with its next attempt, under another record', async () => {
  const uid = await stage.job(GANG);
  await stage.go(4);
  const [first] = stage.dns.lookUp(READY).keys();
  await deletePod(uid, { index: 2, attempt: 1, nonce: 0 }, stage.worker.deps);
  await stage.go(2);
  expect(addresses()).toEqual([]);
  await stage.go(30);
  expect(addresses()).toEqual([addressOf(uid, 0)]);
  const [second] = stage.dns.lookUp(READY).keys();
  expect(second).not.toBe(first);
});

test('a gang of which one never runs starts again, then fails, and no name is left', async () => {
  const uid = await stage.job(GANG);
  const run = stage.tasks.run.bind(stage.tasks);
  stage.tasks.run = async (launch) =>
    launch.id.index === 1 ? { kind: 'refused', reason: 'Capacity is unavailable at this time' } : run(launch);
  await stage.go(55);
  expect(stage.live(uid, 0)).toHaveLength(1);
  await stage.go(45);
  const status = await stage.status(uid);
  expect([status.phase.kind, status.gang?.restarts, status.failed]).toEqual(['running', 1, 0]);
  expect(stage.started(uid, 0).map(({ stage: at }) => at)).toEqual(['stopped', 'running']);
  await stage.go(100);
  expect((await stage.status(uid)).phase).toMatchObject({
    kind: 'finished',
    verdict: {
      reason: 'GangTimeout',
      message: '2 of 3 indexes ran within 60 s; index 1 did not: ECS has not accepted its task (try 2 of 2)',
    },
  });
  expect([0, 2].flatMap((index) => stage.live(uid, index))).toEqual([]);
  expect(addresses()).toEqual([]);
  await stage.go(70);
  expect(stage.dns.names()).toEqual([]);
  expect(await stage.store.hosts.reservations()).toEqual([]);
});

describe('what is lost or late', () => {
  test.each(['appears', 'goes'])('the sweep sees to it that the name %s', async (what) => {
    const uid = await stage.job(GANG);
    await stage.go(what === 'goes' ? 4 : 0);
    if (what === 'goes') await deletePod(uid, { index: 1, attempt: 1, nonce: 0 }, stage.worker.deps);
    const isReadyMessage = (row: number): boolean => row > 1_000;
    const { queues } = stage.worker.deps;
    const dispatch = queues.dispatch.bind(queues);
    queues.dispatch = async (messages, delay) =>
      dispatch(
        messages.filter((message) => message.kind !== 'hosts' || !isReadyMessage(message.row)),
        delay,
      );
    stage.fate = { ...stage.fate, startMs: what === 'goes' ? 3_600_000 : 1_000 };
    await stage.go(10);
    expect(addresses()).toHaveLength(what === 'goes' ? 1 : 0);
    queues.dispatch = dispatch;
    await stage.go(60);
    expect(addresses()).toEqual(what === 'goes' ? [] : [addressOf(uid, 0)]);
  });

  test('a registration that lands when one has ended is removed', async () => {
    const uid = await stage.job(GANG);
    const slow = stage.handler();
    const messages = await stage.begin();
    await stage.worker.dispatch(messages.filter((message) => message.kind === 'hosts' && message.row === 0));
    const held = slow.hold('before', 'hostnames.register');
    const late = slow.dispatch(messages.filter((message) => message.kind === 'hosts' && message.row > 0));
    await held.reached;
    await deletePod(uid, { index: 1, attempt: 1, nonce: 0 }, stage.worker.deps);
    await stage.settle(stage.worker);
    stage.fate = { ...stage.fate, startMs: 3_600_000 };
    await stage.go(2);
    held.release();
    await late;
    expect(addresses()).toEqual([]);
  });

  test('a Job of the same name does not find what the one before has left', async () => {
    const uid = await stage.job(GANG);
    await stage.go(4);
    stage.trouble = (call) => (call === 'deregister' ? 'Rate exceeded' : null);
    await deleteJob(uid, stage.worker.deps);
    await stage.go(2);
    expect(addresses()).toHaveLength(1);
    stage.fate = { ...stage.fate, startMs: 20_000 };
    const next = await stage.job({ ...GANG, uid: 'uid-2' });
    await stage.go(5);
    expect(stage.started(next, 0)).toEqual([]);
    stage.trouble = null;
    await stage.go(10);
    expect([stage.live(next, 0).length, addresses()]).toEqual([1, []]);
    await stage.go(60);
    expect(addresses()).toEqual([addressOf(next, 0)]);
  });

  test('a name that a dead creator has left is removed within the hour, and that of an open Job stays', async () => {
    await stage.dns.ensureService('other-ready.workers.default');
    await stage.dns.ensureService(READY);
    await stage.job({ ...GANG, annotations: {} });
    await sweepStrangeNames(stage.worker.deps);
    expect(stage.dns.names()).toEqual([]);
    await stage.job({ ...GANG, uid: 'uid-2', name: 'open' });
    await stage.go(4);
    await sweepStrangeNames(stage.worker.deps);
    expect(stage.dns.names()).toContain('open-ready.workers.default');
  });
});

test('a task that fails is tried again without the others', async () => {
  stage.fate = { ...stage.fate, runMs: 30_000, ending: BAD };
  const uid = await stage.job({ ...GANG, annotations: { 'muster.run/gang': 'all' } });
  await stage.go(25);
  stage.fate = { ...stage.fate, runMs: 3_600_000 };
  await stage.go(60);
  expect([0, 1, 2].map((index) => stage.started(uid, index).length)).toEqual([2, 2, 2]);
  expect(addresses()).toEqual([addressOf(uid, 0)]);
  expect((await stage.status(uid)).gang?.restarts).toBe(0);
});
