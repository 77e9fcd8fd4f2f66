import { admitPod } from '../../shared/schema/bare-pod/admit-pod.ts';
import { expect, test } from 'vitest';
import { createMemoryHostnames } from '../../shared/capabilities/hostnames/test/memory-hostnames.ts';
import { asJobUid, asTaskArn } from '../../shared/domain/base/ids.ts';
import { plusMs } from '../../shared/domain/base/time.ts';
import { JOBS, PODS, START, aWorld, manifest } from '../kube/a-world.ts';

const aJobWithPods = async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums'));
  await world.record('sums', 0, 1, { cause: 'Completed', exitCode: 0, container: 'main', reason: '' });
  await world.commit(
    'sums',
    [
      { op: 'claim', index: 0 },
      { op: 'succeeded', index: 0 },
      { op: 'claim', index: 1 },
      { op: 'running', index: 1 },
    ],
    { startTime: START },
  );
  const { items } = (await (await world.get(PODS)).json()) as { items: { metadata: { name: string } }[] };
  const [, live = ''] = items.map(({ metadata }) => metadata.name);
  const remove = async (path: string) => world.app.request(path, { method: 'DELETE' });
  return { world, live, remove };
};

test('a Pod without a Job runs to its end', () => {
  const pod = (spec: object) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'one' },
    spec: { containers: [{ name: 'main', image: 'busybox' }], ...spec },
  });
  const admitted = (spec: object) => {
    const admission = admitPod(pod(spec), {
      namespace: 'default',
      uid: '00000000-0000-4000-8000-000000000000',
      nameSuffix: 'bbbbb',
      fieldValidation: 'Strict',
    });
    return admission.kind === 'invalid' ? admission.errors.map(({ path }) => path) : admission.kind;
  };
  expect(admitted({})).toEqual(['spec.restartPolicy']);
  expect(admitted({ restartPolicy: 'Always' })).toEqual(['spec.restartPolicy']);
  expect(admitted({ restartPolicy: 'Never' })).toBe('ok');
});

test('of a Pod that runs, only its deadline changes', async () => {
  const world = await aWorld({}, { firstPodsMax: 1 });
  const containers = [{ name: 'main', image: 'busybox' }];
  const spec = { restartPolicy: 'Never', activeDeadlineSeconds: 60, containers };
  await world.post(PODS, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec });
  const patch = async (change: object) => {
    const headers = { 'content-type': 'application/merge-patch+json' };
    return (await world.app.request(`${PODS}/one`, { method: 'PATCH', headers, body: JSON.stringify(change) })).status;
  };
  expect(await patch({ spec: { containers: [{ name: 'main', image: 'other' }] } })).toBe(422);
  expect(await patch({ spec: { activeDeadlineSeconds: 30 } })).toBe(200);
});

const withTemplate = (name: string, template: object, spec: object = {}) => {
  const job = manifest(name);
  return { ...job, spec: { ...job.spec, ...spec, template } };
};

test('a Pod with a name shows its address', async () => {
  const world = await aWorld({}, { ports: { hostnames: createMemoryHostnames({ zone: 'muster.internal' }) } });
  const shown = async (name: string, pod: object) => {
    const job = manifest(name);
    const template = { ...job.spec.template, spec: { ...job.spec.template.spec, ...pod } };
    const spec = { ...job.spec, completionMode: 'Indexed', completions: 1, template };
    await world.post(JOBS, { ...job, spec });
    await world.commit(
      name,
      [
        { op: 'claim', index: 0 },
        { op: 'running', index: 0 },
      ],
      { startTime: START },
    );
    const uid = asJobUid(await world.uidOf(name));
    const task = { attempt: 1, nonce: 0, taskArn: asTaskArn('task'), ip: '10.0.0.7', calledAt: null, registered: true };
    const row = { row: 0, version: 0, hosts: [{ index: 0, serviceId: 'srv', tasks: [task] }] };
    await world.hosts.writeHosts(uid, row, plusMs(START, 1e9));
    const answer = await (await world.get(`${PODS}?labelSelector=job-name=${name}`)).json();
    return (answer as { items: { status: object }[] }).items[0]?.status;
  };
  expect(await shown('sums', { subdomain: 'workers' })).toMatchObject({
    podIP: '10.0.0.7',
    podIPs: [{ ip: '10.0.0.7' }],
  });
  const plain = await shown('plain', {});
  expect(plain).toMatchObject({ phase: 'Running' });
  expect(plain).not.toHaveProperty('podIP');
  expect(plain).not.toHaveProperty('hostIP');
});

