import { describe, expect, test } from 'vitest';
import { createMemoryHostnames } from '../../shared/capabilities/hostnames/test/memory-hostnames.ts';
import type { Handler } from '../support/a-handler.ts';
import { type JobWish, aJob } from '../support/a-job.ts';
import { Stage } from '../support/a-stage.ts';
import { CREATION_STEPS } from '../../shared/control/lifecycle/creation-steps.ts';
import { createJob, createJobCommands } from '../../shared/control/lifecycle/job-changes.ts';
import { type Step, reserveAll } from '../../shared/control/lifecycle/reserve-all.ts';
import { asJobUid } from '../../shared/domain/base/ids.ts';
import { aQuota, quotaOf } from '../../shared/capabilities/quotas/test/control/a-quota.ts';

const UID = asJobUid('uid-new');
const aNew = (wish: JobWish = {}) => aJob({ uid: UID, name: 'new', subdomain: 'workers', ...wish });

/** Where a quota has room for two Jobs more, and a LimitRange says what containers get. */
async function aScene(): Promise<Stage> {
  const stage = new Stage();
  await stage.job({ uid: 'uid-first', name: 'first' });
  stage.ports = { hostnames: createMemoryHostnames({ zone: 'muster.internal' }) };
  await limitCpu(stage, 'most', '2');
  await aQuota(stage.handler().deps, { 'count/jobs.batch': '3' });
  return stage;
}

async function limitCpu({ store: { objects } }: Stage, name: string, cpu: string): Promise<void> {
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, creationTimestamp: '2027-01-15T08:00:00Z' };
  const limit = { type: 'Container', max: { cpu }, default: { cpu } };
  const document = { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits: [limit] } };
  await objects.commit('LimitRange', { key: { namespace: 'default', name }, was: 0, document });
}

/** Jobs that count, and reservations of which no outcome is known. */
async function room({ store }: Stage): Promise<readonly unknown[]> {
  const { ledger, used } = await quotaOf(store.objects);
  return [used['count/jobs.batch'], ledger.open.length];
}

const WHY = { kind: 'forbidden', why: 'for a test' } as const;
const REFUSING: Step = { name: 'refuses', check: async () => WHY, reserve: async () => WHY };

const READS = /^[a-z]+[.](find|list|read|reservations)/i;
const writesOf = ({ calls }: Handler): readonly string[] => calls.filter((call) => !READS.test(call));

test('the steps of quotas stand where nothing is taken yet, and before names and items', () => {
  const names = CREATION_STEPS.map(({ name }) => name);
  expect(names.slice(2, 6)).toEqual(['LimitRanges', 'Jobs that it waits for', 'room in quotas', 'names of tasks']);
});

test('a new Job gets what LimitRanges say, and its room, which the next who asks settles', async () => {
  const stage = await aScene();
  const { deps } = stage.handler();
  const containers = [{ resources: { limits: { cpu: '2' } } }];
  const manifest = { spec: { template: { spec: { containers } } } };
  expect(await createJob(aNew(), deps)).toMatchObject({ kind: 'created', spec: { manifest } });
  expect(await room(stage)).toEqual([2, 1]);
  await createJob(aJob({ uid: 'uid-next', name: 'next' }), deps);
  expect(await room(stage)).toEqual([3, 1]);
});

test('the room of a Job that a later step refuses is given back', async () => {
  const stage = await aScene();
  const { deps } = stage.handler();
  expect(await reserveAll([...CREATION_STEPS.slice(0, -1), REFUSING], aNew(), deps)).toEqual(WHY);
  expect(await room(stage)).toEqual([1, 0]);
  expect(await stage.store.hosts.reservations()).toEqual([]);
});

const REFUSALS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  // Later in the order of names: the default is that of the first.
  'a LimitRange': async (stage) => limitCpu(stage, 'most-of-all', '1'),
  'a quota': async (stage) => aQuota(stage.handler().deps, { 'count/jobs.batch': '1' }, 'tiny'),
};

describe.each(Object.entries(REFUSALS))('%s refuses a Job', (_, make) => {
  test('and a dry run says the same, and writes nothing', async () => {
    const stage = await aScene();
    await make(stage);
    const [dry, real] = [stage.handler(), stage.handler()];
    const tried = await createJobCommands(dry.deps).tryCreation(aNew());
    expect(writesOf(dry)).toEqual([]);
    expect(await createJob(aNew(), real.deps)).toEqual(tried);
    expect(tried.kind).toBe('forbidden');
    expect(await room(stage)).toEqual([1, 0]);
    expect(await stage.store.jobs.readStatus(UID)).toBeNull();
  });

  test('but if there is a Job of that name, that is said', async () => {
    const stage = await aScene();
    await stage.job({ uid: 'uid-before', name: 'new' });
    await make(stage);
    expect((await createJobCommands(stage.handler().deps).tryCreation(aNew())).kind).toBe('taken');
    expect((await createJob(aNew(), stage.handler().deps)).kind).toBe('taken');
  });
});

test('where there are no quotas, a creation reads that, and nothing else', async () => {
  const stage = new Stage();
  await stage.job({ uid: 'uid-first', name: 'first' });
  stage.ports = { hostnames: createMemoryHostnames({ zone: 'muster.internal' }) };
  const [dry, real] = [stage.handler(), stage.handler()];
  const plain = aJob({ uid: UID, name: 'new' });
  await createJobCommands(dry.deps).tryCreation(plain);
  expect(dry.calls).toEqual(['objects.read', 'objects.list', 'jobs.findJob']);
  await createJob(plain, real.deps);
  const stored = real.calls.indexOf('jobs.createJob');
  expect(real.calls.slice(0, stored + 2)).toEqual(['objects.read', 'objects.list', 'jobs.createJob', 'objects.read']);
});
