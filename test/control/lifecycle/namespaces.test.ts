import { describe, expect, test } from 'vitest';
import { createJob, createJobCommands } from '../../../shared/control/lifecycle/job-changes.ts';
import { emptyNamespace, sweepNamespaces } from '../../../shared/control/lifecycle/namespaces.ts';
import { freshNamespace } from '../../../shared/domain/manifests/namespace.ts';
import { aJob } from '../../support/a-job.ts';
import { NOTHING, PLENTY, TEAM, aTeam, failing, leftOf, mark } from './a-team.ts';

describe('a namespace that is being deleted', () => {
  test('loses its objects, its Jobs and their tasks, then itself', async () => {
    const { stage, uids } = await aTeam('Service');
    const [first] = uids;
    expect(stage.live(first!, 0)).toHaveLength(1);
    await mark(stage);
    expect(await emptyNamespace('team', stage.handler().deps, PLENTY)).toBe('removed');
    expect(await leftOf('Service', stage, uids)).toEqual(NOTHING);
    await stage.settle();
    stage.advance(1_000);
    await stage.settle();
    for (const uid of uids) for (const index of [0, 1]) expect(stage.live(uid, index)).toEqual([]);
    const changes = await stage.store.objects.changes('Namespace', 0, 10);
    expect(changes.kind === 'rows' && changes.rows.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  test('does nothing for a namespace that is missing or not being deleted', async () => {
    const { stage, uids } = await aTeam('Service');
    expect(await emptyNamespace('team', stage.handler().deps, PLENTY)).toBe('none');
    expect(await emptyNamespace('nobody', stage.handler().deps, PLENTY)).toBe('none');
    expect(await sweepNamespaces(stage.handler().deps, PLENTY)).toBe(0);
    expect(await leftOf('Service', stage, uids)).toMatchObject({ namespace: true, objects: 2, shown: 3 });
  });

  test('deletes no more at once than the budget allows, and the rest later', async () => {
    const { stage, uids } = await aTeam('Service');
    const { deps } = stage.handler();
    await mark(stage);
    expect(await emptyNamespace('team', deps, { deletions: 4, ms: 60_000 })).toBe('left');
    expect(await leftOf('Service', stage, uids)).toMatchObject({ namespace: true, names: [], objects: 1 });
    expect(await emptyNamespace('team', deps, { deletions: 9, ms: 0 })).toBe('left');
    expect(await leftOf('Service', stage, uids)).toMatchObject({ objects: 1 });
    expect(await sweepNamespaces(deps, PLENTY)).toBe(1);
    expect(await leftOf('Service', stage, uids)).toEqual(NOTHING);
  });

  test('objects that are already being deleted do not use the budget', async () => {
    const { stage, uids } = await aTeam('Service');
    const { deps } = stage.handler();
    const spec = await stage.store.jobs.readSpec(uids[0]!);
    const terminating = { kind: 'terminating', since: stage.time, ended: null } as const;
    const status = await stage.status(uids[0]!);
    await stage.store.jobs.commitPass(uids[0]!, { ...status, version: status.version + 1, phase: terminating }, []);
    expect(spec).not.toBeNull();
    await mark(stage);
    // Two Jobs and two objects must be deleted: a budget of four is enough, whatever comes first.
    expect(await emptyNamespace('team', deps, { deletions: 4, ms: 60_000 })).toBe('left');
    expect((await leftOf('Service', stage, uids)).objects).toBe(0);
  });

  test('waits for the finalizers of Jobs, and for its own', async () => {
    const { stage, uids } = await aTeam('Service', 2, { finalizers: ['example.com/hold'] });
    const { deps } = stage.handler();
    const { objects, jobs } = stage.store;
    await mark(stage);
    expect(await emptyNamespace('team', deps, PLENTY)).toBe('left');
    expect(await leftOf('Service', stage, uids)).toMatchObject({
      namespace: true,
      names: ['job-0', 'job-1'],
      objects: 0,
    });
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
        const { stage, uids } = await aTeam('Service', 2);
        await mark(stage);
        const { deps } = stage.handler();
        const outcome = await emptyNamespace('team', failing(deps, step, where), PLENTY).catch(() => 'died');
        if (outcome === 'removed') break;
        died++;
        await sweepNamespaces(stage.handler().deps, PLENTY);
        expect(await leftOf('Service', stage, uids)).toEqual(NOTHING);
        stage.advance(60_000);
        await stage.sweep();
        await stage.settle();
        stage.advance(1_000);
        await stage.settle();
        for (const uid of uids) for (const index of [0, 1]) expect(stage.live(uid, index)).toEqual([]);
      }
    expect(died).toBeGreaterThan(20);
  });

  test('two processes that empty it at the same time do not conflict', async () => {
    const { stage, uids } = await aTeam('Service');
    await mark(stage);
    const outcomes = await Promise.all(
      [1, 2, 3].map(async () => emptyNamespace('team', stage.handler().deps, PLENTY).catch(String)),
    );
    expect(outcomes).toContain('removed');
    expect(outcomes.every((outcome) => ['removed', 'left', 'none'].includes(outcome))).toBe(true);
    expect(await leftOf('Service', stage, uids)).toEqual(NOTHING);
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
    const { stage } = await aTeam('Service', 0);
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
    expect(await leftOf('Service', stage, [uid])).toMatchObject({ names: [], shown: 0 });
  });

  test.each([
    ['is being deleted', 'terminating', false],
    ['is not there', 'noNamespace', true],
  ] as const)('is refused where the namespace %s, and nothing of it is stored', async (_, kind, removed) => {
    const { stage } = await aTeam('Service', 0);
    await mark(stage);
    if (removed) await stage.store.objects.commit('Namespace', { key: TEAM, was: 2, document: null });
    const { deps } = stage.handler();
    expect(await createJob(spec, deps)).toEqual({ kind });
    expect(await createJobCommands(deps).tryCreation(spec)).toEqual({ kind });
    expect(await stage.store.jobs.readStatus(uid)).toBeNull();
  });

  test('is removed by its first pass if its creator has died', async () => {
    const { stage } = await aTeam('Service', 0);
    const creator = stage.handler();
    const { reached } = creator.hold('behind', 'jobs.createJob');
    void createJob(spec, creator.deps);
    const marking = mark(stage);
    await reached;
    await marking;
    await stage.store.objects.commit('Namespace', { key: TEAM, was: 2, document: null });
    expect(await leftOf('Service', stage, [uid])).toMatchObject({ names: ['late'], shown: 1 });
    stage.advance(60_000);
    await stage.sweep();
    await stage.settle();
    expect(await leftOf('Service', stage, [uid])).toMatchObject({ names: [], shown: 0 });
    expect(stage.started(uid, 0)).toEqual([]);
  });

  test('stays if the namespace is open, although its creator died before it was published', async () => {
    const { stage } = await aTeam('Service', 0);
    const creator = stage.handler();
    const { reached } = creator.hold('behind', 'jobs.createJob');
    void createJob(spec, creator.deps);
    await reached;
    stage.advance(60_000);
    await stage.sweep();
    await stage.settle();
    expect(await leftOf('Service', stage, [uid])).toMatchObject({ names: ['late'], shown: 1 });
    expect(stage.started(uid, 0)).toHaveLength(1);
  });
});
