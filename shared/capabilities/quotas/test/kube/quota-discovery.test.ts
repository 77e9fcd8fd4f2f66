import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

test('discovery lists quotas and LimitRanges as a cluster does', async () => {
  const world = await aWorld();
  const { resources } = (await (await world.get('/api/v1')).json()) as { resources: { name: string }[] };
  expect(resources.filter(({ name }) => /^(limitranges|resourcequotas)/.test(name))).toMatchObject([
    { name: 'limitranges', kind: 'LimitRange', shortNames: ['limits'], verbs: ALL_VERBS },
    { name: 'resourcequotas', kind: 'ResourceQuota', shortNames: ['quota'], verbs: ALL_VERBS },
    { name: 'resourcequotas/status', kind: 'ResourceQuota', verbs: ['get'] },
  ]);
});
