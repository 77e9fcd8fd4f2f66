import { expect, test } from 'vitest';
import { sweepQuotas } from '../../shared/capabilities/quotas/control/sweep-quotas.ts';
import { WORK_LIST_ROWS } from '../../shared/capabilities/worklists/kinds/index.ts';
import { pathWithin } from '../../shared/domain/kinds/api-kind.ts';
import { aWorld } from '../kube/a-world.ts';
import { MERGE, type World, send } from '../kube/write/a-client.ts';

// Quotas of WorkLists, of which more is stored than the object.

const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
const LISTS = pathWithin(WORK_LIST_ROWS.WorkList, 'default');

const quota = (hard: object, name = 'team') => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name },
  spec: { hard },
});
const usedOf = async (world: World): Promise<unknown> => {
  const { status } = (await send(world, 'GET', `${QUOTAS}/team`)).body;
  return (status as { readonly used: unknown }).used;
};
const swept = async (world: World) => sweepQuotas(world.deps, 10_000);

test('a tenant that makes WorkLists without end is stopped', async () => {
  const world = await aWorld();
  await send(world, 'POST', QUOTAS, quota({ 'count/worklists.muster.run': '3' }));
  const codes: number[] = [];
  for (let nth = 0; nth < 8; nth++) {
    // With its items, or open.
    const spec = nth % 2 === 0 ? { items: [['a']] } : { itemsPerPart: 10 };
    const sent = { apiVersion: 'muster.run/v1', kind: 'WorkList', metadata: { generateName: 'list-' }, spec };
    codes.push((await send(world, 'POST', LISTS, sent)).code);
  }
  expect(codes).toEqual([201, 201, 201, 403, 403, 403, 403, 403]);
  const { objects } = await world.objects.list('WorkList', { namespace: 'default', after: null, limit: 10 });
  expect(objects).toHaveLength(3);
  // Nothing is stored of the items of those that are refused.
  const { contents } = await world.items.listContents({ after: null, limit: 10 });
  expect(contents.toSorted()).toEqual(objects.map(({ document }) => document.metadata.uid).toSorted());
});

test('a list that is changed counts once', async () => {
  const world = await aWorld();
  await send(world, 'POST', QUOTAS, quota({ 'count/worklists.muster.run': '1' }));
  const { body } = await send(world, 'POST', LISTS, {
    apiVersion: 'muster.run/v1',
    kind: 'WorkList',
    metadata: { name: 'a' },
    spec: { items: [['x']] },
  });
  const labeled = { ...body, metadata: { ...body.metadata, labels: { a: 'b' } } };
  expect((await send(world, 'PUT', `${LISTS}/a`, labeled)).code).toBe(200);
  expect((await send(world, 'PATCH', `${LISTS}/a`, { metadata: { labels: { a: 'c' } } }, MERGE)).code).toBe(200);
  await swept(world);
  expect(await usedOf(world)).toEqual({ 'count/worklists.muster.run': '1' });
});
