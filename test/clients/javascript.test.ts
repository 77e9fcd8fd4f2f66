import { PassThrough, Writable } from 'node:stream';
import {
  ApiException,
  BatchV1Api,
  CoreV1Api,
  Exec,
  KubeConfig,
  KubernetesObjectApi,
  Log,
  PatchStrategy,
  type V1Job,
  type V1Status,
  VersionApi,
  Watch,
  makeInformer,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seeded } from '../../local/ecs/seeded.ts';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually, indexed, shellJob } from '../e2e/kube-calls.ts';
import { type AFront, type ARelay, aFrontWithShortWatches, aRelayThatCuts } from './a-front.ts';

const namespace = 'default';
const JOBS = `/apis/batch/v1/namespaces/${namespace}/jobs`;

/** Its own loader reads our kubeconfig elsewhere; plain http is only spoken to who says that TLS is not looked at. */
function configFor(server: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: [{ name: 'muster', server, skipTLSVerify: true }],
    users: [{ name: 'me' }],
    contexts: [{ name: 'muster', cluster: 'muster', user: 'me' }],
    currentContext: 'muster',
  });
  return config;
}

const jobNamed = (name: string, script = 'true', spec: object = {}): V1Job => shellJob(name, script, spec) as V1Job;

describe("Kubernetes' JavaScript client", { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  let config: KubeConfig;
  let batch: BatchV1Api;
  let core: CoreV1Api;
  beforeAll(async () => {
    local = await aLocalRuntime({ store: 'memory' });
    config = configFor(local.runtime.url);
    batch = config.makeApiClient(BatchV1Api);
    core = config.makeApiClient(CoreV1Api);
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  test('a command in a Pod gets what is sent to it, and its exit code comes back', async () => {
    await batch.createNamespacedJob({ namespace, body: jobNamed('long', 'sleep 1000') });
    const pod = await eventually(
      async () => {
        const { items } = await core.listNamespacedPod({ namespace, labelSelector: 'job-name=long' });
        return items[0]?.status?.phase === 'Running' ? (items[0].metadata?.name ?? null) : null;
      },
      () => 'it does not run',
    );
    const [stdout, stdin] = [new PassThrough(), new PassThrough()];
    let out = '';
    stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const command = ['sh', '-c', 'read line; echo "got $line"; exit 4'];
    stdin.write('a line\n');
    const status = await new Promise<V1Status>((resolve, reject) => {
      new Exec(config)
        .exec(namespace, pod, 'main', command, stdout, null, stdin, false, resolve)
        .catch((error: unknown) => reject(new Error(String(error))));
    });
    expect([out, status.reason, status.details?.causes?.[0]?.message]).toEqual([
      'got a line\n',
      'NonZeroExitCode',
      '4',
    ]);
    await batch.deleteNamespacedJob({ name: 'long', namespace });
    await eventually(
      async () => ((await batch.listNamespacedJob({ namespace })).items.length === 0 ? true : null),
      () => 'it is still there',
    );
  });

  test('create, list, watch to completion, logs, delete', async () => {
    const { items, metadata } = await batch.listNamespacedJob({ namespace });
    expect(items).toEqual([]);
    const made = await batch.createNamespacedJob({
      namespace,
      body: jobNamed('sums', 'echo index $JOB_COMPLETION_INDEX', indexed(3, 3)),
    });
    expect(made.metadata).toMatchObject({ name: 'sums', generation: 1 });
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const job = await watchedToItsEnd(config, 'sums', metadata?.resourceVersion);
    expect(job.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    const pods = await core.listNamespacedPod({ namespace, labelSelector: 'job-name=sums' });
    const names = pods.items.map((pod) => pod.metadata!.name!);
    const logs = await Promise.all(names.map(async (name) => core.readNamespacedPodLog({ namespace, name })));
    expect(logs.toSorted()).toEqual(['index 0\n', 'index 1\n', 'index 2\n']);
    const followed = await followedLog(config, names[0]!);
    expect(logs).toContain(followed);

    await batch.deleteNamespacedJob({ namespace, name: 'sums', propagationPolicy: 'Background' });
    await expect(batch.readNamespacedJob({ namespace, name: 'sums' })).rejects.toSatisfy(
      (error) => error instanceof ApiException && error.code === 404,
    );
    expect((await core.listNamespacedPod({ namespace, labelSelector: 'job-name=sums' })).items).toEqual([]);
  });

  test('patches of every kind: suspend, resume, resize', async () => {
    await batch.createNamespacedJob({ namespace, body: jobNamed('held', 'exec sleep 300', indexed(2, 2)) });
    const patch = async (body: unknown, kind: PatchStrategy, more: object = {}): Promise<V1Job> =>
      batch.patchNamespacedJob({ namespace, name: 'held', body, ...more }, setHeaderOptions('Content-Type', kind));
    const active = async (count: number): Promise<V1Job> =>
      eventually(
        async () => {
          const job = await batch.readNamespacedJob({ namespace, name: 'held' });
          return (job.status?.active ?? 0) === count && (job.status?.terminating ?? 0) === 0 ? job : null;
        },
        () => `there are not ${count} active Pods`,
      );
    await active(2);
    const suspended = await patch({ spec: { suspend: true } }, PatchStrategy.MergePatch);
    expect(suspended.spec?.suspend).toBe(true);
    await active(0);
    await patch({ spec: { suspend: false } }, PatchStrategy.StrategicMergePatch);
    await active(2);
    const resize = ['completions', 'parallelism'].map((field) => ({ op: 'replace', path: `/spec/${field}`, value: 3 }));
    await patch(resize, PatchStrategy.JsonPatch);
    await active(3);
    const applied = await patch(
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'held', labels: { team: 'maths' } } },
      PatchStrategy.ServerSideApply,
      { fieldManager: 'test', force: true },
    );
    expect(applied.metadata?.labels).toMatchObject({ team: 'maths' });
    expect(applied.metadata?.managedFields).toContainEqual(
      expect.objectContaining({ manager: 'test', operation: 'Apply', apiVersion: 'batch/v1', fieldsType: 'FieldsV1' }),
    );

    // A copy that was read before is out of date by now.
    await expect(batch.replaceNamespacedJob({ namespace, name: 'held', body: suspended })).rejects.toSatisfy(
      (error) => error instanceof ApiException && error.code === 409,
    );
    // Its status may change between the two calls: then the copy is out of date again.
    const { fresh, replaced } = await eventually(
      async () => {
        const body = await batch.readNamespacedJob({ namespace, name: 'held' });
        body.metadata!.labels = { ...body.metadata!.labels, team: 'art' };
        try {
          return { fresh: body, replaced: await batch.replaceNamespacedJob({ namespace, name: 'held', body }) };
        } catch (error) {
          if (error instanceof ApiException && error.code === 409) return null;
          throw error;
        }
      },
      () => 'every copy was out of date',
    );
    expect(replaced.metadata?.labels?.['team']).toBe('art');
    expect(replaced.metadata?.generation).toBe(fresh.metadata?.generation);
    await batch.deleteNamespacedJob({ namespace, name: 'held', body: { propagationPolicy: 'Foreground' } });
  });

  test('objects of any kind, as its generic client learns them from discovery', async () => {
    const any = KubernetesObjectApi.makeApiClient(config);
    const cron = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'hourly', namespace },
      spec: { schedule: '0 * * * *', suspend: true, jobTemplate: { spec: jobNamed('x').spec! } },
    };
    await any.create(cron);
    expect(await any.read(cron)).toMatchObject({ spec: { schedule: '0 * * * *', concurrencyPolicy: 'Allow' } });
    await any.patch({ ...cron, spec: { ...cron.spec, schedule: '30 * * * *' } });
    const list = await any.list('batch/v1', 'CronJob', namespace);
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(['hourly']);
    await any.delete(cron);
    await expect(any.read(cron)).rejects.toThrow('not found');
    expect((await config.makeApiClient(VersionApi).getCode()).gitVersion).toMatch(/^v1\./);
  });

  test('all Jobs of a label go by one call', async () => {
    const body = (name: string): V1Job => {
      const job = jobNamed(name, 'true', { suspend: true });
      job.metadata = { name, labels: { set: 'mine' } };
      return job;
    };
    for (const name of ['one', 'two', 'three']) await batch.createNamespacedJob({ namespace, body: body(name) });
    await batch.deleteCollectionNamespacedJob({ namespace, labelSelector: 'set=mine' });
    expect((await batch.listNamespacedJob({ namespace, labelSelector: 'set=mine' })).items).toEqual([]);
  });
});

