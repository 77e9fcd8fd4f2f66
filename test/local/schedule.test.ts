import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startSchedule } from '../../local/event-source/schedule.ts';

test('work under way is waited for when it stops, and none is started after', async () => {
  let [begun, ended] = [0, 0];
  let finish = (): void => undefined;
  const may = new Promise<void>((resolve) => (finish = resolve));
  const schedule = startSchedule({
    everyMs: 1,
    async work() {
      begun++;
      await may;
      ended++;
    },
    onError: (error) => expect.unreachable(String(error)),
  });
  await expect.poll(() => begun).toBeGreaterThan(1);
  let hasStopped = false;
  const stopped = schedule.stop(60_000).then(() => (hasStopped = true));
  const total = begun;
  await sleep(20);
  expect({ hasStopped, ended }).toEqual({ hasStopped: false, ended: 0 });
  finish();
  await stopped;
  expect({ begun, ended }).toEqual({ begun: total, ended: total });
});

test('work that does not end keeps nobody longer than asked, and what fails is reported', async () => {
  const errors: unknown[] = [];
  const schedule = startSchedule({
    everyMs: 1,
    work: async () => (errors.length === 0 ? Promise.reject(new Error('no')) : new Promise(() => undefined)),
    onError: (error) => errors.push(error),
  });
  await expect.poll(() => errors.map(String)).toEqual(['Error: no']);
  await sleep(10);
  await schedule.stop(5);
});
