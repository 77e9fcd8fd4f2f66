import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { MERGE, job, send } from '../../../../../test/kube/write/a-client.ts';

const NOW = '2024-01-01T00:00:00Z';
const CRONJOBS = '/apis/batch/v1/namespaces/default/cronjobs';

test('the status of a CronJob is what is written, and its spec stays', async () => {
  const world = await aWorld();
  const spec = { schedule: '0 0 * * *', jobTemplate: { spec: job('x').spec } };
  const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'nightly' }, spec };
  const { body: created } = await send(world, 'POST', CRONJOBS, { ...cronJob, status: { lastScheduleTime: NOW } });
  expect(created.status).toEqual({});
  const url = `${CRONJOBS}/nightly`;
  const patch = {
    metadata: { annotations: { patched: 'true' } },
    spec: { suspend: true },
    status: { lastScheduleTime: NOW, active: [{ kind: 'Job', name: 'nightly-1' }] },
  };
  const { body } = await send(world, 'PATCH', `${url}/status?fieldManager=me`, patch, MERGE);
  expect(body).toMatchObject({ metadata: { annotations: { patched: 'true' }, generation: 1 }, status: patch.status });
  expect(body.spec).toEqual(created.spec);
  expect(body.metadata.managedFields?.find(({ manager }) => manager === 'me')).toMatchObject({
    subresource: 'status',
    fieldsV1: { 'f:metadata': {}, 'f:status': { 'f:active': {}, 'f:lastScheduleTime': {} } },
  });
  const moved = { ...body, status: { lastScheduleTime: '2024-01-02T00:00:00Z' } };
  const { body: after } = await send(world, 'PUT', `${url}/status`, moved);
  expect(after.status).toEqual(moved.status);
  const { body: changed } = await send(world, 'PATCH', url, { spec: { suspend: true }, status: null }, MERGE);
  expect([changed.spec['suspend'], changed.status]).toEqual([true, moved.status]);
  expect((await send(world, 'PUT', `${url}/status`, { ...changed, status: { active: 1 } })).code).toBe(400);
});
