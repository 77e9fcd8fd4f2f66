import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { send } from '../../../../../test/kube/write/a-client.ts';

const LISTS = '/apis/muster.run/v1/namespaces/default/worklists';

test('a WorkList keeps its spec, and the refusal says what differs and what to do', async () => {
  const world = await aWorld();
  const list = (spec: object) => ({ apiVersion: 'muster.run/v1', kind: 'WorkList', metadata: { name: 'w' }, spec });
  const created = await send(world, 'POST', LISTS, list({ columns: ['a', 'b'], items: [['x', 'y']] }));
  expect(created.code).toBe(201);
  const changed = await send(world, 'PUT', `${LISTS}/w`, {
    ...created.body,
    spec: { ...created.body.spec, columns: ['a', 'c'] },
  });
  expect([changed.code, changed.body.message]).toEqual([
    422,
    expect.stringMatching(
      /spec: Invalid value: spec\.columns\[1\] differs; make another WorkList, and name it in new Jobs: field is immutable$/,
    ),
  ]);
});

test('a request that changes nothing of a WorkList is not stored', async () => {
  const world = await aWorld();
  const metadata = { name: 'w', labels: { team: 'a' } };
  const sent = { apiVersion: 'muster.run/v1', kind: 'WorkList', metadata, spec: { items: [['x']] } };
  const { body: created } = await send(world, 'POST', LISTS, sent);
  const again = await send(world, 'PUT', `${LISTS}/w`, created);
  expect([again.code, again.body.metadata]).toEqual([200, created.metadata]);
  const relabeled = await send(world, 'PUT', `${LISTS}/w`, { ...created, metadata: { ...metadata, labels: {} } });
  expect(relabeled.body.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion);
});
