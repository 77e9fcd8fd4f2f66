import { expect, test } from 'vitest';
import { pacedCalls } from '../../ui/api/paced-calls.ts';

/** Time that goes on when the test says so, and work that ends when it says so. */
function paced(pauseMs: number) {
  let nowMs = 0;
  let due: { readonly atMs: number; readonly work: () => void }[] = [];
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const calls = pacedCalls(
    pauseMs,
    async () => {
      begun.push(nowMs);
      await new Promise<void>((resolve) => ends.push(resolve));
    },
    {
      nowMs: () => nowMs,
      after: (ms, work) => {
        const one = { atMs: nowMs + ms, work };
        due.push(one);
        return () => {
          due = due.filter((each) => each !== one);
        };
      },
    },
  );
  return {
    ...calls,
    begun,
    /** All work that is under way ends. */
    end: async (): Promise<void> => {
      for (const resolve of ends.splice(0)) resolve();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    },
    pass: (ms: number): void => {
      nowMs += ms;
      const now = due.filter(({ atMs }) => atMs <= nowMs);
      due = due.filter(({ atMs }) => atMs > nowMs);
      for (const { work } of now) work();
    },
  };
}

test('the first call is at once, and those that come too soon are one, after the pause', async () => {
  const { call, begun, end, pass } = paced(1_000);
  call();
  pass(0);
  await end();
  for (let nth = 0; nth < 5; nth++) {
    pass(100);
    call();
  }
  pass(499);
  expect(begun).toEqual([0]);
  pass(1);
  await end();
  pass(5_000);
  expect(begun).toEqual([0, 1_000]);
});

test('calls while one is under way are one after it, however long that takes', async () => {
  const { call, begun, end, pass } = paced(100);
  call();
  pass(0);
  pass(3_000);
  call();
  call();
  pass(0);
  expect(begun).toEqual([0]);
  await end();
  pass(0);
  await end();
  pass(5_000);
  expect(begun).toEqual([0, 3_000]);
});

test('what is stopped calls nothing more', async () => {
  const { call, stop, begun, end, pass } = paced(1_000);
  call();
  pass(0);
  await end();
  call();
  stop();
  call();
  pass(5_000);
  expect(begun).toEqual([0]);
});
