import { expect, test } from 'vitest';
import type { Job } from '../../ui/model/objects.ts';
import { placeGraph } from '../../ui/model/place-graph.ts';

const job = (name: string, after?: string): Job => ({
  metadata: { name, namespace: 'team', ...(after === undefined ? {} : { annotations: { 'muster.run/after': after } }) },
  spec: { completions: 1, template: { spec: { containers: [] } } },
});

test('each Job stands to the right of all that it waits for', () => {
  const graph = placeGraph([job('d', 'b, c'), job('c', 'b'), job('b', 'a'), job('a'), job('alone')]);
  const x = Object.fromEntries((graph?.jobs ?? []).map((placed) => [placed.name, placed.x]));
  expect(Object.keys(x).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  expect([x['a']! < x['b']!, x['b']! < x['c']!, x['c']! < x['d']!]).toEqual([true, true, true]);
  expect(graph?.edges).toHaveLength(4);
});

test('no two Jobs lie on each other, and all lie in the picture', () => {
  const graph = placeGraph(
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => job(name, 'root')).concat(job('root')),
  )!;
  expect(new Set(graph.jobs.map(({ x, y }) => `${x} ${y}`)).size).toBe(9);
  expect(graph.jobs.every(({ x, y }) => x < graph.width && y < graph.height)).toBe(true);
});

test('one that is waited for and is not there is shown', () => {
  expect(placeGraph([job('b', 'gone')])?.jobs.find(({ name }) => name === 'gone')?.row).toBeNull();
});

test('Jobs in a circle are placed, too', () => {
  expect(placeGraph([job('a', 'b'), job('b', 'a')])?.jobs).toHaveLength(2);
});

test('without dependencies there is no graph', () => {
  expect(placeGraph([job('a'), job('b')])).toBeNull();
});
