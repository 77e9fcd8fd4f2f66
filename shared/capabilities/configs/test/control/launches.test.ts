import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sortBySources } from '../../../../control/dispatch/launch-needs.ts';
import { templatesOf } from '../../../../control/dispatch/template.ts';
import { createCache } from '../../../../control/process/cache.ts';
import type { Deps } from '../../../../control/process/deps.ts';
import { asEpochMs } from '../../../../domain/base/time.ts';
import type { PodSpec } from '../../../../domain/manifests/pod-spec.ts';
import type { TaskDefinition } from '../../../../domain/task/task.ts';
import type { ObjectKey, StoredKind } from '../../../../ports/object-store.ts';
import type { StoredSpec } from '../../../../ports/job-store.ts';
import { createMemoryStore } from '../../../../runtime/memory-store.ts';
import { aJob } from '../../../../../test/support/a-job.ts';
import { createSealer } from '../../adapters/aes-sealer.ts';
import type { SecretsKey } from '../../ports/secrets-key.ts';
import { sealedObjects } from '../../store/sealed-objects.ts';
import type { SecretCopies, SecretCopy } from '../../ports/secret-copies.ts';

const IDS = [0, 1].map((index) => ({ index, attempt: 1, nonce: 0 }));

const UID = '0b0b0b0b-0000-4000-8000-000000000000';

/** A dispatcher, with what it reads, and what it has registered and copied. */
async function aDispatcher(put: SecretCopies['put'] = async () => Promise.resolve({ kind: 'there' })) {
  const registered: TaskDefinition[] = [];
  const copies: SecretCopy[] = [];
  const reads: string[] = [];
  const { jobs, objects } = createMemoryStore({ now: () => asEpochMs(0) });
  const sealer = createSealer(aKey());
  const opened = sealedObjects(objects, { sealer });
  const home = { metadata: { uid: 'n', name: 'default' }, status: { phase: 'Active' } };
  await objects.commit('Namespace', { key: { namespace: '', name: 'default' }, was: 0, document: home });
  const deps = {
    jobs,
    objects: {
      ...objects,
      read: async (kind: StoredKind, key: ObjectKey) => {
        reads.push(`${kind} ${key.namespace}/${key.name}`);
        return objects.read(kind, key);
      },
    },
    tasks: {
      prepare: async (definition: TaskDefinition) => {
        registered.push(definition);
        const template = { taskDefinition: `td/${definition.family}:1`, containers: ['main'], placement: '{}' };
        return Promise.resolve({ kind: 'ready', template });
      },
    },
    hash: (text: string) => createHash('sha256').update(text).digest('hex'),
    cache: createCache(),
    ports: {
      sealer,
      secretCopies: {
        put: async (copy: SecretCopy) => {
          copies.push(copy);
          return put(copy);
        },
      },
    },
    settings: {},
  } as unknown as Deps;
  const store = async (
    kind: 'ConfigMap' | 'Secret',
    name: string,
    data: Record<string, string>,
    type?: string,
  ): Promise<void> => {
    const key = { namespace: 'default', name };
    const was = (await objects.read(kind, key))?.version ?? 0;
    const document = { metadata: { uid: UID, name }, data, ...(type === undefined ? {} : { type }) };
    expect(await opened.commit(kind, { key, was, document })).toMatchObject({ kind: 'committed' });
  };
  return { deps, store, registered, copies, reads };
}

/** A key that is in nobody's file. */
function aKey(): SecretsKey {
  let kept: string | null = null;
  return {
    place: 'the key of this test',
    read: async () => Promise.resolve(kept),
    make: async (text) => {
      kept ??= text;
      return Promise.resolve();
    },
  };
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
  const { deps, reads } = await aDispatcher();
  expect(await sortBySources(aJob(), IDS, deps)).toMatchObject({ launch: IDS, template: 0 });
  expect(reads).toEqual([]);
});

