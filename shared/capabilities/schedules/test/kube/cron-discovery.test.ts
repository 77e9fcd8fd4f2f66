import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

test('discovery lists CronJobs as a cluster does', async () => {
  const world = await aWorld();
  const { resources } = (await (await world.get('/apis/batch/v1')).json()) as { resources: { name: string }[] };
  expect(resources.filter(({ name }) => name.startsWith('cronjobs'))).toMatchObject([
    { name: 'cronjobs', kind: 'CronJob', shortNames: ['cj'], categories: ['all'], verbs: ALL_VERBS },
    { name: 'cronjobs/status', kind: 'CronJob', verbs: ['get', 'patch', 'update'] },
  ]);
});

test('OpenAPI has the paths of its verbs', async () => {
  const world = await aWorld();
  const { paths } = (await (await world.get('/openapi/v3/apis/batch/v1')).json()) as { paths: object };
  expect(Object.keys(paths).filter((path) => path.includes('cronjobs'))).toEqual([
    '/apis/batch/v1/namespaces/{namespace}/cronjobs',
    '/apis/batch/v1/namespaces/{namespace}/cronjobs/{name}',
    '/apis/batch/v1/namespaces/{namespace}/cronjobs/{name}/status',
    '/apis/batch/v1/cronjobs',
  ]);
});
