import { expect, test } from 'vitest';
import { JOBS, PODS, type World, aWorld } from '../../../../../test/kube/a-world.ts';

// Jobs that name a list whose items say in which image they run.

const LISTS = '/apis/muster.run/v1/namespaces/default/worklists';
const [LIST, FLAG] = ['muster.run/work-list', 'muster.run/image-from-items'];

const jobOf = (annotations: Record<string, string>, container: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'many', annotations: { [FLAG]: 'true', ...annotations } },
  spec: {
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [
          { name: 'main', image: 'own:1', command: ['x'], ...container },
          { name: 'side', image: 'side:1', command: ['x'] },
        ],
      },
    },
  },
});

const imagesUpTo = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `i:${i}`);

async function listed(world: World, images: readonly string[], itemsPerPart: number) {
  const list = { apiVersion: 'muster.run/v1', kind: 'WorkList', metadata: { name: 'runs' } };
  expect((await world.post(LISTS, { ...list, spec: { columns: ['image'], itemsPerPart } })).status).toBe(201);
  for (let no = 0; no * itemsPerPart < images.length; no++) {
    const items = images.slice(no * itemsPerPart, (no + 1) * itemsPerPart).map((image) => [image]);
    expect((await world.post(`${LISTS}/runs/parts/${no}`, { items })).status).toBe(201);
  }
  expect((await world.post(`${LISTS}/runs/seal`, {})).status).toBe(200);
}

const TOO_MANY = 'so far there are more than 20 images; a Job may have 20, each with a task definition';

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

type Shown = {
  readonly items: readonly {
    readonly spec: { readonly containers: readonly { readonly image: string }[] };
    readonly status: { readonly containerStatuses: readonly { readonly image: string }[] };
  }[];
};

test('a Pod shows the image of its item', async () => {
  const world = await aWorld();
  const images = ['a:1', '', 'b:2'];
  await listed(world, images, 2);
  const document = jobOf({ [LIST]: 'runs' });
  expect((await world.post(JOBS, document)).status).toBe(201);
  await world.commit(
    'many',
    [0, 1, 2].flatMap((index) => [{ op: 'claim', index } as const, { op: 'running', index } as const]),
  );
  const { items } = (await (await world.get(`${PODS}?labelSelector=job-name%3Dmany`)).json()) as Shown;
  const shown = [
    ['a:1', 'side:1'],
    ['own:1', 'side:1'],
    ['b:2', 'side:1'],
  ];
  expect(items.map(({ spec }) => spec.containers.map(({ image }) => image))).toEqual(shown);
  expect(items.map(({ status }) => status.containerStatuses.map(({ image }) => image))).toEqual(shown);
});