test('a message of launches reads each object once, however often it is named, and calls nobody without a change', async () => {
  const { deps, store, reads, copies, registered } = await aDispatcher();
  await store('ConfigMap', 'c', { a: '1' });
  await store('Secret', 's', { p: 'eA==' });
  const volumes = ['v', 'w'].flatMap((name) => [
    { name, configMap: { name: 'c' } },
    { name: `${name}s`, secret: { secretName: 's' } },
  ]);
  const spec = withPods({ volumes });
  await templatesOf(spec, 0, deps);
  const before = [copies.length, registered.length];
  reads.length = 0;
  expect(await sortBySources(spec, IDS, deps)).toMatchObject({ launch: IDS, template: 0 });
  expect(reads.toSorted()).toEqual(['ConfigMap default/c', 'Secret default/s']);
  expect([copies.length, registered.length]).toEqual(before);
});

test('launches wait for a ConfigMap, and go once it is there', async () => {
  const { deps, store, registered } = await aDispatcher();
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
  await store('ConfigMap', 'c', { a: '1' });
  expect(await sortBySources(FILES, IDS, deps)).toMatchObject({ launch: IDS, withdraw: [] });
});

test('a change makes a new template, and no change makes none', async () => {
  const { deps, store } = await aDispatcher();
  const { uid } = FILES.identity;
  await store('ConfigMap', 'c', { a: '1' });
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
  await store('ConfigMap', 'c', { a: '2' });
  expect(await sortBySources(FILES, IDS, deps)).toMatchObject({ template: 2 });
  const prints = (await deps.jobs.readTemplates(uid)).map(({ sources }) => sources);
  expect(new Set(prints).size).toBe(3);
});

test('what a Secret says goes into its copy, and into nothing else', async () => {
  const { deps, store, registered, copies } = await aDispatcher();
  const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'p' } } }];
  const [main] = aJob().manifest.spec.template.spec.containers;
  if (main === undefined) throw new Error('a Pod has a container');
  const spec = withPods({
    containers: [{ ...main, env, envFrom: [{ secretRef: { name: 's' } }] }],
    volumes: [{ name: 'v', secret: { secretName: 's' } }],
  });
  await store('Secret', 's', { p: 'aHVudGVyMg==' });
  expect(await templatesOf(spec, 0, deps)).toHaveLength(1);
  expect(copies[0]).toEqual({
    namespace: 'default',
    name: 's',
    version: `${UID}-1`,
    values: new Map([['p', 'hunter2']]),
  });
  expect(registered).not.toEqual([]);
  expect(JSON.stringify([registered, await deps.jobs.readTemplates(spec.identity.uid)])).not.toMatch(
    /hunter2|aHVudGVyMg/,
  );
});

const DOCKER = 'kubernetes.io/dockerconfigjson';
const dockerData = (auths: object) => ({
  '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64'),
});
const LOGIN = { username: 'kim', password: 'hunter2' };
const OTHER = { auth: Buffer.from('bot:hunter3').toString('base64') };

/** A Pod of two images, with Secrets to pull them. */
function withImages(images: readonly string[], ...names: readonly string[]): StoredSpec {
  const [main] = aJob().manifest.spec.template.spec.containers;
  if (main === undefined) throw new Error('a Pod has a container');
  const containers = images.map((image, n) => ({ ...main, name: `c${n}`, image }));
  return withPods({ containers, imagePullSecrets: names.map((name) => ({ name })) });
}

test('each image is pulled with the credentials for its registry, and only those that are used are copied', async () => {
  const { deps, store, registered, copies, reads } = await aDispatcher();
  const auths = { 'ghcr.io': LOGIN, 'unused.example.com': OTHER };
  await store('Secret', 'one', dockerData(auths), DOCKER);
  await store('Secret', 'two', dockerData({ 'https://index.docker.io/v1/': OTHER }), DOCKER);
  const spec = withImages(['ghcr.io/team/tool:1', 'busybox', 'quay.io/team/tool:1'], 'one', 'two');
  expect(await templatesOf(spec, 0, deps)).toHaveLength(1);
  expect(reads).toEqual(['Secret default/one', 'Secret default/two']);
  const pulls = registered[0]?.containers.map(({ pullSecret }) => pullSecret);
  const hashOf = (registry: string) => createHash('sha256').update(registry).digest('hex').slice(0, 16);
  expect(pulls).toEqual([
    { namespace: 'default', name: 'one', copy: { version: `${UID}-1`, registry: hashOf('ghcr.io') } },
    { namespace: 'default', name: 'two', copy: { version: `${UID}-2`, registry: hashOf('index.docker.io') } },
    null,
  ]);
  expect(copies.map(({ name, registry, values }) => [name, registry, Object.fromEntries(values)])).toEqual([
    ['one', hashOf('ghcr.io'), LOGIN],
    ['two', hashOf('index.docker.io'), { username: 'bot', password: 'hunter3' }],
  ]);
  const told = JSON.stringify([registered, await deps.jobs.readTemplates(spec.identity.uid)]);
  for (const value of ['hunter', 'kim', 'bot', OTHER.auth]) expect(told).not.toContain(value);
});