test("a Pod is stopped with its template's grace, whatever a delete asks for", async () => {
  const { world, live, remove } = await aJobWithPods();
  const answer = await remove(`${PODS}/${live}?gracePeriodSeconds=0`);
  expect([answer.status, await answer.json()]).toMatchObject([200, { metadata: { deletionGracePeriodSeconds: 30 } }]);
  expect(world.deletedPods).toHaveLength(1);
});

test('Events are derived from CronJobs, Jobs, and Pods, and go with them', async () => {
  const { world, remove } = await aJobWithPods();
  const events = async () => ((await (await world.get('/api/v1/events')).json()) as { items: unknown[] }).items;
  expect((await events()).length).toBeGreaterThan(3);
  await remove(`${JOBS}/sums`);
  expect(await events()).toEqual([]);
});

test('a Pod belongs to the Job that made it, whatever the selector of another', async () => {
  const { world } = await aJobWithPods();
  const owners = async (): Promise<unknown[]> => {
    const { items } = (await (await world.get(PODS)).json()) as {
      items: { metadata: { ownerReferences: unknown[] } }[];
    };
    return items.map(({ metadata }) => metadata.ownerReferences);
  };
  const before = await owners();
  const labels = { 'job-name': 'sums' };
  const template = { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] } };
  const greedy = withTemplate('greedy', template, { manualSelector: true, selector: { matchLabels: labels } });
  expect((await world.post(JOBS, greedy)).status).toBe(201);
  expect(before).toMatchObject([[{ kind: 'Job', name: 'sums' }], [{ kind: 'Job', name: 'sums' }]]);
  expect(await owners()).toEqual(before);
  // Nor does one that was deleted leave its Pods to the next of its name.
  await world.app.request(`${JOBS}/sums`, { method: 'DELETE' });
  await world.post(JOBS, manifest('sums'));
  expect(await owners()).toEqual([]);
});

test('no Pod has finalizers', async () => {
  const { world } = await aJobWithPods();
  const { items } = (await (await world.get(PODS)).json()) as { items: { metadata: object }[] };
  expect(items).toHaveLength(2);
  expect(items.filter(({ metadata }) => 'finalizers' in metadata)).toEqual([]);
  const template = {
    metadata: { finalizers: ['example.org/hold'] },
    spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'b' }] },
  };
  const refused = await world.post(JOBS, withTemplate('held', template));
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { details: { causes: [{ field: 'spec.template.metadata.finalizers' }] } },
  ]);
});

test('the end of the log is a termination message where a Pod is shown singly', async () => {
  const world = await aWorld();
  const main = { name: 'main', image: 'busybox', command: ['true'] };
  const template = (more: object) =>
    withTemplate('sums', { spec: { restartPolicy: 'Never', containers: [{ ...main, ...more }] } });
  const elsewhere = await world.post(`${JOBS}?dryRun=All`, template({ terminationMessagePath: '/tmp/message' }));
  expect([elsewhere.status, elsewhere.headers.get('warning')]).toEqual([
    201,
    expect.stringContaining('terminationMessagePath: has no effect'),
  ]);
  expect((await world.post(JOBS, template({ terminationMessagePolicy: 'FallbackToLogsOnError' }))).status).toBe(201);
  await world.commit('sums', [{ op: 'claim', index: 0 }], { startTime: START });
  await world.record('sums', 0, 1, { cause: 'Error', exitCode: 1, container: 'main', reason: '' });
  await world.commit('sums', [{ op: 'failed', index: 0, notBefore: null }]);
  world.print(0, 1, 'main', 'KeyError: 7');
  type Pod = { metadata: { name: string }; status: { containerStatuses: { state: object }[] } };
  const { items } = (await (await world.get(PODS)).json()) as { items: Pod[] };
  expect(items[0]?.status.containerStatuses[0]?.state).not.toHaveProperty('terminated.message');
  const pod = (await (await world.get(`${PODS}/${items[0]?.metadata.name}`)).json()) as Pod;
  expect(pod.status.containerStatuses[0]?.state).toMatchObject({ terminated: { message: 'KeyError: 7\n' } });
});