/** The Job as the event that told of its end carried it. */
async function watchedToItsEnd(config: KubeConfig, name: string, resourceVersion?: string): Promise<V1Job> {
  return new Promise((resolve, reject) => {
    let seen: V1Job | null = null;
    const query = {
      fieldSelector: `metadata.name=${name}`,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    };
    const watching = new Watch(config).watch(
      JOBS,
      query,
      (_phase, job: V1Job) => {
        if (job.status?.conditions?.some(({ type, status }) => type === 'Complete' && status === 'True') !== true)
          return;
        seen = job;
        void watching.then((controller) => controller.abort());
      },
      (error) => (seen === null ? reject(new Error(`the watch has ended: ${String(error)}`)) : resolve(seen)),
    );
  });
}

async function followedLog(config: KubeConfig, pod: string): Promise<string> {
  let text = '';
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const ended = new Promise((resolve) => sink.once('close', resolve).once('finish', resolve));
  await new Log(config).log(namespace, pod, 'main', sink, { follow: true });
  await ended;
  return text;
}

const CHANGES = 1_000;
const NAMES = Array.from({ length: 20 }, (_, i) => `job-${i}`);

describe("the JavaScript client's informer", { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  let front: AFront;
  let relay: ARelay;
  beforeAll(async () => {
    local = await aLocalRuntime({ store: 'memory', driver: 'simulated' });
    front = await aFrontWithShortWatches(local.runtime, 1);
    relay = await aRelayThatCuts(front.url, 800, 7);
  }, PATIENCE_MS);
  afterAll(async () => {
    await relay.close();
    await front.close();
    await local.close();
  });

  test(`stays in step through ${CHANGES} changes: watches that end after a second, connections that break`, async () => {
    const writer = configFor(local.runtime.url).makeApiClient(BatchV1Api);
    const direct = anObserver(front.url);
    const cut = anObserver(relay.url);
    await Promise.all([direct.start(), cut.start()]);
    const written = await changeJobs(writer, 11);

    const { items } = await writer.listNamespacedJob({ namespace });
    const truth = versionsOf(items);
    expect(items.length).toBeGreaterThan(0);
    for (const observer of [direct, cut]) {
      await eventually(
        () => (JSON.stringify(versionsOf(observer.list())) === JSON.stringify(truth) ? true : null),
        () => `the list is ${JSON.stringify(truth)}, the cache ${JSON.stringify(versionsOf(observer.list()))}`,
      );
      expect(observer.disorder).toEqual([]);
      expect(observer.strange(written)).toEqual([]);
      expect(observer.seen()).toBeGreaterThan(CHANGES / 20);
      await observer.stop();
    }
    expect(direct.connections()).toBeGreaterThan(3);
    expect(relay.cuts()).toBeGreaterThan(3);
  });
});

