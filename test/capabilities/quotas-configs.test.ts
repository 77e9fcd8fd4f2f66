import { expect, test } from 'vitest';
import { CONFIG_KINDS } from '../../shared/capabilities/configs/kinds/index.ts';
import { QUOTA_KINDS } from '../../shared/capabilities/quotas/kinds/index.ts';
import { pathWithin } from '../../shared/domain/kinds/api-kind.ts';
import { aWorld } from '../kube/a-world.ts';
import { send } from '../kube/write/a-client.ts';

const QUOTAS = pathWithin(QUOTA_KINDS.ResourceQuota, 'default');

test.each([
  ['configmaps', CONFIG_KINDS.ConfigMap],
  ['secrets', CONFIG_KINDS.Secret],
])('a quota of %s counts them under both names', async (key, row) => {
  const world = await aWorld();
  const hard = { [key]: '1', [`count/${key}`]: '2' };
  await send(world, 'POST', QUOTAS, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'team' },
    spec: { hard },
  });
  const create = async (name: string) =>
    send(world, 'POST', pathWithin(row, 'default'), { apiVersion: 'v1', kind: row.kind, metadata: { name } });
  expect((await create('a')).code).toBe(201);
  const refused = await create('b');
  expect([refused.code, refused.body.message]).toEqual([
    403,
    `${key} "b" is forbidden: exceeded quota: team, requested: ${key}=1, used: ${key}=1, limited: ${key}=1`,
  ]);
  expect((await send(world, 'GET', `${QUOTAS}/team`)).body.status).toEqual({
    hard,
    used: { [key]: '1', [`count/${key}`]: '1' },
  });
});
