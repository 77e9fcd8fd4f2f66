import { describe, expect, test } from 'vitest';
import { createMemoryQueues } from '../../../../../test/fakes/memory-queues.ts';
import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { createMemoryTasks } from '../../../../adapters/memory/memory-tasks.ts';
import { outcomeOf } from '../../../../control/schedulers/slot-outcome.ts';
import { changeJob, createJob, deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import { sweepQuotas } from '../../control/sweep-quotas.ts';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { invariant } from '../../../../domain/base/invariant.ts';
import { statusOfRefused } from '../../../../runtime/submission-status.ts';
import { aLmdbStore } from '../../../../../test/contract/lmdb-fixture.ts';
import { Handler } from '../../../../../test/support/a-handler.ts';
import { type JobWish, aJob } from '../../../../../test/support/a-job.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';
import { DONE, Stage } from '../../../../../test/support/a-stage.ts';
import { aQuota, quotaOf, usageOfAll } from './a-quota.ts';

const PLENTY_MS = 10_000;

type Stores = Pick<Stage['store'], 'jobs' | 'feed' | 'limits' | 'hosts' | 'items' | 'crons' | 'waiters' | 'objects'>;

const START = asEpochMs(1_800_000_000_000);

/** Processes over one store. */
function processes(store: Stores, count: number): readonly Handler[] {
  const { queues } = createMemoryQueues({ now: () => START, visibilityMs: 30_000, receivesMax: 3 });
  const tasks = createMemoryTasks({
    now: () => START,
    at: () => undefined,
    fate: () => ({ startMs: 0, runMs: 0, stopMs: 0, ending: DONE }),
    refusal: () => null,
    emit: () => undefined,
  });
  return Array.from({ length: count }, () => {
    const handler = new Handler({ ...store, tasks, queues }, () => START, 0);
    Object.assign(handler.deps.clock, { sleep: async () => new Promise((resolve) => setImmediate(resolve)) });
    return handler;
  });
}

const create = async ({ deps }: Handler, wish: JobWish) => createJob(aJob(wish), deps);
const numbered = (nth: number, wish: JobWish = {}): JobWish => ({ ...wish, uid: `uid-${nth}`, name: `job-${nth}` });

describe.each<[string, () => Promise<Stores>]>([
  ['memory', async () => createMemoryStore({ now: () => START })],
  ['LMDB', async () => aLmdbStore()],
])('in %s', (_name, open) => {
  test.each([1, 3])(
    'of 200 Jobs that %i processes create at once, as many pass as there is room for',
    async (count) => {
      const store = await open();
      await openNamespace(store.objects);
      const handlers = processes(store, count);
      const [first] = handlers;
      invariant(first !== undefined, 'there is a process');
      await aQuota(first.deps, { 'count/jobs.batch': '50', pods: '1000' });
      const outcomes = await Promise.all(
        Array.from({ length: 200 }, async (_, nth) => create(handlers[nth % count] ?? first, numbered(nth))),
      );
      expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(50);
      expect(outcomes.filter(({ kind }) => kind === 'forbidden')).toHaveLength(150);
      expect((await quotaOf(store.objects)).used).toEqual({ 'count/jobs.batch': 50, pods: 100 });
      expect(await usageOfAll(store.jobs)).toMatchObject({ jobs: 50, pods: 100 });
    },
  );
});

/** A namespace with a quota, and a process. */
async function aScene(hard: Readonly<Record<string, string>>) {
  const stage = new Stage();
  await openNamespace(stage.store.objects);
  const handler = stage.handler();
  await aQuota(handler.deps, hard);
  const used = async () => (await quotaOf(stage.store.objects)).used;
  return { stage, handler, used };
}

test('two requests of two processes that have read the same quota do not both pass', async () => {
  const { stage, handler, used } = await aScene({ pods: '3' });
  const other = stage.handler();
  const held = handler.hold('before', 'objects.commit');
  const slow = create(handler, numbered(1, { parallelism: 2 }));
  await held.reached;
  expect((await create(other, numbered(2, { parallelism: 2 }))).kind).toBe('created');
  held.release();
  expect(await slow).toEqual({
    kind: 'forbidden',
    why: 'exceeded quota: team, requested: pods=2, used: pods=2, limited: pods=3',
  });
  expect(await used()).toEqual({ pods: 2 });
});

test('what a process has reserved that died before the Job was stored is given back by the second sweep', async () => {
  const { stage, handler, used } = await aScene({ pods: '3' });
  const mortal = stage.handler();
  const held = mortal.hold('before', 'jobs.createJob');
  void create(mortal, numbered(1));
  await held.reached;
  expect(await used()).toEqual({ pods: 2 });
  stage.advance(30_000);
  await sweepQuotas(handler.deps, PLENTY_MS);
  expect(await used()).toEqual({ pods: 2 });
  stage.advance(60_000);
  await sweepQuotas(handler.deps, PLENTY_MS);
  expect(await used()).toEqual({ pods: 0 });
});

test('a Job that is stored while all is counted counts', async () => {
  const { stage, handler, used } = await aScene({ pods: '9' });
  const sweeper = stage.handler();
  for (const where of ['before', 'behind'] as const) {
    const held = sweeper.hold(where, 'jobs.listJobs');
    const sweeping = sweepQuotas(sweeper.deps, PLENTY_MS);
    await held.reached;
    await create(handler, numbered(where === 'before' ? 1 : 2));
    held.release();
    await sweeping;
    // Perhaps twice, until the next count.
    expect((await used()).pods).toBeGreaterThanOrEqual(where === 'before' ? 2 : 4);
    await sweepQuotas(sweeper.deps, PLENTY_MS);
    expect(await used()).toEqual({ pods: where === 'before' ? 2 : 4 });
  }
});

test('a Job that one process has stored, and deleted at once, is given back by the sweep of another', async () => {
  const { stage, handler, used } = await aScene({ pods: '9' });
  await create(handler, numbered(1));
  await deleteJob(asJobUid('uid-1'), handler.deps);
  await sweepQuotas(stage.handler().deps, PLENTY_MS);
  expect(await used()).toEqual({ pods: 0 });
});

test('nobody counts what another has counted since', async () => {
  const { stage, handler, used } = await aScene({ pods: '9' });
  await create(handler, numbered(1));
  const slow = stage.handler();
  const held = slow.hold('behind', 'jobs.listJobs');
  const sweeping = sweepQuotas(slow.deps, PLENTY_MS);
  await held.reached;
  await create(handler, numbered(2));
  stage.advance(60_000);
  await sweepQuotas(handler.deps, PLENTY_MS);
  held.release();
  await sweeping;
  expect(await used()).toEqual({ pods: 4 });
});

test('a change that was refused, or lost to another, keeps nothing', async () => {
  const { stage, handler, used } = await aScene({ pods: '9' });
  await create(handler, numbered(1, { suspend: true }));
  const uid = asJobUid('uid-1');
  const [spec, status] = [await stage.store.jobs.readSpec(uid), await stage.store.jobs.readStatus(uid)];
  invariant(spec !== null && status !== null, 'the Job is there');
  const resumed = { ...spec.manifest, spec: { ...spec.manifest.spec, suspend: false } };
  const other = stage.handler();
  const held = handler.hold('before', 'jobs.commitSpec');
  const losing = changeJob({ spec, status }, { manifest: resumed }, 'spec', handler.deps);
  await held.reached;
  const labelled = { ...spec.manifest, metadata: { ...spec.manifest.metadata, labels: { a: 'b' } } };
  expect((await changeJob({ spec, status }, { manifest: labelled }, 'metadata', other.deps)).kind).toBe('changed');
  held.release();
  expect((await losing).kind).toBe('lost');
  expect(await used()).toEqual({ pods: 0 });
});

test('what is left of a Job counts, and nothing once it is over or gone', async () => {
  const { stage, handler, used } = await aScene({ pods: '9', 'count/jobs.batch': '9' });
  stage.fate = { startMs: 1_000, runMs: 1_000, stopMs: 500, ending: DONE };
  await create(handler, numbered(1, { completions: 3, parallelism: 2 }));
  await stage.settle(handler);
  const swept = async (): Promise<unknown> => {
    stage.advance(3_000);
    await stage.settle(handler);
    await sweepQuotas(handler.deps, PLENTY_MS);
    return used();
  };
  expect(await swept()).toEqual({ pods: 1, 'count/jobs.batch': 1 });
  await swept();
  expect(await swept()).toEqual({ pods: 0, 'count/jobs.batch': 1 });
  await deleteJob(asJobUid('uid-1'), handler.deps);
  expect(await swept()).toEqual({ pods: 0, 'count/jobs.batch': 0 });
});

test('a namespace with a quota that has not been counted yet is counted before anybody is refused', async () => {
  const { stage, handler, used } = await aScene({ pods: '9' });
  const document = {
    metadata: { name: 'new', namespace: 'default', uid: 'uid-of-new' },
    spec: { hard: { pods: '1' } },
    status: {},
  };
  await stage.store.objects.commit('ResourceQuota', { key: { namespace: 'default', name: 'new' }, was: 0, document });
  expect(await create(handler, numbered(1))).toEqual({
    kind: 'forbidden',
    why: 'exceeded quota: new, requested: pods=2, used: pods=0, limited: pods=1',
  });
  expect(await used()).toEqual({ pods: 0 });
  expect((await create(handler, numbered(1, { parallelism: 1 }))).kind).toBe('created');
});

test('a namespace without a quota costs one request', async () => {
  const stage = new Stage();
  await openNamespace(stage.store.objects);
  const handler = stage.handler();
  await create(handler, numbered(1));
  const calls = handler.calls.filter((call) => call.startsWith('objects.') && call !== 'objects.read');
  expect(calls).toEqual(['objects.list']);
});

test('schedulers and the source of a message get the same words', async () => {
  const { handler } = await aScene({ pods: '1' });
  const spec = aJob({ name: 'nightly-1' });
  const refused = await createJob(spec, handler.deps);
  const message =
    'jobs.batch "nightly-1" is forbidden: exceeded quota: team, requested: pods=2, used: pods=0, limited: pods=1';
  expect(outcomeOf(refused, spec)).toEqual({ kind: 'refused', message });
  invariant(refused.kind === 'forbidden', 'it is refused');
  expect(statusOfRefused({ ...refused, name: 'nightly-1' }, 'default')).toMatchObject({ code: 403, message });
});
