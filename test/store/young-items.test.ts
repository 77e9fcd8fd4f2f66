import { expect, test } from 'vitest';
import { createMemoryRows } from '../../shared/adapters/rows/memory.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import type { ItemPart } from '../../shared/ports/item-store.ts';
import { createStore } from '../../shared/store/create-store.ts';

const NOW = asEpochMs(1_800_000_000_000);
const HEAD = {
  content: 'list',
  namespace: 'default',
  name: 'fruits',
  columns: ['FRUIT'],
  itemsPerPart: 2,
  createdAt: NOW,
};
const aPart = (no: number, fruits: readonly string[]): ItemPart => ({
  no,
  rows: fruits.map((fruit) => [fruit]),
  count: fruits.length,
  bytes: 20,
  sha256: `sha-${no}`,
  widest: { columns: [6], line: 6 },
});

test('items that were written a moment ago are found, though a cheap read does not show them yet', async () => {
  const rows = createMemoryRows({ now: () => NOW, weather: { staleMs: () => 100 } });
  const { items } = createStore(rows, { now: () => NOW, newToken: () => 'token-01' });
  await items.begin(HEAD);
  await items.writePart({ ...HEAD, sealed: null }, aPart(0, ['apple', 'pear']));
  await items.writePart({ ...HEAD, sealed: null }, aPart(1, ['quince']));
  expect((await items.readItems('list', 1))?.rows[1]).toEqual(['pear']);
  expect((await items.readItems('list', 2))?.rows[0]).toEqual(['quince']);
  expect(await items.readItems('list', 3)).toBeNull();
});
