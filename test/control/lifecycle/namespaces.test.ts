import { describe, expect, test } from 'vitest';
import { createJob, createJobCommands } from '../../../shared/control/lifecycle/job-changes.ts';
import type { Deps } from '../../../shared/control/process/deps.ts';
import { createPublisher } from '../../../shared/control/process/publisher.ts';
import { emptyNamespace, sweepNamespaces } from '../../../shared/control/lifecycle/namespaces.ts';
import type { JobUid } from '../../../shared/domain/base/ids.ts';
import { freshNamespace, terminating } from '../../../shared/domain/manifests/namespace.ts';
import { isHidden } from '../../../shared/domain/scoreboard/status.ts';
import type { StoredDocument } from '../../../shared/ports/object-store.ts';
import { type JobWish, aJob } from '../../support/a-job.ts';
import { openNamespace } from '../../support/a-namespace.ts';
import { Stage } from '../../support/a-stage.ts';

const TEAM = { namespace: '', name: 'team' };
const PLENTY = { deletions: 1_000, ms: 60_000 };

const cronJob = (finalizers?: readonly string[]): StoredDocument => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { uid: 'cron', ...(finalizers === undefined ? {} : { finalizers }) },
});

/** Requests the deletion of the namespace, as DELETE does before anything is deleted. Synchronous in memory. */
const mark = (stage: Stage, was = 1) =>
  stage.store.objects.commit('Namespace', {
    key: TEAM,
    was,
    document: terminating(freshNamespace('team', 'u', stage.time), stage.time),
  });

/** A stage with a namespace `team` of some Jobs, each with two running tasks, and two CronJobs. */
async function aTeam(
  jobs = 3,
  wish: JobWish = {},
): Promise<{ readonly stage: Stage; readonly uids: readonly JobUid[] }> {
  const stage = new Stage();
  const uids: JobUid[] = [];
  for (let nth = 0; nth < jobs; nth++) {
    const id = `00000000-0000-4000-8000-00000000000${nth}`;
    uids.push(
      await stage.job({ ...wish, namespace: 'team', name: `job-${nth}`, uid: id, completions: 2, parallelism: 2 }),
    );
  }
  await openNamespace(stage.store.objects, 'team');
  for (const name of ['a', 'b'])
    await stage.store.objects.commit('CronJob', { key: { namespace: 'team', name }, was: 0, document: cronJob() });
  await stage.settle();
  stage.advance(2_000);
  await stage.settle();
  return { stage, uids };
}

/** What remains of the team in the store. */
async function leftOf({ store }: Stage, uids: readonly JobUid[]) {
  const statuses = await Promise.all(uids.map(async (uid) => store.jobs.readStatus(uid)));
  return {
    namespace: (await store.objects.read('Namespace', TEAM)) !== null,
    names: (await store.jobs.listJobs({ namespace: 'team', after: null, limit: 50 })).jobs.map(({ name }) => name),
    cronJobs: (await store.objects.list('CronJob', { namespace: 'team', after: null, limit: 50 })).objects.length,
    shown: statuses.filter((status) => status !== null && !isHidden(status.phase)).length,
  };
}
const NOTHING = { namespace: false, names: [], cronJobs: 0, shown: 0 };

