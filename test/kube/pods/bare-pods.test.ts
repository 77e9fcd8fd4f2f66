import { describe, expect, test } from 'vitest';
import { planningSpec } from '../../../shared/domain/manifests/job.ts';
import { JOBS, PODS, START, type World, aWorld, linesOf, manifest } from '../a-world.ts';

// Pods that no Job owns: each is stored as a Job of one Pod, of which users see the Pod alone.

const EVENTS = '/api/v1/namespaces/default/events';
const container = { name: 'main', image: 'busybox', command: ['true'] };
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: 'x' }, ...metadata },
  spec: { restartPolicy: 'Never', containers: [container], ...spec },
});
type Pod = {
  metadata: {
    name: string;
    uid: string;
    resourceVersion: string;
    labels?: object;
    annotations?: Record<string, string>;
    ownerReferences?: object;
    deletionTimestamp?: string;
  };
  spec: Record<string, unknown>;
  status: { phase: string };
};

const aWorldWithPods = async (onSleep: () => Promise<void> = async () => undefined): Promise<World> =>
  aWorld({}, { onSleep, firstPodsMax: 100 });

const send = async (world: World, method: string, path: string, body?: unknown, type = 'application/json') => {
  const answer = await world.app.request(path, {
    method,
    headers: { 'content-type': type },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { code: answer.status, body: (await answer.json()) as Pod & { message?: string; items?: Pod[] } };
};
const merge = async (world: World, name: string, patch: object) =>
  send(world, 'PATCH', `${PODS}/${name}`, patch, 'application/merge-patch+json');
const names = async (world: World, path: string): Promise<readonly string[]> =>
  ((await (await world.get(path)).json()) as { items: Pod[] }).items.map(({ metadata }) => metadata.name);

const runs = async (world: World, name: string): Promise<void> => {
  await world.launch(`pod:${name}`, [{ index: 0, attempt: 1 }]);
  await world.commit(`pod:${name}`, [{ op: 'launched', index: 0 }]);
  await world.commit(`pod:${name}`, [{ op: 'running', index: 0 }]);
};
const ends = async (world: World, name: string): Promise<void> => {
  await world.record(`pod:${name}`, 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  const verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null } as const;
  await world.commit(`pod:${name}`, [{ op: 'succeeded', index: 0 }], {
    phase: { kind: 'finished', verdict, since: START, at: START },
  });
};

describe('what users see', () => {
  test('the Pod is there at once, with its own name, labels, and nobody who owns it', async () => {
    const world = await aWorldWithPods();
    const made = await send(world, 'POST', PODS, pod('a.b'));
    expect(made.code).toBe(201);
    expect(made.body).toMatchObject({
      kind: 'Pod',
      metadata: { name: 'a.b', namespace: 'default', labels: { app: 'x' } },
      spec: { restartPolicy: 'Never', dnsPolicy: 'ClusterFirst' },
      status: { phase: 'Pending' },
    });
    expect(made.body.metadata).not.toHaveProperty('ownerReferences');
    expect(made.body.metadata).not.toHaveProperty('generateName');
    const got = await send(world, 'GET', `${PODS}/a.b`);
    expect(got).toMatchObject({ code: 200, body: made.body });
    for (const query of ['', '?labelSelector=app%3Dx', '?fieldSelector=metadata.name%3Da.b'])
      expect(await names(world, PODS + query)).toEqual(['a.b']);
    expect(await names(world, `${PODS}?labelSelector=app%3Dy`)).toEqual([]);
  });

  test('no list, no watch, and no path of Jobs has it', async () => {
    const world = await aWorldWithPods();
    await send(world, 'POST', PODS, pod('one'));
    await world.post(JOBS, manifest('sums'));
    expect(await names(world, JOBS)).toEqual(['sums']);
    expect(await names(world, '/apis/batch/v1/jobs')).toEqual(['sums']);
    expect(await names(world, `${JOBS}?fieldSelector=metadata.name%3Dpod:one`)).toEqual([]);
    const { metadata } = (await (await world.get(`${JOBS}?limit=1`)).json()) as { metadata: object };
    expect(metadata).not.toHaveProperty('continue');
    const events = await linesOf(await world.get(`${JOBS}?watch=true&resourceVersion=0&timeoutSeconds=2`));
    expect(events.map((each) => (each as unknown as { object: Pod }).object.metadata.name)).toEqual(['sums']);
    for (const path of [
      `${JOBS}/pod:one`,
      `${JOBS}/pod%3Aone`,
      `${JOBS}/%70od:one`,
      '/muster/v1/namespaces/default/jobs/pod:one/progress',
      '/muster/v1/namespaces/default/jobs/pod:one/attempts',
      '/apis/batch/v1/namespaces/jobs/jobs/pod:one',
    ])
      expect((await world.get(path)).status).toBe(404);
    expect((await send(world, 'DELETE', `${JOBS}/pod:one`)).code).toBe(404);
    expect(await names(world, PODS)).toContain('one');
  });

  test('a Job and a Pod may have the same name', async () => {
    const world = await aWorldWithPods();
    await world.post(JOBS, manifest('same'));
    expect((await send(world, 'POST', PODS, pod('same'))).code).toBe(201);
    expect((await send(world, 'POST', PODS, pod('same'))).body.message).toBe('pods "same" already exists');
    expect((await send(world, 'DELETE', `${JOBS}/same`)).code).toBe(200);
    expect((await send(world, 'GET', `${PODS}/same`)).code).toBe(200);
  });

  test("the name of a Job's Pod is taken, too", async () => {
    const world = await aWorldWithPods();
    await world.post(JOBS, manifest('sums'));
    const [name = ''] = await names(world, PODS);
    expect((await send(world, 'POST', PODS, pod(name))).code).toBe(409);
    expect((await send(world, 'POST', `${PODS}?dryRun=All`, pod(name))).code).toBe(409);
  });

  test('a generated name', async () => {
    const world = await aWorldWithPods();
    const { body } = await send(world, 'POST', PODS, pod('', {}, { generateName: 'run-' }));
    expect(body.metadata.name).toMatch(/^run-[a-z0-9]{5}$/);
    expect(body.metadata).toMatchObject({ generateName: 'run-' });
  });

  test('its Events are those of the Pod', async () => {
    const world = await aWorldWithPods();
    await send(world, 'POST', PODS, pod('one'));
    await runs(world, 'one');
    const { items } = (await (await world.get(EVENTS)).json()) as {
      items: { reason: string; involvedObject: { kind: string; name: string } }[];
    };
    expect(items.length).toBeGreaterThan(0);
    expect([...new Set(items.map(({ involvedObject: { kind, name } }) => `${kind} ${name}`))]).toEqual(['Pod one']);
    const one = await world.get(`${EVENTS}?fieldSelector=involvedObject.name%3Done`);
    expect(((await one.json()) as { items: object[] }).items).toHaveLength(items.length);
  });

  test('a dry run stores nothing', async () => {
    const world = await aWorldWithPods();
    const tried = await send(world, 'POST', `${PODS}?dryRun=All`, pod('one'));
    expect([tried.code, tried.body.metadata.name, tried.body.status.phase]).toEqual([201, 'one', 'Pending']);
    expect(await names(world, PODS)).toEqual([]);
  });
});

describe('what is refused', () => {
  test.each([
    [{ restartPolicy: 'Always' }, {}, 'spec.restartPolicy: Invalid value: "Always"'],
    [{ restartPolicy: undefined }, {}, 'spec.restartPolicy: Invalid value: "Always"'],
    [{ containers: [] }, {}, 'spec.containers: Required value'],
    [{ containers: [{ ...container, image: '' }] }, {}, 'spec.containers[0].image: Required value'],
    [{ hostNetwork: true }, {}, 'spec.hostNetwork: Forbidden'],
    [{}, { name: 'pod:x' }, 'metadata.name: Invalid value: "pod:x"'],
    [{}, { labels: { '-': 'x' } }, 'metadata.labels: Invalid value: "-"'],
    [{}, { annotations: { 'muster.run/after': 'x' } }, 'metadata.annotations[muster.run/after]: Invalid value: "x"'],
  ])('%j %j', async (spec, metadata, why) => {
    const world = await aWorldWithPods();
    const { code, body } = await send(world, 'POST', PODS, pod('one', spec, metadata));
    expect([code, body.message]).toEqual([422, expect.stringContaining(why)]);
    expect(body.message).not.toContain('spec.template');
    expect(await names(world, PODS)).toEqual([]);
  });

  test('each fault once', async () => {
    const world = await aWorldWithPods();
    const { body } = await send(world, 'POST', PODS, pod('one', { restartPolicy: 'Always' }, { labels: { '-': 'x' } }));
    expect(body.message?.match(/metadata\.labels/g)).toHaveLength(1);
  });
});

describe('changes', () => {
  test('labels and annotations of a Pod that runs, or has ended', async () => {
    const world = await aWorldWithPods();
    await send(world, 'POST', PODS, pod('one'));
    await runs(world, 'one');
    const before = (await send(world, 'GET', `${PODS}/one`)).body;
    const patched = await merge(world, 'one', { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } });
    expect(patched.body.metadata).toMatchObject({ labels: { app: 'x', a: 'b' }, annotations: { c: 'd' } });
    expect(Number(patched.body.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    expect(patched.body.metadata.uid).toBe(before.metadata.uid);
    await ends(world, 'one');
    const after = await merge(world, 'one', { metadata: { labels: { app: null } } });
    expect(after.body).toMatchObject({ metadata: { labels: { a: 'b' } }, status: { phase: 'Succeeded' } });
    expect(await names(world, `${PODS}?labelSelector=a%3Db`)).toEqual(['one']);
  });

  test('a PUT of what was read changes nothing, nor does one that omits defaults', async () => {
    const world = await aWorldWithPods();
    await send(
      world,
      'POST',
      PODS,
      pod('one', { containers: [{ ...container, resources: { limits: { cpu: '1' } } }] }),
    );
    await runs(world, 'one');
    const { body } = await send(world, 'GET', `${PODS}/one`);
    const again = await send(world, 'PUT', `${PODS}/one`, body);
    expect([again.code, again.body.metadata.resourceVersion]).toEqual([200, body.metadata.resourceVersion]);
    const short = pod('one', { containers: [{ ...container, resources: { limits: { cpu: '1000m' } } }] });
    expect((await send(world, 'PUT', `${PODS}/one`, short)).code).toBe(200);
  });

  test.each([
    [{ containers: [{ name: 'main', image: 'other', command: ['true'] }] }, 'spec.containers[0].image differs'],
    [{ nodeName: 'mine' }, 'spec.nodeName differs'],
    [{ restartPolicy: 'OnFailure' }, 'spec.restartPolicy differs'],
  ])('of its spec, %j is refused', async (spec, why) => {
    const world = await aWorldWithPods();
    await send(world, 'POST', PODS, pod('one'));
    const { code, body } = await merge(world, 'one', { spec });
    expect([code, body.message]).toEqual([422, expect.stringContaining(why)]);
  });

  test('a deadline may be set, and become shorter', async () => {
    const world = await aWorldWithPods();
    await send(world, 'POST', PODS, pod('one'));
    const set = async (activeDeadlineSeconds: number | null) => {
      const { code, body } = await merge(world, 'one', { spec: { activeDeadlineSeconds } });
      return code === 200 ? body.spec['activeDeadlineSeconds'] : body.message;
    };
    expect([await set(60), await set(30)]).toEqual([60, 30]);
    expect(await set(31)).toContain('must be less than or equal to previous value');
    expect(await set(null)).toContain('must not update from a positive integer to nil value');
    expect(await set(0)).toContain('must be between 1 and 2147483647, inclusive');
  });

  test('a finalizer holds it, and one that is to be deleted gets no more', async () => {
    const world = await aWorldWithPods();
    await send(world, 'POST', PODS, pod('one', {}, { finalizers: ['example.com/x'] }));
    await runs(world, 'one');
    await ends(world, 'one');
    const deleted = await send(world, 'DELETE', `${PODS}/one`);
    expect(deleted.body.metadata.deletionTimestamp).toBeDefined();
    const held = await send(world, 'GET', `${PODS}/one`);
    expect(held.body.metadata).toMatchObject({
      finalizers: ['example.com/x'],
      deletionTimestamp: '2023-11-14T22:13:20Z',
    });
    const more = await merge(world, 'one', { metadata: { finalizers: ['example.com/x', 'example.com/y'] } });
    expect(more.body.message).toContain('no new finalizers can be added if the object is being deleted');
    expect((await merge(world, 'one', { metadata: { finalizers: null } })).code).toBe(200);
    expect(await names(world, PODS)).toEqual([]);
  });

  test("a Job's Pod is still what its Job makes it", async () => {
    const world = await aWorldWithPods();
    await world.post(JOBS, manifest('sums'));
    const [name = ''] = await names(world, PODS);
    expect((await merge(world, name, { metadata: { labels: { a: 'b' } } })).code).toBe(405);
  });
});

describe('deletion', () => {
  test('of one that runs: it is being deleted until its task has stopped', async () => {
    const world = await aWorldWithPods();
    await send(world, 'POST', PODS, pod('one'));
    await runs(world, 'one');
    const { code, body } = await send(world, 'DELETE', `${PODS}/one`);
    expect([code, body.metadata.deletionTimestamp]).toEqual([200, '2023-11-14T22:13:20Z']);
    const [standing] = ((await (await world.get(PODS)).json()) as { items: Pod[] }).items;
    expect(standing?.metadata.deletionTimestamp).toBe('2023-11-14T22:13:20Z');
    expect((await send(world, 'POST', PODS, pod('one'))).code).toBe(409);
  });

  test('without grace, and of one that has ended: at once; then the name is free', async () => {
    const world = await aWorldWithPods();
    for (const name of ['one', 'two']) {
      await send(world, 'POST', PODS, pod(name));
      await runs(world, name);
    }
    await ends(world, 'two');
    expect((await send(world, 'DELETE', `${PODS}/one`, { gracePeriodSeconds: 0 })).code).toBe(200);
    expect((await send(world, 'DELETE', `${PODS}/two`)).code).toBe(200);
    expect(await names(world, PODS)).toEqual([]);
    expect((await send(world, 'POST', PODS, pod('two'))).code).toBe(201);
  });

  test('of a collection: by labels, and the Pods of Jobs with them', async () => {
    const world = await aWorldWithPods();
    for (const name of ['one', 'two']) {
      await send(world, 'POST', PODS, pod(name, {}, { labels: { app: name } }));
      await runs(world, name);
      await ends(world, name);
    }
    expect((await send(world, 'DELETE', `${PODS}?labelSelector=app%3Done`)).code).toBe(200);
    expect(await names(world, PODS)).toEqual(['two']);
    await world.post(JOBS, manifest('sums'));
    expect((await send(world, 'DELETE', PODS)).code).toBe(200);
    expect(await names(world, `${PODS}?labelSelector=app%3Dtwo`)).toEqual([]);
  });

  test('one that names a Job as its controller is no Pod of that Job', async () => {
    const world = await aWorldWithPods();
    await world.post(JOBS, manifest('sums'));
    const uid = await world.uidOf('sums');
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'sums', uid, controller: true };
    await send(world, 'POST', PODS, pod('mine', {}, { ownerReferences: [owner] }));
    await runs(world, 'mine');
    await ends(world, 'mine');
    expect((await send(world, 'GET', `${PODS}/mine`)).body.metadata.ownerReferences).toEqual([owner]);
    await send(world, 'DELETE', `${PODS}?labelSelector=app%3Dx`);
    expect(await names(world, `${PODS}?labelSelector=app%3Dx`)).toEqual([]);
  });
});

test('a watch shows its life, and each change of its metadata', async () => {
  let next = 0;
  const steps = [
    async () => send(world, 'POST', PODS, pod('one')),
    async () => runs(world, 'one'),
    async () => merge(world, 'one', { metadata: { labels: { a: 'b' } } }),
    async () => ends(world, 'one'),
    async () => send(world, 'DELETE', `${PODS}/one`),
  ];
  const world: World = await aWorldWithPods(async () => void (await steps[next++]?.()));
  const lines = await linesOf(await world.get(`${PODS}?watch=true&resourceVersion=0&timeoutSeconds=20`));
  const seen = (lines as unknown as { type: string; object: Pod }[]).map(
    ({ type, object: { metadata, status } }) =>
      `${type} ${status.phase}${metadata.labels !== undefined && 'a' in metadata.labels ? ' labelled' : ''}${metadata.deletionTimestamp === undefined ? '' : ' deleted'}`,
  );
  expect(seen).toEqual([
    'ADDED Pending',
    'MODIFIED Pending',
    'MODIFIED Running',
    'MODIFIED Running labelled',
    'MODIFIED Succeeded labelled',
    'DELETED Succeeded labelled deleted',
  ]);
});

test('a watch that selects by labels: what begins to match is ADDED, and what matches no more is DELETED', async () => {
  let next = 0;
  const label = (a: string | null) => async () => merge(world, 'one', { metadata: { labels: { a } } });
  const steps = [
    label('b'),
    label('c'),
    label('c'),
    async () => runs(world, 'one'),
    label('b'),
    label(null),
    label('b'),
  ];
  const world: World = await aWorldWithPods(async () => void (await steps[next++]?.()));
  await send(world, 'POST', PODS, pod('one'));
  const lines = await linesOf(await world.get(`${PODS}?watch=true&timeoutSeconds=30&labelSelector=a%3Db`));
  const seen = (lines as unknown as { type: string; object: Pod }[]).map(
    ({ type, object }) => `${type} ${object.status.phase}`,
  );
  expect(seen).toEqual(['ADDED Pending', 'DELETED Pending', 'ADDED Running', 'DELETED Running', 'ADDED Running']);
});

test('one whose launch is refused for good stays, and says why', async () => {
  const world = await aWorldWithPods();
  await send(world, 'POST', PODS, pod('one'));
  const message = 'the role is not there';
  const verdict = { kind: 'failed', reason: 'LaunchRefused', message, decidedBy: null } as const;
  await world.commit('pod:one', [{ op: 'released', index: 0 }], {
    phase: { kind: 'finished', verdict, since: START, at: START },
    inFlight: [],
  });
  const { code, body } = await send(world, 'GET', `${PODS}/one`);
  expect([code, body.status]).toMatchObject([200, { phase: 'Failed', reason: 'LaunchRefused', message }]);
  expect(await names(world, PODS)).toEqual(['one']);
  expect((await send(world, 'DELETE', `${PODS}/one`)).code).toBe(200);
  expect(await names(world, PODS)).toEqual([]);
});

test('what infrastructure takes is not started again, and what fails in its Pod is, without a limit', async () => {
  const world = await aWorldWithPods();
  await send(world, 'POST', PODS, pod('one'));
  const spec = await world.jobs.readSpec(await world.uidOf('pod:one'));
  expect(spec && planningSpec(spec).disruptions).toEqual({ kind: 'count' });
  expect(spec && planningSpec(spec)).toMatchObject({ backoffLimit: 0, barePod: true });
});
