import { expect, test } from 'vitest';
import { retryOnConflict } from '../../shared/store/retry-on-conflict.ts';

test('work is repeated until it meets no conflict', async () => {
  const tries: number[] = [];
  const done = await retryOnConflict('Job uid-1', 5, async (nth) => {
    tries.push(nth);
    return nth < 2 ? 'conflict' : { version: nth };
  });
  expect(done).toEqual({ version: 2 });
  expect(tries).toEqual([0, 1, 2]);
});

test('work that always meets a conflict is an error', async () => {
  let tries = 0;
  const work = retryOnConflict('Job uid-1', 3, async () => {
    tries++;
    return 'conflict';
  });
  await expect(work).rejects.toThrow('Job uid-1 changed during each of 3 tries');
  expect(tries).toBe(3);
});

test('an error of the work itself is thrown, not retried', async () => {
  let tries = 0;
  const work = retryOnConflict('Job uid-1', 3, async () => {
    tries++;
    throw new Error('the table is throttled');
  });
  await expect(work).rejects.toThrow('the table is throttled');
  expect(tries).toBe(1);
});
