import { expect, test } from 'vitest';
import { JOBS, type World, aWorld } from '../../../../../test/kube/a-world.ts';
import {
  FLAG,
  IMAGES,
  TOO_MANY,
  expectShown,
  imagesUpTo,
  jobOf,
} from '../../../../../test/kube/jobs/a-job-of-images.ts';

// Jobs that name a list whose items say in which image they run.

const LISTS = '/apis/muster.run/v1/namespaces/default/worklists';
const LIST = 'muster.run/work-list';

async function listed(world: World, images: readonly string[], itemsPerPart: number) {
  const list = { apiVersion: 'muster.run/v1', kind: 'WorkList', metadata: { name: 'runs' } };
  expect((await world.post(LISTS, { ...list, spec: { columns: ['image'], itemsPerPart } })).status).toBe(201);
  for (let no = 0; no * itemsPerPart < images.length; no++) {
    const items = images.slice(no * itemsPerPart, (no + 1) * itemsPerPart).map((image) => [image]);
    expect((await world.post(`${LISTS}/runs/parts/${no}`, { items })).status).toBe(201);
  }
  expect((await world.post(`${LISTS}/runs/seal`, {})).status).toBe(200);
}

test.each([3, 30])('too many in a WorkList of parts of %i', async (itemsPerPart) => {
  const world = await aWorld();
  await listed(world, ['i:0', ...imagesUpTo(22)], itemsPerPart);
  const answer = await world.post(JOBS, jobOf({ [LIST]: 'runs' }));
  expect([answer.status, await answer.text()]).toEqual([
    422,
    expect.stringContaining(`\\"i:20\\": item 22 (index 21), column image: ${TOO_MANY}`),
  ]);
  const off = jobOf({ [LIST]: 'runs', [FLAG]: 'false' });
  expect((await world.post(JOBS, off)).status).toBe(201);
});

test('a Pod shows the image of its item', async () => {
  const world = await aWorld();
  await listed(world, IMAGES, 2);
  const document = jobOf({ [LIST]: 'runs' });
  expect((await world.post(JOBS, document)).status).toBe(201);
  await expectShown(world);
});
