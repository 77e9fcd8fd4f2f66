import { expect, test } from 'vitest';
import { sortBySources } from '../../../../control/dispatch/launch-needs.ts';
import { templatesOf } from '../../../../control/dispatch/template.ts';
import { createCache } from '../../../../control/process/cache.ts';
import type { Deps } from '../../../../control/process/deps.ts';
import { asEpochMs } from '../../../../domain/base/time.ts';
import type { PodSpec } from '../../../../domain/manifests/pod-spec.ts';
import type { TaskDefinition } from '../../../../domain/task/task.ts';
import type { StoredSpec } from '../../../../ports/job-store.ts';
import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { aJob } from '../../../../../test/support/a-job.ts';
import type { ReadConfig } from '../../ports/config-reader.ts';
import type { SecretCopies, SecretCopy } from '../../ports/secret-copies.ts';

const IDS = [0, 1].map((index) => ({ index, attempt: 1, nonce: 0 }));

/** A dispatcher, with what it reads, and what it has registered and copied. */
function aDispatcher(put: SecretCopies['put'] = async () => Promise.resolve({ kind: 'there' })) {
  const stored = new Map<string, ReadConfig>();
  const registered: TaskDefinition[] = [];
  const copies: SecretCopy[] = [];
  const reads: string[] = [];
  const { jobs } = createMemoryStore({ now: () => asEpochMs(0) });
  const deps = {
    jobs,
    tasks: {
      prepare: async (definition: TaskDefinition) => {
        registered.push(definition);
        const template = { taskDefinition: `td/${definition.family}:1`, containers: ['main'], placement: '{}' };
        return Promise.resolve({ kind: 'ready', template });
      },
    },
    hash: (text: string) => text,
    cache: createCache(),
    ports: {
      configReader: {
        read: async (kind: string, { namespace, name }: { namespace: string; name: string }) => {
          reads.push(`${kind} ${namespace}/${name}`);
          return Promise.resolve(stored.get(`${kind}/${name}`) ?? null);
        },
      },
      secretCopies: {
        put: async (copy: SecretCopy) => {
          copies.push(copy);
          return put(copy);
        },
      },
    },
    settings: {},
  } as unknown as Deps;
  const store = (kind: 'ConfigMap' | 'Secret', name: string, version: number, data: Record<string, string>): void => {
    const bytes = Object.entries(data).map(([key, text]) => [key, new TextEncoder().encode(text)] as const);
    stored.set(`${kind}/${name}`, { uid: 'c0ffee', version, data: new Map(bytes) });
  };
  return { deps, store, stored, registered, copies, reads };
}

/** A Job whose Pods are like this. */
const withPods = (spec: Partial<PodSpec>): StoredSpec => {
  const job = aJob();
  const { template } = job.manifest.spec;
  const changed = { ...template, spec: { ...template.spec, ...spec } };
  return { ...job, manifest: { ...job.manifest, spec: { ...job.manifest.spec, template: changed } } };
};

const FILES = withPods({ volumes: [{ name: 'v', configMap: { name: 'c' } }] });

test('a Job that names nothing reads nothing', async () => {
  const { deps, reads } = aDispatcher();
  expect(await sortBySources(aJob(), IDS, deps)).toMatchObject({ launch: IDS, template: 0 });
  expect(reads).toEqual([]);
});

test('launches wait for a ConfigMap, and go once it is there', async () => {
  const { deps, store, registered } = aDispatcher();
  const why = {
    kind: 'later',
    reason: 'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "c" not found',
  };
  expect(await sortBySources(FILES, IDS, deps)).toEqual({
    launch: [],
    later: [],
    withdraw: IDS.map((id) => ({ id, why })),
    template: 0,
  });
  expect(registered).toEqual([]);
  store('ConfigMap', 'c', 4, { a: '1' });
  expect(await sortBySources(FILES, IDS, deps)).toMatchObject({ launch: IDS, withdraw: [] });
});

test('a change makes a new template, and no change makes none', async () => {
  const { deps, store } = aDispatcher();
  const { uid } = FILES.identity;
  store('ConfigMap', 'c', 4, { a: '1' });
  await sortBySources(FILES, IDS, deps);
  await deps.jobs.addTemplate(uid, 0, {
    taskDefinition: 'td/x:1',
    containers: ['main'],
    placement: '{}',
    sources: 'old',
  });
  deps.cache.templates.set(uid, await deps.jobs.readTemplates(uid));
  const { template } = await sortBySources(FILES, IDS, deps);
  expect(template).toBe(1);
  expect(await sortBySources(FILES, IDS, deps)).toMatchObject({ template: 1 });
  store('ConfigMap', 'c', 5, { a: '2' });
  expect(await sortBySources(FILES, IDS, deps)).toMatchObject({ template: 2 });
  expect((await deps.jobs.readTemplates(uid)).map(({ sources }) => sources)).toEqual([
    'old',
    expect.stringContaining('c0ffee-4'),
    expect.stringContaining('c0ffee-5'),
  ]);
});

test('what a Secret says goes into its copy, and into nothing else', async () => {
  const { deps, store, registered, copies } = aDispatcher();
  const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'p' } } }];
  const [main] = aJob().manifest.spec.template.spec.containers;
  if (main === undefined) throw new Error('a Pod has a container');
  const spec = withPods({
    containers: [{ ...main, env, envFrom: [{ secretRef: { name: 's' } }] }],
    volumes: [{ name: 'v', secret: { secretName: 's' } }],
  });
  store('Secret', 's', 7, { p: 'hunter2' });
  expect(await templatesOf(spec, 0, deps)).toHaveLength(1);
  expect(copies[0]).toEqual({
    namespace: 'default',
    name: 's',
    version: 'c0ffee-7',
    values: new Map([['p', 'hunter2']]),
  });
  expect(registered).not.toEqual([]);
  expect(JSON.stringify([registered, await deps.jobs.readTemplates(spec.identity.uid)])).not.toMatch(
    /hunter2|aHVudGVyMg/,
  );
});

test('launches wait if a Secret cannot be copied, and say why', async () => {
  const { deps, store } = aDispatcher(async () => Promise.resolve({ kind: 'refused', reason: 'too large' }));
  store('Secret', 's', 7, { p: 'x' });
  const spec = withPods({ volumes: [{ name: 'v', secret: { secretName: 's' } }] });
  deps.cache.templates.set(spec.identity.uid, [
    { taskDefinition: 'td/x:1', containers: ['main'], placement: '{}', sources: 'old' },
  ]);
  expect((await sortBySources(spec, IDS, deps)).withdraw).toEqual(
    IDS.map((id) => ({ id, why: { kind: 'later', reason: 'too large' } })),
  );
});
