import { beforeEach, expect, test } from 'vitest';
import { NAMED, NamedStage } from './a-named-stage.ts';

// Cloud Map refuses, fails, or has lost a service.

let stage: NamedStage;
beforeEach(() => {
  stage = new NamedStage();
});

test('an index is not launched before its name exists', async () => {
  stage.worker.arrange('hostnames.ensureService', async () => Promise.reject(new Error('socket hang up')));
  const uid = await stage.job({ ...NAMED, completions: 1 });
  await stage.settle(stage.worker);
  expect(stage.started(uid, 0)).toEqual([]);
  await stage.go(5);
  expect(stage.shown(uid, 1)).toEqual(['attempt 1']);
});

test('a service that was deleted is created again', async () => {
  const uid = await stage.job({ ...NAMED, completions: 1 });
  await stage.settle(stage.worker);
  const [row] = await stage.store.hosts.listHosts(uid);
  await stage.dns.deleteService(row!.hosts[0]!.serviceId);
  await stage.go(3);
  expect(stage.shown(uid, 1)).toEqual(['attempt 1']);
});

test('an outage of Cloud Map delays names, not Jobs, and names are correct afterwards', async () => {
  const uid = await stage.job(NAMED);
  await stage.settle(stage.worker);
  stage.trouble = (call) => (call === 'register' ? 'Rate exceeded' : null);
  await stage.go(200);
  expect(stage.shown(uid)).toEqual(['', '', '']);
  expect(stage.mail.size('dispatch')).toBe(0); // the sweep takes over, and messages do not pile up
  stage.trouble = null;
  await stage.go(61);
  expect(stage.shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
});

test('an index waits, with the reason, while its name cannot be created', async () => {
  stage.trouble = (call) => (call === 'ensureService' ? 'ResourceLimitExceeded: no more services' : null);
  const uid = await stage.job(NAMED);
  await stage.go(5);
  expect(stage.started(uid, 0)).toEqual([]);
  expect((await stage.status(uid)).waitReason).toContain('no more services');
  stage.trouble = null;
  await stage.go(60);
  expect(stage.shown(uid)).toEqual(['attempt 1', 'attempt 1', 'attempt 1']);
});

test('an impossible name fails the Job', async () => {
  stage.dns.ensureService = async () => ({ kind: 'fatal', reason: 'AccessDeniedException: no' });
  const uid = await stage.job(NAMED);
  await stage.go(10);
  expect(await stage.status(uid)).toMatchObject({
    phase: { kind: 'finished', verdict: { reason: 'LaunchRefused' } },
  });
  expect(await stage.leftovers(uid)).toEqual([]);
});

test('a missing name does not withdraw a launch in progress', async () => {
  const uid = await stage.job({ ...NAMED, completions: 1 });
  await stage.worker.pass(uid);
  const packs = stage.takeDispatches();
  await stage.worker.dispatch(packs); // its answer is lost
  stage.take('facts');
  const { row, version } = await stage.store.hosts.readHosts(uid, 0);
  await stage.store.hosts.writeHosts(uid, { row, version, hosts: [] }, stage.time);
  stage.trouble = (call) => (call === 'ensureService' ? 'Rate exceeded' : null);
  await stage.worker.dispatch(packs);
  stage.trouble = null;
  await stage.go(10);
  expect(stage.started(uid, 0).map((task) => task.stage)).toEqual(['running']);
  expect(await stage.board(uid)).toMatchObject([{ state: 'running', attempt: 1, nonce: 0 }]);
});
