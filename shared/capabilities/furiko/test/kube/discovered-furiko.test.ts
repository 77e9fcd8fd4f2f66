import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';

const CHANGED = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

test('its kinds are in a group of their own, which comes after that of plain Jobs', async () => {
  const world = await aWorld();
  const list = (await (await world.get('/apis/execution.furiko.io/v1alpha1')).json()) as object;
  expect(list).toMatchObject({
    kind: 'APIResourceList',
    groupVersion: 'execution.furiko.io/v1alpha1',
    resources: [
      {
        name: 'jobconfigs',
        kind: 'JobConfig',
        namespaced: true,
        shortNames: ['furikojobconfig', 'furikojobconfigs'],
        verbs: CHANGED,
      },
      { name: 'jobconfigs/status', verbs: ['get'] },
      { name: 'jobs', kind: 'Job', namespaced: true, shortNames: ['furikojob', 'furikojobs'], verbs: CHANGED },
      { name: 'jobs/status', verbs: ['get'] },
    ],
  });
  const { groups } = (await (await world.get('/apis')).json()) as {
    readonly groups: readonly { readonly name: string }[];
  };
  const names = groups.map(({ name }) => name);
  expect(names.indexOf('execution.furiko.io')).toBeGreaterThan(names.indexOf('batch'));
});
