import { expect, test } from 'vitest';
import { aWorld } from '../../../../../test/kube/a-world.ts';

const LISTS = '/apis/muster.run/v1/namespaces/default/worklists';

/** An open list of the world, and a sender of parts. */
async function aList(itemsPerPart: number) {
  const world = await aWorld();
  await world.post(LISTS, { metadata: { name: 'open' }, spec: { itemsPerPart } });
  const asked: string[] = [];
  const items = { ...world.items };
  Object.assign(world.items, {
    readPart: async (content: string, no: number) => {
      asked.push(`part ${no}`);
      return items.readPart(content, no);
    },
    listParts: async (content: string) => {
      asked.push('all');
      return items.listParts(content);
    },
  });
  const send = async (no: number, items: number) => {
    const answer = await world.post(`${LISTS}/open/parts/${no}`, { items: Array.from({ length: items }, () => ['x']) });
    return { code: answer.status, text: await answer.text() };
  };
  return { send, asked };
}

test('a part costs the same however many there are: no other is read', async () => {
  const { send, asked } = await aList(1);
  for (const no of [0, 1, 2, 1]) expect((await send(no, 1)).code).toBe(201);
  expect(asked).toEqual(['part 0', 'part 1', 'part 2', 'part 1']);
});

test('a part beyond the limit of items is refused before it is read', async () => {
  const { send, asked } = await aList(300);
  expect((await send(3_332, 300)).code).toBe(201);
  expect((await send(3_333, 100)).code).toBe(201);
  const over = await send(3_333, 101);
  expect(over.code).toBe(422);
  expect(over.text).toContain(
    'no: Invalid value: 3333: the list would have 1000001 items and more; the limit is 1000000',
  );
  const far = await send(9_999_999, 301);
  expect(far.code).toBe(422);
  expect(far.text).toContain('no: Invalid value: 9999999: the list would have 2999999701 items and more');
  expect(far.text).not.toContain('a part has 1 to 300 items');
  expect(asked).toEqual(['part 3332', 'part 3333']);
});
