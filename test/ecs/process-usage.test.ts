import { expect, test } from 'vitest';
import { type Seen, processIn, usedBy } from '../../local/ecs/driver/process-usage.ts';

test('a line of /proc tells the CPU time of a process and its children, and its memory', () => {
  const stat =
    '77 (a (b) c) S 76 77 77 0 -1 4194304 100 200 0 0 150 25 20 5 20 0 1 0 12345 1000000 300 18446744073709551615 1 1';
  expect(processIn(stat, 4_096)).toEqual({ parent: 76, cpuNanos: 2_000_000_000, memoryBytes: 300 * 4_096 });
  expect(processIn('77 (gone', 4_096)).toBeNull();
});

test('a process without a mark belongs to the one that has started it, and others to nobody', () => {
  const seen = (parent: number, mark: string | null): Seen => ({ parent, mark, cpuNanos: 1, memoryBytes: 10 });
  const used = usedBy(
    new Map([
      [1, seen(0, null)],
      [2, seen(1, 'a')],
      [3, seen(2, null)],
      [4, seen(3, null)],
      [5, seen(1, 'b')],
      [6, seen(1, null)],
      [7, seen(1, 'a')],
      // Pids are used again while others are looked at.
      [8, seen(9, null)],
      [9, seen(8, null)],
    ]),
  );
  expect([...used]).toEqual([
    ['a', { cpuNanos: 4, memoryBytes: 40 }],
    ['b', { cpuNanos: 1, memoryBytes: 10 }],
  ]);
});
