import { expect, test } from 'vitest';
import { JOBS, PODS, type World, aWorld } from '../../../../../test/kube/a-world.ts';

// Jobs that name a list whose items say what their tasks need.

const LISTS = '/apis/muster.run/v1/namespaces/default/worklists';
const [LIST, FLAG] = ['muster.run/work-list', 'muster.run/resources-from-items'];

const jobOf = ({ list, flag = 'true' }: { readonly list: string; readonly flag?: string }, container: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'fit', annotations: { [LIST]: list, [FLAG]: flag } },
  spec: {
    template: {
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i', command: ['fit'], ...container }] },
    },
  },
});

async function listed(world: World, columns: readonly string[], rows: readonly (readonly string[])[]) {
  const list = { apiVersion: 'muster.run/v1', kind: 'WorkList', metadata: { name: 'runs' } };
  expect((await world.post(LISTS, { ...list, spec: { columns, itemsPerPart: 2 } })).status).toBe(201);
  for (let no = 0; no * 2 < rows.length; no++)
    expect((await world.post(`${LISTS}/runs/parts/${no}`, { items: rows.slice(no * 2, no * 2 + 2) })).status).toBe(201);
  expect((await world.post(`${LISTS}/runs/seal`, {})).status).toBe(200);
}

const sized = (cpu: string, memory: string) => ({ resources: { requests: { cpu, memory } } });

const NO_CPU = 'write a quantity such as 500m or 2, or leave it empty';

test('a fault in any part of a WorkList', async () => {
  const world = await aWorld();
  await listed(
    world,
    ['F', 'cpu'],
    [
      ['a', '1'],
      ['b', ''],
      ['c', '2'],
      ['d', 'four'],
      ['e', '5'],
    ],
  );
  const answer = await world.post(JOBS, jobOf({ list: 'runs' }));
  expect([answer.status, await answer.text()]).toEqual([
    422,
    expect.stringContaining(`\\"four\\": item 4 (index 3), column cpu: ${NO_CPU}`),
  ]);
});

test('a WorkList of which an older Muster has not looked at its resources', async () => {
  const world = await aWorld();
  await listed(world, ['cpu'], [['1']]);
  const { metadata } = (await (await world.get(`${LISTS}/runs`)).json()) as { metadata: { uid: string } };
  const head = await world.items.readHead(metadata.uid);
  const { taskColumns: _unknown, ...sealed } = head?.sealed ?? {
    count: 0,
    bytes: 0,
    sha256: '',
    widest: { columns: [], line: 0 },
  };
  const before = { ...head!, content: 'before', sealed: null };
  await world.items.begin(before);
  await world.items.writePart(before, { no: 0, rows: [['1']], ...sealed });
  await world.items.seal('before', sealed);
  const document = { metadata: { uid: 'before' } };
  await world.objects.commit('WorkList', { key: { namespace: 'default', name: 'old' }, was: 0, document });
  const answer = await world.post(JOBS, jobOf({ list: 'old' }));
  expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('make the list anew')]);
  expect((await world.post(JOBS, jobOf({ list: 'old', flag: 'false' }))).status).toBe(201);
});

type Shown = {
  readonly items: readonly { readonly spec: { readonly containers: readonly object[] }; readonly status: object }[];
};

test('a Pod shows what its item says', async () => {
  const world = await aWorld();
  const rows = [
    ['a', '2', ''],
    ['b', '', '3Gi'],
  ];
  await listed(world, ['F', 'cpu', 'memory'], rows);
  expect((await world.post(JOBS, jobOf({ list: 'runs' }, sized('250m', '1Gi')))).status).toBe(201);
  await world.commit(
    'fit',
    [0, 1].flatMap((index) => [{ op: 'claim', index } as const, { op: 'running', index } as const]),
  );
  const { items } = (await (await world.get(`${PODS}?labelSelector=job-name%3Dfit`)).json()) as Shown;
  expect(items.map(({ spec }) => spec.containers[0])).toMatchObject([
    { resources: { requests: { cpu: '2', memory: '1Gi' } } },
    { resources: { requests: { cpu: '250m', memory: '3Gi' } } },
  ]);
});
