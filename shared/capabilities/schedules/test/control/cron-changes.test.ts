import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { createCache } from '../../../../control/process/cache.ts';
import { deleteOwner, finishOwner } from '../../../../control/lifecycle/owner-deletion.ts';
import type { Deps } from '../../../../control/process/deps.ts';
import { createJob, deleteJob } from '../../../../control/lifecycle/job-changes.ts';
import { createCapabilityState } from '../../../lists/process-state.ts';
import { createPacer } from '../../../../control/process/pacer.ts';
import { createPublisher } from '../../../../control/process/publisher.ts';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { AWS_HOST_LIMITS } from '../../../../domain/task/host-limits.ts';
import type { OwnerReference } from '../../../../domain/manifests/manifest.ts';
import { AWS_TIMING } from '../../../../domain/base/timing.ts';
import type { StoredObject } from '../../../../ports/object-store.ts';
import { aJob } from '../../../../../test/support/a-job.ts';
import { openNamespace } from '../../../../../test/support/a-namespace.ts';

const NOW = asEpochMs(1_700_000_000_000);
const KEY = { namespace: 'default', name: 'nightly' };
const UID = 'uid-of-nightly';
const owner = (uid: string, name = 'nightly'): OwnerReference => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  name,
  uid,
  controller: uid === UID,
});

/** A memory store with the CronJob `nightly`; `beforeCall` and `afterCall` see every call of a port and may throw. */
async function aStage(finalizers: readonly string[] = []) {
  const store = createMemoryStore({ now: () => NOW });
  await openNamespace(store.objects);
  const metadata = {
    name: 'nightly',
    namespace: 'default',
    uid: UID,
    generation: 1,
    ...(finalizers.length > 0 && { finalizers }),
  };
  const document = { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: { schedule: '@daily' }, status: {} };
  await store.objects.commit('CronJob', { key: KEY, was: 0, document });
  const free = async (_method: string): Promise<void> => undefined;
  const watched = { beforeCall: free, afterCall: free };
  const seen = <T extends object>(port: T): T =>
    new Proxy(port, {
      get: (target, method) => {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          await watched.beforeCall(String(method));
          const result: unknown = await Reflect.apply(value, target, args);
          await watched.afterCall(String(method));
          return result;
        };
      },
    });
  const clock = { now: () => NOW, sleep: async () => undefined };
  const nothing = async (): Promise<void> => undefined;
  const nobody = async (): Promise<never> => {
    throw new Error('nobody launches here');
  };
  const ports = { jobs: seen(store.jobs), feed: seen(store.feed), limits: store.limits, objects: seen(store.objects) };
  const deps: Deps = {
    ...ports,
    hosts: store.hosts,
    items: store.items,
    crons: store.crons,
    waiters: store.waiters,
    ports: {},
    tasks: {
      prepare: nobody,
      run: nobody,
      stop: nobody,
      describe: nobody,
      listLive: nobody,
      listStopped: nobody,
      listOldFamilies: nobody,
      deregister: nobody,
    },
    queues: { wake: nothing, wakeCrons: nothing, facts: nothing, dispatch: nothing },
    clock,
    telemetry: { count: () => undefined, record: () => undefined, info: () => undefined, warn: () => undefined },
    cache: createCache(),
    publisher: createPublisher({ feed: ports.feed, clock }),
    pacer: createPacer({ limits: store.limits, clock }),
    state: createCapabilityState({ objects: store.objects, clock }),
    settings: {
      timing: AWS_TIMING,
      launchesPerSec: null,
      stopsPerSec: null,
      hosts: AWS_HOST_LIMITS,
      historyMs: 86_400_000,
      announced: null,
    },
    hash: (text) => createHash('sha256').update(text).digest('hex'),
  };
  const addJob = async (name: string, ownerReferences: readonly OwnerReference[] = [owner(UID)]): Promise<void> => {
    const spec = aJob({ uid: `uid-of-${name}`, name });
    const { manifest } = spec;
    const owned =
      ownerReferences.length === 0 ? manifest : { ...manifest, metadata: { ...manifest.metadata, ownerReferences } };
    const created = await createJob({ ...spec, manifest: owned }, deps);
    if (created.kind !== 'created') throw new Error(created.kind);
  };
  const cronJob = async (): Promise<StoredObject | null> => store.objects.read('CronJob', KEY);
  return {
    deps,
    addJob,
    cronJob,
    watched,
    async found(): Promise<StoredObject> {
      const object = await cronJob();
      if (object === null) throw new Error('it is gone');
      return object;
    },
    async changeTo(change: (document: StoredObject['document']) => StoredObject['document']): Promise<void> {
      const object = await cronJob();
      if (object === null) throw new Error('it is gone');
      await store.objects.commit('CronJob', { key: KEY, was: object.version, document: change(object.document) });
    },
    /** Names of the Jobs that users see. */
    async jobs(): Promise<readonly string[]> {
      const { jobs } = await store.jobs.listJobs({ namespace: 'default', after: null, limit: 1000 });
      return jobs.map(({ name }) => name);
    },
    async ownersOf(name: string) {
      const uid = await store.jobs.findJob('default', name);
      const spec = uid === null ? null : await store.jobs.readSpec(uid);
      return spec?.manifest.metadata.ownerReferences;
    },
    /** The kinds of changes that watches received. */
    async told(): Promise<readonly string[]> {
      const changes = await store.objects.changes('CronJob', 0, 100);
      return changes.kind === 'rows' ? changes.rows.map(({ type }) => type) : ['expired'];
    },
  };
}

