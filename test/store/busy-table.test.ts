import { expect, test } from 'vitest';
import { createMemoryRows } from '../../shared/adapters/rows/memory.ts';
import type { Weather } from '../../shared/adapters/rows/weather.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { getAll, rowsIn, writeAll } from '../../shared/store/rows/program.ts';
import { methodsOf } from '../../shared/store/rows/run.ts';
import type { RowKey } from '../../shared/store/rows/row.ts';

// What programs of several rows do when a busy table carries a request out in part.

const NOW = asEpochMs(1_800_000_000_000);
const KEYS: readonly RowKey[] = Array.from({ length: 9 }, (_, nth) => ({ partition: 'p', sort: `row-${nth}` }));
const SORTS = KEYS.map(({ sort }) => sort);

/** A table in this weather, and the waits that programs ask for. */
function aTable(throttles: Required<Weather>['throttles']) {
  const waits: number[] = [];
  const rows = createMemoryRows({
    now: () => NOW,
    weather: { throttles },
    pause: async (ms) => void waits.push(ms),
  });
  const methods = methodsOf({ rows, now: () => NOW, newToken: () => 'token-01' }, { getAll, rowsIn, writeAll });
  return { ...methods, waits };
}

/** Nine rows come in three requests: every second row of the first two is left out. */
function everySecond(): () => boolean {
  let asked = 0;
  return () => asked < 9 + 4 && asked++ % 2 === 1;
}

const PUTS = KEYS.map((key) => ({ kind: 'put', key, fields: {} }) as const);

test('what a batch leaves undone is written again, after growing waits', async () => {
  const { writeAll: putAll, rowsIn: list, waits } = aTable(everySecond());
  await putAll(PUTS, 'rows');
  expect(waits).toEqual([50, 100]);
  expect((await list({ partition: 'p', from: '', to: '~' })).map(({ key }) => key.sort)).toEqual(SORTS);
});

test('keys that are left out are read again, after growing waits', async () => {
  let throttles = (): boolean => false;
  const { getAll: readAll, writeAll: putAll, waits } = aTable(() => throttles());
  await putAll(PUTS, 'rows');
  throttles = everySecond();
  expect((await readAll(KEYS)).map(({ key }) => key.sort).toSorted()).toEqual(SORTS);
  expect(waits).toEqual([50, 100]);
});

test('a row that is left out until it is the last one makes them fail, and does not count as missing', async () => {
  let asked = 0;
  const isSecond = (): boolean => asked++ % 2 === 1;
  const { getAll: readAll, writeAll: putAll, waits } = aTable(isSecond);
  await expect(putAll(PUTS, 'rows')).rejects.toThrow('Throughput exceeds');
  asked = 0;
  await expect(readAll(KEYS)).rejects.toThrow('Throughput exceeds');
  expect(waits.length).toBeGreaterThan(0);
});
