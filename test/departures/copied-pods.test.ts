import { expect, test } from 'vitest';
import { PODS, START, JOBS, aWorld, manifest } from '../kube/a-world.ts';

// What becomes of `kubectl debug`; docs/departures.md has a row for each test here.

test('a Pod that runs takes no more containers, and a copy of it may be made', async () => {
  const world = await aWorld();
  await world.post(JOBS, manifest('sums', { parallelism: 1, completions: 1 }));
  await world.commit('sums', [{ op: 'claim', index: 0 }], { startTime: START });
  await world.launch('sums', [{ index: 0, attempt: 1 }]);
  await world.commit('sums', [{ op: 'running', index: 0 }]);
  const list = (await (await world.get(PODS)).json()) as { items: Seen[] };
  const [pod] = list.items;
  expect(pod?.metadata.annotations).toHaveProperty(['muster.run/task-arn']);
  const refused = await world.app.request(`${PODS}/${pod?.metadata.name}/ephemeralcontainers`, { method: 'PATCH' });
  expect([refused.status, ((await refused.json()) as { message: string }).message]).toEqual([
    405,
    expect.stringContaining(`kubectl debug ${pod?.metadata.name} --copy-to=${pod?.metadata.name}-debug`),
  ]);
  // As kubectl makes it: its annotations, and its spec without a node.
  const { nodeName: _node, ...spec } = pod?.spec ?? {};
  const { annotations } = pod?.metadata ?? {};
  const copy = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'copy', annotations: { ...annotations, mine: 'kept' } },
    spec,
  };
  const made = await world.post(PODS, copy);
  if (made.status !== 201) throw new Error(await made.text());
  expect(made.status).toBe(201);
  const { metadata } = (await made.json()) as Seen;
  expect(metadata.annotations).toMatchObject({ mine: 'kept' });
  expect(metadata.annotations).not.toHaveProperty(['muster.run/task-arn']);
  // What a Job's author says stays refused.
  const own = { ...copy, metadata: { name: 'own', annotations: { 'muster.run/gang': 'true' } } };
  expect((await world.post(PODS, own)).status).toBe(422);
});

type Seen = {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: Readonly<Record<string, unknown>>;
};