test('a Secret that is changed is pulled with anew, by another definition', async () => {
  const { deps, store, registered, copies } = await aDispatcher();
  const spec = withImages(['ghcr.io/team/tool:1'], 'one');
  await store('Secret', 'one', dockerData({ 'ghcr.io': LOGIN }), DOCKER);
  expect(await sortBySources(spec, IDS, deps)).toMatchObject({ template: 0 });
  await templatesOf(spec, 0, deps);
  await store('Secret', 'one', dockerData({ 'ghcr.io': OTHER }), DOCKER);
  expect(await sortBySources(spec, IDS, deps)).toMatchObject({ launch: IDS, template: 1 });
  expect(copies.map(({ version }) => version)).toEqual([`${UID}-1`, `${UID}-2`]);
  expect(new Set(registered.map(({ family }) => family)).size).toBe(2);
});

test('a Secret that is not stored may have been made by hand', async () => {
  const { deps, registered, copies } = await aDispatcher();
  await templatesOf(withImages(['ghcr.io/team/tool:1'], 'registry'), 0, deps);
  expect(registered[0]?.containers[0]?.pullSecret).toEqual({ namespace: 'default', name: 'registry' });
  expect(copies).toEqual([]);
});

test('launches wait for a Secret that cannot be read for pulls, and do not say what it has', async () => {
  const { deps, store } = await aDispatcher();
  await store('Secret', 'one', dockerData({ 'canary.example.com': { auth: 'canary' } }), DOCKER);
  const [withdrawn] = (await sortBySources(withImages(['busybox'], 'one'), IDS, deps)).withdraw;
  expect(withdrawn?.why).toMatchObject({ kind: 'later' });
  expect(withdrawn?.why.reason).toMatch(/^ErrImagePull: secret "one" of imagePullSecrets is no docker configuration: /);
  expect(withdrawn?.why.reason).not.toContain('canary');
});

test('launches wait if a Secret cannot be copied, and say why', async () => {
  const { deps, store } = await aDispatcher(async () => Promise.resolve({ kind: 'refused', reason: 'too large' }));
  await store('Secret', 's', { p: 'eA==' });
  const spec = withPods({ volumes: [{ name: 'v', secret: { secretName: 's' } }] });
  deps.cache.templates.set(spec.identity.uid, [
    { taskDefinition: 'td/x:1', containers: ['main'], placement: '{}', sources: 'old' },
  ]);
  expect((await sortBySources(spec, IDS, deps)).withdraw).toEqual(
    IDS.map((id) => ({ id, why: { kind: 'later', reason: 'too large' } })),
  );
});

test('launches wait for a Secret that the key does not open, and say what to do', async () => {
  const { deps, store } = await aDispatcher();
  await store('Secret', 's', { p: 'eA==' });
  const spec = withPods({ volumes: [{ name: 'v', secret: { secretName: 's' } }] });
  const other = { ...deps, ports: { ...deps.ports, sealer: createSealer(aKey()) } };
  const [withdrawn] = (await sortBySources(spec, IDS, other)).withdraw;
  expect(withdrawn?.why.kind).toBe('later');
  expect(withdrawn?.why.reason).toMatch(
    /^CreateContainerConfigError: secret "s" cannot be opened: .*put back the key/s,
  );
});

test('a Job whose ConfigMaps change without end stops at a bound, and says so', async () => {
  const { deps, store } = await aDispatcher();
  await store('ConfigMap', 'c', { a: '1' });
  const old = { taskDefinition: 'td/x:1', containers: ['main'], placement: 'x'.repeat(200_000), sources: 'old' };
  deps.cache.templates.set(FILES.identity.uid, [old]);
  const [withdrawn] = (await sortBySources(FILES, IDS, deps)).withdraw;
  expect(withdrawn?.why).toMatchObject({
    kind: 'later',
    reason: expect.stringContaining('create the Job anew') as string,
  });
});