describe('a namespace that is being deleted', () => {
  test('loses its CronJobs, its Jobs and their tasks, then itself', async () => {
    const { stage, uids } = await aTeam();
    const [first] = uids;
    expect(stage.live(first!, 0)).toHaveLength(1);
    await mark(stage);
    expect(await emptyNamespace('team', stage.handler().deps, PLENTY)).toBe('removed');
    expect(await leftOf(stage, uids)).toEqual(NOTHING);
    await stage.settle();
    stage.advance(1_000);
    await stage.settle();
    for (const uid of uids) for (const index of [0, 1]) expect(stage.live(uid, index)).toEqual([]);
    const changes = await stage.store.objects.changes('Namespace', 0, 10);
    expect(changes.kind === 'rows' && changes.rows.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  test('does nothing for a namespace that is missing or not being deleted', async () => {
    const { stage, uids } = await aTeam();
    expect(await emptyNamespace('team', stage.handler().deps, PLENTY)).toBe('none');
    expect(await emptyNamespace('nobody', stage.handler().deps, PLENTY)).toBe('none');
    expect(await sweepNamespaces(stage.handler().deps, PLENTY)).toBe(0);
    expect(await leftOf(stage, uids)).toMatchObject({ namespace: true, cronJobs: 2, shown: 3 });
  });

  test('deletes no more at once than the budget allows, and the rest later', async () => {
    const { stage, uids } = await aTeam();
    const { deps } = stage.handler();
    await mark(stage);
    expect(await emptyNamespace('team', deps, { deletions: 4, ms: 60_000 })).toBe('left');
    expect(await leftOf(stage, uids)).toMatchObject({ namespace: true, names: [], cronJobs: 1 });
    expect(await emptyNamespace('team', deps, { deletions: 9, ms: 0 })).toBe('left');
    expect(await leftOf(stage, uids)).toMatchObject({ cronJobs: 1 });
    expect(await sweepNamespaces(deps, PLENTY)).toBe(1);
    expect(await leftOf(stage, uids)).toEqual(NOTHING);
  });

  test('objects that are already being deleted do not use the budget', async () => {
    const { stage, uids } = await aTeam();
    const { deps } = stage.handler();
    const spec = await stage.store.jobs.readSpec(uids[0]!);
    const terminating = { kind: 'terminating', since: stage.time, ended: null } as const;
    const status = await stage.status(uids[0]!);
    await stage.store.jobs.commitPass(uids[0]!, { ...status, version: status.version + 1, phase: terminating }, []);
    expect(spec).not.toBeNull();
    await mark(stage);
    // Two Jobs and two CronJobs must be deleted: a budget of four is enough, whatever comes first.
    expect(await emptyNamespace('team', deps, { deletions: 4, ms: 60_000 })).toBe('left');
    expect((await leftOf(stage, uids)).cronJobs).toBe(0);
  });

  test('waits for the finalizers of Jobs and CronJobs, and for its own', async () => {
    const { stage, uids } = await aTeam(2, { finalizers: ['example.com/hold'] });
    const { deps } = stage.handler();
    const { objects, jobs } = stage.store;
    const held = { namespace: 'team', name: 'held' };
    await objects.commit('CronJob', { key: held, was: 0, document: cronJob(['example.com/hold']) });
    await mark(stage);
    expect(await emptyNamespace('team', deps, PLENTY)).toBe('left');
    expect(await leftOf(stage, uids)).toMatchObject({ namespace: true, cronJobs: 1 });
    const marked = await objects.read('CronJob', held);
    for (let nth = 0; nth < 3; nth++) expect(await emptyNamespace('team', deps, PLENTY)).toBe('left');
    expect(marked?.document.metadata['deletionTimestamp']).toBe('2027-01-15T08:00:02Z');
    expect((await objects.read('CronJob', held))?.version).toBe(marked?.version); // once is enough
    await objects.commit('CronJob', { key: held, was: marked!.version, document: null });
    expect(await emptyNamespace('team', deps, PLENTY)).toBe('left');
    expect(await leftOf(stage, uids)).toMatchObject({ namespace: true, names: ['job-0', 'job-1'], cronJobs: 0 });
    for (const uid of uids) {
      const [spec, status] = [await jobs.readSpec(uid), await jobs.readStatus(uid)];
      await jobs.commitDeletion(spec!.identity, { ...status!, version: status!.version + 1 });
    }
    const own = { ...freshNamespace('team', 'u', stage.time) };
    const document = {
      ...own,
      metadata: { ...own.metadata, deletionTimestamp: 'x', finalizers: ['example.com/hold'] },
    };
    await objects.commit('Namespace', { key: TEAM, was: 2, document });
    expect(await emptyNamespace('team', deps, PLENTY)).toBe('left');
    await mark(stage, 3);
    expect(await emptyNamespace('team', deps, PLENTY)).toBe('removed');
  });

  test('the process that empties it may die before or after any step: the sweep continues', async () => {
    let died = 0;
    for (const where of ['before', 'behind'] as const)
      for (let step = 1; ; step++) {
        const { stage, uids } = await aTeam(2);
        await mark(stage);
        const { deps } = stage.handler();
        const outcome = await emptyNamespace('team', failing(deps, step, where), PLENTY).catch(() => 'died');
        if (outcome === 'removed') break;
        died++;
        await sweepNamespaces(stage.handler().deps, PLENTY);
        expect(await leftOf(stage, uids)).toEqual(NOTHING);
        stage.advance(60_000);
        await stage.sweep();
        await stage.settle();
        stage.advance(1_000);
        await stage.settle();
        for (const uid of uids) for (const index of [0, 1]) expect(stage.live(uid, index)).toEqual([]);
      }
    expect(died).toBeGreaterThan(30);
  });

  test('two processes that empty it at the same time do not conflict', async () => {
    const { stage, uids } = await aTeam();
    await mark(stage);
    const outcomes = await Promise.all(
      [1, 2, 3].map(async () => emptyNamespace('team', stage.handler().deps, PLENTY).catch(String)),
    );
    expect(outcomes).toContain('removed');
    expect(outcomes.every((outcome) => ['removed', 'left', 'none'].includes(outcome))).toBe(true);
    expect(await leftOf(stage, uids)).toEqual(NOTHING);
  });
});

describe('a Job that is created while its namespace is being deleted', () => {
  const spec = aJob({
    namespace: 'team',
    name: 'late',
    uid: '00000000-0000-4000-8000-0000000000aa',
    finalizers: ['a.b/c'],
  });
  const { uid } = spec.identity;

  test.each([
    ['before its namespace is marked', 'terminating', false],
    ['before its namespace is gone', 'noNamespace', true],
  ] as const)('read %s, and stored after it, is taken back', async (_, kind, removed) => {
    const { stage } = await aTeam(0);
    const { deps } = stage.handler();
    const jobs: typeof deps.jobs = {
      ...deps.jobs,
      async createJob(...args) {
        expect(await mark(stage)).toMatchObject({ kind: 'committed' }); // it has read that the namespace is open
        const { objects } = stage.store;
        const removal = removed ? await objects.commit('Namespace', { key: TEAM, was: 2, document: null }) : null;
        expect(removal).toEqual(removed ? { kind: 'committed', version: 3 } : null);
        return deps.jobs.createJob(...args);
      },
    };
    expect(await createJob(spec, { ...deps, jobs })).toEqual({ kind });
    expect(await stage.store.jobs.readStatus(uid)).not.toBeNull(); // it was stored
    expect(await leftOf(stage, [uid])).toMatchObject({ names: [], shown: 0 });
  });

  test.each([
    ['is being deleted', 'terminating', false],
    ['is not there', 'noNamespace', true],
  ] as const)('is refused where the namespace %s, and nothing of it is stored', async (_, kind, removed) => {
    const { stage } = await aTeam(0);
    await mark(stage);
    if (removed) await stage.store.objects.commit('Namespace', { key: TEAM, was: 2, document: null });
    const { deps } = stage.handler();
    expect(await createJob(spec, deps)).toEqual({ kind });
    expect(await createJobCommands(deps).tryCreation(spec)).toEqual({ kind });
    expect(await stage.store.jobs.readStatus(uid)).toBeNull();
  });

  test('is removed by its first pass if its creator has died', async () => {
    const { stage } = await aTeam(0);
    const creator = stage.handler();
    const { reached } = creator.hold('behind', 'jobs.createJob');
    void createJob(spec, creator.deps);
    const marking = mark(stage);
    await reached;
    await marking;
    await stage.store.objects.commit('Namespace', { key: TEAM, was: 2, document: null });
    expect(await leftOf(stage, [uid])).toMatchObject({ names: ['late'], shown: 1 });
    stage.advance(60_000);
    await stage.sweep();
    await stage.settle();
    expect(await leftOf(stage, [uid])).toMatchObject({ names: [], shown: 0 });
    expect(stage.started(uid, 0)).toEqual([]);
  });

  test('stays if the namespace is open, although its creator died before it was published', async () => {
    const { stage } = await aTeam(0);
    const creator = stage.handler();
    const { reached } = creator.hold('behind', 'jobs.createJob');
    void createJob(spec, creator.deps);
    await reached;
    stage.advance(60_000);
    await stage.sweep();
    await stage.settle();
    expect(await leftOf(stage, [uid])).toMatchObject({ names: ['late'], shown: 1 });
    expect(stage.started(uid, 0)).toHaveLength(1);
  });
});

/** The same ports; call number `step` never takes effect (`before`), or its answer is lost. */
function failing(deps: Deps, step: number, where: 'before' | 'behind'): Deps {
  let calls = 0;
  const port = <T extends object>(real: T): T =>
    new Proxy(real, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          calls++;
          if (calls > step || (calls === step && where === 'before')) throw new Error('dead');
          const answer: unknown = await Reflect.apply(value, target, args);
          if (calls >= step) throw new Error('dead');
          return answer;
        };
      },
    });
  const { objects, jobs, queues, clock } = deps;
  const feed = port(deps.feed);
  return {
    ...deps,
    objects: port(objects),
    jobs: port(jobs),
    feed,
    queues: port(queues),
    publisher: createPublisher({ feed, clock }),
  };
}
