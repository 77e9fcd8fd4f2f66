import { describe, expect, test } from 'vitest';
import { JOBS, PODS, aWorld } from '../a-world.ts';
import { A_WORK_LIST } from '../../support/work-list-keys.ts';

// Jobs whose items say what their tasks need, through the API.

const [ITEMS, FLAG] = ['muster.run/items', 'muster.run/resources-from-items'];
const pathOf = (key: string): string => `metadata.annotations[${key}]`;

type Wish = { readonly items?: string; readonly flag?: string; readonly batch?: string };

const jobOf = ({ items, flag = 'true', batch }: Wish, container: object = {}, others: readonly object[] = []) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'fit',
    annotations: {
      ...(items === undefined ? {} : { [ITEMS]: items }),
      ...(batch === undefined ? {} : { 'muster.run/batch': batch }),
      [FLAG]: flag,
    },
  },
  spec: {
    template: {
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'i', command: ['fit'], ...container }, ...others],
      },
    },
  },
});

const sized = (cpu: string, memory: string) => ({ resources: { requests: { cpu, memory } } });
const fieldRef = (name: string, resource: string, containerName?: string) => ({
  name,
  valueFrom: { resourceFieldRef: { resource, ...(containerName === undefined ? {} : { containerName }) } },
});

const NO_CPU = 'write a quantity such as 500m or 2, or leave it empty';
const LARGEST = "Fargate's largest sizes are 16 vCPU with 122880 MiB and 32 vCPU with 249856 MiB";

describe('refused with 422 and the path', () => {
  test.each<[because: string, document: object, field: string, message: string]>([
    ['another value', jobOf({ items: 'cpu\n1', flag: 'yes' }), pathOf(FLAG), '"yes": must be "true" or "false"'],
    ['no list', jobOf({}), pathOf(FLAG), `Forbidden: needs ${A_WORK_LIST}`],
    [
      'a list without such columns',
      jobOf({ items: 'CPU F\n1 a' }),
      pathOf(FLAG),
      'the work list has none of the columns cpu, memory, ephemeral-storage',
    ],
    [
      'no quantity',
      jobOf({ items: 'F cpu\na 1\nb 2x' }),
      pathOf(ITEMS),
      `"2x": item 2 (index 1), column cpu: ${NO_CPU}`,
    ],
    [
      'no quantity in a batch',
      jobOf({ items: 'F cpu\na 1\nb 2x', batch: '2' }),
      pathOf(ITEMS),
      `"2x": item 2 (index 0), column cpu: ${NO_CPU}`,
    ],
    [
      'a unit forgotten',
      jobOf({ items: 'memory\n2048' }),
      pathOf(ITEMS),
      '"2048": item 1 (index 0), column memory: this is less than a mebibyte; write its unit, as in 512Mi or 2Gi',
    ],
    [
      'more memory than there is',
      jobOf({ items: 'memory\n1Gi\n245Gi' }),
      pathOf(ITEMS),
      `"245Gi": item 2 (index 1), column memory: the Pod needs 0 CPUs and 250880 MiB of memory; ${LARGEST}`,
    ],
    [
      'more CPUs than there are, with those beside it',
      jobOf({ items: 'cpu\n32' }, {}, [{ name: 'side', image: 'i', command: ['x'], ...sized('1', '1Gi') }]),
      pathOf(ITEMS),
      `"32": item 1 (index 0), column cpu: the Pod needs 33 CPUs and 1024 MiB of memory; ${LARGEST}`,
    ],
    [
      'more disk than there is',
      jobOf({ items: 'ephemeral-storage\n201Gi' }),
      pathOf(ITEMS),
      '"201Gi": item 1 (index 0), column ephemeral-storage: the Pod needs 201 GiB; a Fargate task has at most 200',
    ],
    [
      'a variable with the resources of the template',
      jobOf({ items: 'cpu\n1' }, { ...sized('1', '1Gi'), env: [fieldRef('CPUS', 'requests.cpu')] }),
      'spec.template.spec.containers[0].env[0].valueFrom.resourceFieldRef',
      'the items say cpu: leave valueFrom out, and write value: $(cpu)',
    ],
    [
      'the same, by an empty name',
      jobOf({ items: 'cpu\n1' }, { ...sized('1', '1Gi'), env: [fieldRef('CPUS', 'requests.cpu', '')] }),
      'spec.template.spec.containers[0].env[0].valueFrom.resourceFieldRef',
      'the items say cpu: leave valueFrom out, and write value: $(cpu)',
    ],
    [
      'the same beside it',
      jobOf({ items: 'cpu\n1' }, sized('1', '1Gi'), [
        { name: 'side', image: 'i', command: ['x'], env: [fieldRef('CPUS', 'requests.cpu', 'main')] },
      ]),
      'spec.template.spec.containers[1].env[0].valueFrom.resourceFieldRef',
      'the items say cpu: leave valueFrom out, and write value: $(cpu)',
    ],
  ])('%s', async (_, document, field, message) => {
    const world = await aWorld();
    for (const query of ['', '?dryRun=All']) {
      const answer = await world.post(`${JOBS}${query}`, document);
      const { details } = (await answer.json()) as { details: { causes: { field: string; message: string }[] } };
      expect([answer.status, details.causes.map((cause) => cause.field)]).toEqual([422, [field]]);
      expect(details.causes[0]?.message).toContain(message);
    }
    expect((await world.get(`${JOBS}/fit`)).status).toBe(404);
  });

  test('a change of it', async () => {
    const world = await aWorld();
    expect((await world.post(JOBS, jobOf({ items: 'cpu\n1' }))).status).toBe(201);
    const answer = await world.app.request(`${JOBS}/fit`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { annotations: { [FLAG]: 'false' } } }),
    });
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining(`${pathOf(FLAG)}: Invalid value: \\"false\\": field is immutable`),
    ]);
  });
});

type Shown = {
  readonly items: readonly { readonly spec: { readonly containers: readonly object[] }; readonly status: object }[];
};

test.each<[string, string, string | undefined]>([
  ['another resource than the items say', 'requests.memory', undefined],
  ['that of another container', 'requests.cpu', 'side'],
])('a variable may show the resources of the template: %s', async (_, resource, containerName) => {
  const world = await aWorld();
  const side = { name: 'side', image: 'i', command: ['x'], ...sized('1', '1Gi') };
  const env = [fieldRef('AMOUNT', resource, containerName)];
  expect((await world.post(JOBS, jobOf({ items: 'cpu\n1' }, { ...sized('1', '1Gi'), env }, [side]))).status).toBe(201);
});

test('a Pod shows what its item says', async () => {
  const world = await aWorld();
  const rows = [
    ['a', '2', ''],
    ['b', '', '3Gi'],
  ];
  const wish = { items: `F\tcpu\tmemory\n${rows.map((row) => row.join('\t')).join('\n')}` };
  expect((await world.post(JOBS, jobOf(wish, sized('250m', '1Gi')))).status).toBe(201);
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

test('off, columns of these names are variables like others', async () => {
  const world = await aWorld();
  const document = jobOf({ items: 'cpu memory\nintel lots', flag: 'false' }, { env: [] });
  expect((await world.post(JOBS, document)).status).toBe(201);
  await world.commit('fit', [{ op: 'claim', index: 0 }]);
  const { items } = (await (await world.get(`${PODS}?labelSelector=job-name%3Dfit`)).json()) as Shown;
  expect(items[0]?.spec.containers[0]).toMatchObject({
    env: expect.arrayContaining([{ name: 'cpu', value: 'intel' }]) as unknown,
  });
});
