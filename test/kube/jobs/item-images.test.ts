import { describe, expect, test } from 'vitest';
import { JOBS, PODS, aWorld } from '../a-world.ts';
import { A_WORK_LIST } from '../../support/work-list-keys.ts';

// Jobs whose items say which image they run in, through the API.

const [ITEMS, FLAG] = ['muster.run/items', 'muster.run/image-from-items'];
const pathOf = (key: string): string => `metadata.annotations[${key}]`;

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
const inline = (images: readonly string[]): Record<string, string> => ({ [ITEMS]: `image\n${images.join('\n')}\n` });

const TOO_MANY = 'so far there are more than 20 images; a Job may have 20, each with a task definition';

describe('refused with 422 and the path', () => {
  test.each<[because: string, document: object, field: string, message: string]>([
    [
      'another value',
      jobOf({ ...inline(['a']), [FLAG]: '1' }),
      pathOf(FLAG),
      'Invalid value: "1": must be "true" or "false"',
    ],
    ['no list', jobOf({}), pathOf(FLAG), `Forbidden: needs ${A_WORK_LIST}`],
    ['a list without that column', jobOf({ [ITEMS]: 'IMAGE\na' }), pathOf(FLAG), 'the work list has no column image'],
    [
      'no image',
      jobOf({ [ITEMS]: 'F\timage\na\tb\nc\tphoto 1.jpg' }),
      pathOf(ITEMS),
      '"photo 1.jpg": item 2 (index 1), column image: write an image such as debian:12-slim, or leave it empty',
    ],
    [
      'no image, and a long one',
      jobOf(inline(['x'.repeat(256)])),
      pathOf(ITEMS),
      `"${'x'.repeat(80)}": item 1 (index 0), column image: write an image such as debian:12-slim, or leave it empty`,
    ],
    [
      'too many',
      jobOf(inline([...imagesUpTo(20), 'i:3', 'i:20'])),
      pathOf(ITEMS),
      `"i:20": item 22 (index 21), column image: ${TOO_MANY}`,
    ],
    [
      'a batch',
      jobOf({ ...inline(['a', 'b']), 'muster.run/batch': '2' }),
      pathOf('muster.run/batch'),
      'leave it out: an index runs in one image, and each item says its own',
    ],
    [
      'a task definition that is too long with the longest image',
      jobOf(inline(['a', 'i'.repeat(255)]), { env: [{ name: 'LONG', value: 'v'.repeat(61_700) }] }),
      'spec.template.spec',
      'its task definition needs 65',
    ],
  ])('%s', async (_, document, field, message) => {
    const world = await aWorld();
    const answer = await world.post(JOBS, document);
    const { details } = (await answer.json()) as { details: { causes: { field: string; message: string }[] } };
    expect([answer.status, details.causes.map((cause) => cause.field)]).toEqual([422, [field]]);
    expect(details.causes[0]?.message).toContain(message);
    expect((await world.get(`${JOBS}/many`)).status).toBe(404);
  });

  test('a change of it', async () => {
    const world = await aWorld();
    expect((await world.post(JOBS, jobOf(inline(['a'])))).status).toBe(201);
    const answer = await world.app.request(`${JOBS}/many`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ metadata: { annotations: { [FLAG]: null } } }),
    });
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining('field is immutable')]);
  });
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
  const rows = images.map((image) => JSON.stringify([image])).join('\n');
  const document = jobOf({ [ITEMS]: `image\n${rows}\n` });
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
