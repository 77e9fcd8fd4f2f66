import { expect, test } from 'vitest';
import { asJobUid } from '../../../../domain/base/ids.ts';
import { asEpochMs } from '../../../../domain/base/time.ts';
import type { ContainerUsage } from '../../../../domain/task/container-usage.ts';
import { canCompare, ratesBetween, sampleOf } from '../../domain/usage-rates.ts';

const used = (taskId: string, cpuNanos: number, memoryBytes = 1024): ContainerUsage => ({
  pod: { uid: asJobUid('uid-1'), index: 0, attempt: 1 },
  taskId,
  container: 'main',
  cpuNanos,
  memoryBytes,
});
const at = (atMs: number, ...all: readonly ContainerUsage[]) => sampleOf(asEpochMs(atMs), all);

test('a rate is CPU time by time, and memory is the newest', () => {
  const measured = ratesBetween(
    at(1_000, used('a', 5e9, 1), used('gone', 1)),
    at(3_000, used('a', 6e9, 2), used('new', 1)),
  );
  expect(measured).toMatchObject({ atMs: 3_000, windowMs: 2_000 });
  // Half a CPU; what is in one sample only has none.
  expect(measured.rates.map(({ cpuNanoCores, memoryBytes }) => [cpuNanoCores, memoryBytes])).toEqual([[5e8, 2]]);
});

test('a program that has taken its time along does not count below nothing', () => {
  expect(ratesBetween(at(1, used('a', 9e9)), at(2, used('a', 1e9))).rates[0]?.cpuNanoCores).toBe(0);
});

test.each([
  [true, at(0, used('a', 1), used('b', 1)), at(60_000, used('a', 1))],
  [false, at(0, used('a', 1)), at(1_000, used('a', 1), used('b', 1))],
  [false, at(0, used('a', 1)), at(60_001, used('a', 1))],
  [false, at(1_000, used('a', 1)), at(1_000, used('a', 1))],
  [false, at(2_000, used('a', 1)), at(1_000, used('a', 1))],
])('whether two samples tell: %s', (wanted, before, now) => expect(canCompare(before, now)).toBe(wanted));