/** An informer that is started again whenever it gives up, as its users do, with a look at the order of what it tells. */
function anObserver(url: string) {
  const config = configFor(url);
  const api = config.makeApiClient(BatchV1Api);
  const informer = makeInformer<V1Job>(config, JOBS, async () => api.listNamespacedJob({ namespace }));
  const newest = new Map<string, bigint>();
  const states: string[] = [];
  const disorder: string[] = [];
  let connections = 0;
  let stopped = false;
  const look = (what: string, job: V1Job): void => {
    const version = BigInt(job.metadata!.resourceVersion!);
    const key = job.metadata!.uid!;
    const before = newest.get(key);
    if (before !== undefined && version < before) disorder.push(`${what} ${key}: ${version} after ${before}`);
    newest.set(key, version);
    if (what !== 'delete') states.push(stateOf(job));
  };
  for (const what of ['add', 'update', 'delete'] as const) informer.on(what, (job) => look(what, job));
  informer.on('connect', () => (connections += 1));
  informer.on('error', () => {
    if (!stopped) setTimeout(() => void informer.start(), 20);
  });
  return {
    start: async () => informer.start(),
    stop: async () => {
      stopped = true;
      await informer.stop();
    },
    list: () => informer.list(),
    disorder,
    connections: () => connections,
    seen: () => states.length,
    /** What it told of that nobody ever wrote. */
    strange: (written: ReadonlySet<string>) => states.filter((state) => !written.has(state)),
  };
}

/** Creates, labels and deletes Jobs that never run; returns every state that was ever written. */
async function changeJobs(api: BatchV1Api, seed: number): Promise<ReadonlySet<string>> {
  const random = seeded(seed);
  const written = new Set<string>();
  const alive = new Set<string>();
  for (let n = 0; n < CHANGES; n += 1) {
    const name = NAMES[Math.floor(random() * NAMES.length)]!;
    if (!alive.has(name)) {
      const body = jobNamed(name, 'true', { suspend: true });
      body.metadata = { name, labels: { n: String(n) } };
      written.add(stateOf(await api.createNamespacedJob({ namespace, body })));
      alive.add(name);
    } else if (random() < 0.1) {
      await api.deleteNamespacedJob({ namespace, name, propagationPolicy: 'Background' });
      alive.delete(name);
    } else {
      const body = { metadata: { labels: { n: String(n) } } };
      const patched = await api.patchNamespacedJob(
        { namespace, name, body },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      );
      written.add(stateOf(patched));
    }
  }
  return written;
}

const stateOf = ({ metadata }: V1Job): string => `${metadata?.uid} ${metadata?.labels?.['n']}`;

const versionsOf = (jobs: readonly V1Job[]): readonly string[] =>
  jobs.map(({ metadata }) => `${metadata?.name} ${metadata?.uid} ${metadata?.resourceVersion}`).toSorted();
