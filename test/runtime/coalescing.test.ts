import { expect, test } from 'vitest';
import { type Coalescing, nextPass } from '../../shared/runtime/coalescing.ts';

/** How long passes wait that ask at these times; `full` ones do not wait. */
function waits(coalescing: Coalescing, times: readonly (number | `full ${number}`)[]): readonly number[] {
  let dueAt = 0;
  return times.map((time) => {
    const isFull = typeof time === 'string';
    const next = nextPass(coalescing, dueAt, isFull ? Number(time.slice('full '.length)) : time, isFull);
    dueAt = next.dueAt;
    return next.waitMs;
  });
}

test('passes over few facts are apart, and the first after a quiet time does not wait', () => {
  expect(waits({ ms: 100, burst: 1 }, [1_000, 1_010, 1_210, 1_400])).toEqual([0, 90, 0, 0]);
});

test('of two that wait, one comes after the other, and none waits longer than once', () => {
  expect(waits({ ms: 100, burst: 1 }, [1_000, 1_000, 1_020, 1_030])).toEqual([0, 100, 100, 100]);
});

test('after a quiet time a burst may follow each other at once, and then waits', () => {
  expect(waits({ ms: 100, burst: 3 }, [1_000, 1_001, 1_002, 1_003, 1_110, 2_000, 2_000, 2_000, 2_000])).toEqual([
    0, 0, 0, 97, 90, 0, 0, 0, 100,
  ]);
});

test('a pass that has many facts waits for nobody, and does not hold up later ones', () => {
  const full = Array<`full ${number}`>(20).fill('full 1000');
  expect(waits({ ms: 100, burst: 1 }, [...full, 1_050]).at(-1)).toBe(50);
  expect(waits({ ms: 100, burst: 3 }, [...full, 1_050]).at(-1)).toBe(50);
});
