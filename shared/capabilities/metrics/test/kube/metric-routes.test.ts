import { expect, test } from 'vitest';
import { JOBS, START, type World, aWorld, manifest } from '../../../../../test/kube/a-world.ts';
import { asJobUid } from '../../../../domain/base/ids.ts';
import type { ContainerUsage } from '../../../../domain/task/container-usage.ts';
import { podMetricRoutes } from '../../kube/index.ts';

const PODS = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods';
const INDEXES = 40;

/** A Job whose indexes all run. */
async function aMeasuredWorld() {
  const used: ContainerUsage[] = [];
  let cpuNanos = 0;
  const read = async () => Promise.resolve(used.map((each) => ({ ...each, cpuNanos: (cpuNanos += 1_000_000) })));
  const world = await aWorld({ metricRoutes: [podMetricRoutes(read)] });
  const job = manifest('sums', { parallelism: INDEXES, completions: INDEXES });
  await world.post(JOBS, job);
  const all = Array.from({ length: INDEXES }, (_, index) => index);
  await world.commit(
    'sums',
    all.map((index) => ({ op: 'claim', index }) as const),
    { startTime: START },
  );
  await world.launch(
    'sums',
    all.map((index) => ({ index, attempt: 1 })),
  );
  await world.commit(
    'sums',
    all.map((index) => ({ op: 'running', index }) as const),
  );
  const { metadata } = (await (await world.get(`${JOBS}/sums`)).json()) as { metadata: { uid: string } };
  const run = (index: number, container = 'main'): void =>
    void used.push({
      pod: { uid: asJobUid(metadata.uid), index, attempt: 1 },
      taskId: `task-${index}`,
      container,
      cpuNanos: 0,
      memoryBytes: 2_500,
    });
  return { world, run };
}

type Metrics = {
  metadata: { name: string };
  window: string;
  containers: { name: string; usage: { cpu: string; memory: string } }[];
};
const itemsAt = async ({ get }: Pick<World, 'get'>, path: string) =>
  ((await (await get(path)).json()) as { items: readonly Metrics[] }).items;

test('a Pod has what its containers use, by its name and in lists', async () => {
  const { world, run } = await aMeasuredWorld();
  for (const container of ['main', 'side']) run(3, container);
  const [pod, ...others] = await itemsAt(world, PODS);
  expect(others).toEqual([]);
  expect(pod?.metadata.name).toMatch(/^sums-3-/);
  const main = { name: 'main', usage: { memory: '3Ki' } };
  expect(pod?.containers).toMatchObject([main, { ...main, name: 'side' }]);
  for (const { usage } of pod?.containers ?? []) expect(usage.cpu).toMatch(/^[1-9]\d*n$/);
  expect(pod?.window).toMatch(/^\d+(\.\d+)?s$/);
  expect(await (await world.get(`${PODS}/${pod?.metadata.name}`)).json()).toMatchObject({
    kind: 'PodMetrics',
    containers: pod?.containers,
  });
  expect((await itemsAt(world, '/apis/metrics.k8s.io/v1beta1/pods')).length).toBe(1);
  expect(await itemsAt(world, PODS.replace('default', 'other'))).toEqual([]);
});

test('selectors choose, and many Pods of a Job are found as a few are', async () => {
  const { world, run } = await aMeasuredWorld();
  for (let index = 0; index < INDEXES; index += 2) run(index);
  expect((await itemsAt(world, PODS)).map(({ metadata }) => metadata.name.split('-')[1])).toEqual(
    Array.from({ length: INDEXES / 2 }, (_, n) => String(2 * n)),
  );
  const label = 'batch.kubernetes.io/job-completion-index';
  expect(await itemsAt(world, `${PODS}?labelSelector=${label}%3D4`)).toHaveLength(1);
  expect(await itemsAt(world, `${PODS}?labelSelector=job-name%3Dother`)).toEqual([]);
});

test('what is not measured is not there, and no watch, change, or node is', async () => {
  const { world } = await aMeasuredWorld();
  const answers = [`${PODS}/none`, `${PODS}?watch=true`, '/apis/metrics.k8s.io/v1beta1/nodes'].map(async (path) => {
    const answer = await world.get(path);
    const { message } = (await answer.json()) as { message: string };
    return [answer.status, message];
  });
  expect(await Promise.all(answers)).toEqual([
    [404, 'pods.metrics.k8s.io "none" not found'],
    [405, 'the server does not allow this method on the requested resource'],
    [405, 'there are no nodes here: a task has no machine of its own; kubectl top pods shows what Pods use'],
  ]);
  expect((await world.post(PODS, {})).status).toBe(405);
});

test('the group is listed where something measures, and nowhere else', async () => {
  const { world } = await aMeasuredWorld();
  const groups = async ({ get }: Pick<World, 'get'>) =>
    ((await (await get('/apis')).json()) as { groups: { name: string }[] }).groups.map(({ name }) => name);
  expect(await groups(world)).toContain('metrics.k8s.io');
  expect(await groups(await aWorld())).not.toContain('metrics.k8s.io');
  expect((await (await aWorld()).get(PODS)).status).toBe(404);
});
