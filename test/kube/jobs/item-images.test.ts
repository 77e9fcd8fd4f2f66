import { describe, expect, test } from 'vitest';
import { JOBS, aWorld } from '../a-world.ts';
import { FLAG, IMAGES, TOO_MANY, expectShown, imagesUpTo, jobOf } from './a-job-of-images.ts';
import { A_WORK_LIST } from '../../support/work-list-keys.ts';

// Jobs whose items say which image they run in, through the API.

const ITEMS = 'muster.run/items';
const pathOf = (key: string): string => `metadata.annotations[${key}]`;

const inline = (images: readonly string[]): Record<string, string> => ({ [ITEMS]: `image\n${images.join('\n')}\n` });

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

test('a Pod shows the image of its item', async () => {
  const world = await aWorld();
  const rows = IMAGES.map((image) => JSON.stringify([image])).join('\n');
  const document = jobOf({ [ITEMS]: `image\n${rows}\n` });
  expect((await world.post(JOBS, document)).status).toBe(201);
  await expectShown(world);
});