describe('a CronJob is deleted', () => {
  it.each(['Background', 'Foreground', 'Orphan'] as const)('without Jobs: %s', async (propagation) => {
    const stage = await aStage();
    await stage.addJob('mine', []);
    expect(await deleteOwner('CronJob', await stage.found(), propagation, stage.deps)).toEqual({ kind: 'deleted' });
    expect(await stage.cronJob()).toBeNull();
    expect(await stage.jobs()).toEqual(['mine']);
    expect(await stage.told()).toEqual(['ADDED', 'DELETED']);
  });

  it.each(['Background', 'Foreground'] as const)('with its Jobs, and no others: %s', async (propagation) => {
    const stage = await aStage();
    for (let n = 0; n < 45; n++) await stage.addJob(`nightly-${n}`);
    await stage.addJob('mine', []);
    await stage.addJob('theirs', [owner('uid-of-weekly', 'weekly')]);
    expect(await deleteOwner('CronJob', await stage.found(), propagation, stage.deps)).toEqual({ kind: 'deleted' });
    expect(await stage.cronJob()).toBeNull();
    expect(await stage.jobs()).toEqual(['mine', 'theirs']);
    expect(await stage.told()).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  it('and its Jobs stay, without it: Orphan', async () => {
    const stage = await aStage();
    await stage.addJob('nightly-1');
    await stage.addJob('nightly-2', [owner(UID), owner('other', 'other')]);
    expect(await deleteOwner('CronJob', await stage.found(), 'Orphan', stage.deps)).toEqual({ kind: 'deleted' });
    expect(await stage.jobs()).toEqual(['nightly-1', 'nightly-2']);
    expect(await stage.ownersOf('nightly-1')).toBeUndefined();
    expect(await stage.ownersOf('nightly-2')).toEqual([owner('other', 'other')]);
  });

  it('and a Job with another owner keeps that owner', async () => {
    const stage = await aStage();
    await stage.addJob('nightly-1', [owner(UID), owner('other', 'other')]);
    await deleteOwner('CronJob', await stage.found(), 'Background', stage.deps);
    expect(await stage.ownersOf('nightly-1')).toEqual([owner('other', 'other')]);
  });

  it('and a Job that is created during the deletion does not stay behind', async () => {
    for (const propagation of ['Background', 'Foreground'] as const) {
      const stage = await aStage();
      await stage.addJob('nightly-1');
      const seen = await stage.found();
      let commits = 0;
      stage.watched.beforeCall = async (method) => {
        // The first commit marks it, the second removes it.
        if (method !== 'commit' || ++commits !== 2) return;
        stage.watched.beforeCall = async () => undefined;
        await stage.addJob('nightly-2');
      };
      await deleteOwner('CronJob', seen, propagation, stage.deps);
      expect(commits).toBe(2);
      expect(await stage.jobs()).toEqual([]);
    }
  });

  it('not if it has changed since it was read', async () => {
    for (const name of ['nightly-1', null]) {
      const stage = await aStage();
      if (name !== null) await stage.addJob(name);
      const seen = await stage.found();
      await stage.changeTo((document) => ({ ...document, spec: { schedule: '@hourly' } }));
      expect(await deleteOwner('CronJob', seen, 'Background', stage.deps)).toEqual({ kind: 'lost' });
      expect(await stage.cronJob()).not.toBeNull();
      expect(await stage.jobs()).toEqual(name === null ? [] : [name]);
    }
  });
});

describe('a CronJob that a finalizer holds', () => {
  it('waits with its Jobs: Background', async () => {
    const stage = await aStage(['example.com/hold']);
    await stage.addJob('nightly-1');
    const deleted = await deleteOwner('CronJob', await stage.found(), 'Background', stage.deps);
    const metadata = {
      deletionTimestamp: '2023-11-14T22:13:20Z',
      deletionGracePeriodSeconds: 0,
      generation: 2,
      finalizers: ['example.com/hold'],
    };
    expect(deleted).toMatchObject({ kind: 'terminating', object: { document: { metadata } } });
    expect(await stage.found()).toEqual(deleted.kind === 'terminating' ? deleted.object : null);
    expect(await stage.jobs()).toEqual(['nightly-1']);
    // Again: nothing new.
    await deleteOwner('CronJob', await stage.found(), 'Background', stage.deps);
    expect(await stage.told()).toEqual(['ADDED', 'MODIFIED']);
    await stage.changeTo((document) => ({ ...document, metadata: { ...document.metadata, finalizers: [] } }));
    expect(await finishOwner('CronJob', await stage.found(), stage.deps)).toEqual({ kind: 'deleted' });
    expect(await stage.jobs()).toEqual([]);
    expect(await stage.cronJob()).toBeNull();
  });

  it('waits without them: Foreground', async () => {
    const stage = await aStage(['example.com/hold']);
    await stage.addJob('nightly-1');
    const deleted = await deleteOwner('CronJob', await stage.found(), 'Foreground', stage.deps);
    expect(deleted).toMatchObject({
      kind: 'terminating',
      object: { document: { metadata: { finalizers: ['example.com/hold'] } } },
    });
    expect(await stage.jobs()).toEqual([]);
    expect(await stage.found()).toEqual(deleted.kind === 'terminating' ? deleted.object : null);
  });

  it('leaves them: Orphan', async () => {
    const stage = await aStage(['example.com/hold']);
    await stage.addJob('nightly-1');
    expect(await deleteOwner('CronJob', await stage.found(), 'Orphan', stage.deps)).toMatchObject({
      kind: 'terminating',
    });
    await stage.changeTo(({ metadata: { finalizers: _, ...metadata }, ...document }) => ({ ...document, metadata }));
    expect(await finishOwner('CronJob', await stage.found(), stage.deps)).toEqual({ kind: 'deleted' });
    expect(await stage.jobs()).toEqual(['nightly-1']);
    expect(await stage.ownersOf('nightly-1')).toBeUndefined();
  });

  it('is deleted as the last request asks', async () => {
    const stage = await aStage(['example.com/hold']);
    await stage.addJob('nightly-1');
    await deleteOwner('CronJob', await stage.found(), 'Background', stage.deps);
    await deleteOwner('CronJob', await stage.found(), 'Foreground', stage.deps);
    expect(await stage.jobs()).toEqual([]);
    expect((await stage.found()).document.metadata).toMatchObject({ generation: 2 });
  });

  it('may be changed while its Jobs are being deleted', async () => {
    const stage = await aStage();
    await stage.addJob('nightly-1');
    const seen = await stage.found();
    let commits = 0;
    stage.watched.beforeCall = async (method) => {
      if (method !== 'commit' || ++commits !== 2) return;
      stage.watched.beforeCall = async () => undefined;
      await stage.changeTo((document) => ({ ...document, metadata: { ...document.metadata, labels: { a: 'b' } } }));
    };
    expect(await deleteOwner('CronJob', seen, 'Background', stage.deps)).toEqual({ kind: 'deleted' });
    expect(await stage.told()).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']);
  });

  it('may be deleted and created again, and the new one is not affected', async () => {
    const stage = await aStage();
    await stage.addJob('nightly-1');
    const seen = await stage.found();
    let commits = 0;
    stage.watched.beforeCall = async (method) => {
      if (method !== 'commit' || ++commits !== 2) return;
      stage.watched.beforeCall = async () => undefined;
      const { document, version } = await stage.found();
      await stage.deps.objects.commit('CronJob', { key: KEY, was: version, document: null });
      const anew = { ...document, metadata: { name: 'nightly', namespace: 'default', uid: 'another' } };
      await stage.deps.objects.commit('CronJob', { key: KEY, was: 0, document: anew });
    };
    expect(await deleteOwner('CronJob', seen, 'Background', stage.deps)).toEqual({ kind: 'deleted' });
    expect((await stage.found()).document.metadata.uid).toBe('another');
  });
});

describe('a process that dies at any call of a port', () => {
  it.each(['Background', 'Foreground', 'Orphan'] as const)(
    'is followed by one who finishes: %s',
    async (propagation) => {
      let deaths = 0;
      for (let fatal = 1; ; fatal++) {
        const stage = await aStage();
        await stage.addJob('nightly-1');
        await stage.addJob('nightly-2');
        const seen = await stage.found();
        let calls = 0;
        stage.watched.beforeCall = async (method) => {
          if (++calls === fatal) throw new Error(`dead at ${method}`);
        };
        const outcome = await deleteOwner('CronJob', seen, propagation, stage.deps).catch((error: Error) => error);
        stage.watched.beforeCall = async () => undefined;
        if (!(outcome instanceof Error)) break;
        deaths++;
        const left = await stage.cronJob();
        // None of its Jobs changes before its deletion is visible.
        const isMarked = left === null || left.document.metadata['deletionTimestamp'] !== undefined;
        const untouched = (await stage.jobs()).length === 2 && (await stage.ownersOf('nightly-1')) !== undefined;
        expect(isMarked || untouched).toBe(true);
        if (left !== null) await deleteOwner('CronJob', left, propagation, stage.deps);
        expect(await stage.cronJob()).toBeNull();
        expect(await stage.jobs()).toEqual(propagation === 'Orphan' ? ['nightly-1', 'nightly-2'] : []);
      }
      expect(deaths).toBeGreaterThan(15);
    },
  );
});

describe('a Job whose owner is recorded only in the row of its name', () => {
  it('stays', async () => {
    const stage = await aStage();
    await stage.addJob('nightly-1');
    const seen = await stage.found();
    await deleteOwner('CronJob', seen, 'Orphan', stage.deps);
    // The row still names it; a late handler must not take the Job for its own.
    await stage.deps.objects.commit('CronJob', { key: KEY, was: 0, document: seen.document });
    await deleteOwner('CronJob', await stage.found(), 'Background', stage.deps);
    expect(await stage.jobs()).toEqual(['nightly-1']);
  });

  it('and one that is already gone causes no error', async () => {
    const stage = await aStage();
    await stage.addJob('nightly-1');
    const uid = await stage.deps.jobs.findJob('default', 'nightly-1');
    let lists = 0;
    stage.watched.beforeCall = async (method) => {
      if (method !== 'readSpec' || ++lists !== 1 || uid === null) return;
      await deleteJob(uid, stage.deps);
    };
    expect(await deleteOwner('CronJob', await stage.found(), 'Background', stage.deps)).toEqual({ kind: 'deleted' });
  });
});
