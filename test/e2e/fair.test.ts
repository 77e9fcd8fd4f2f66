import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, conditionsOf, indexed, shellJob } from './kube-calls.ts';

const LAUNCHES_PER_SEC = 20;
const LARGE = 100_000;
/** Small Jobs one after the other, for the median: one of them may meet a pause of the machine. */
const TIMES = 5;
const MORE_AT_MOST_MS = 5_000;

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime({
    driver: 'simulated',
    // The small Jobs' tasks end at once, the large one's hold what they have: it goes on launching for an hour and more.
    script: { decide: ({ startedBy }) => ({ runMs: startedBy === large ? 3_600_000 : 0 }) },
    launchesPerSec: LAUNCHES_PER_SEC,
  });
}, PATIENCE_MS);
afterAll(async () => local.close());

let large = '';

test('a Job of 3 indexes beside one of 100,000 that launches at 20 a second takes at most 5 s more than alone', {
  timeout: 2 * TEST_MS,
}, async () => {
  await inMs('warm-up');
  const alone: number[] = [];
  for (let n = 0; n < TIMES; n++) alone.push(await inMs(`alone-${n}`));

  large = await local.kube.create(shellJob('large', 'true', indexed(LARGE, LARGE)));
  // Under way: it has filled whatever it can fill of queues, claims and leased rights.
  await local.kube.until('large', ({ status }) => status.active >= 4 * LAUNCHES_PER_SEC);
  const before = await launched();
  const beside: number[] = [];
  const startedAt = performance.now();
  for (let n = 0; n < TIMES; n++) beside.push(await inMs(`beside-${n}`));
  const [after, seconds] = [await launched(), (performance.now() - startedAt) / 1000];

  expect(median(beside) - median(alone), `ms: alone ${alone.join()}; beside ${beside.join()}`).toBeLessThan(
    MORE_AT_MOST_MS,
  );
  // And the large one is not held up for it: what the small ones leave is its own.
  expect(after - before + 3 * TIMES, `launches in ${seconds.toFixed(1)} s`).toBeGreaterThan(
    0.5 * LAUNCHES_PER_SEC * seconds,
  );
});

/** Tasks of the large Job so far. */
const launched = async (): Promise<number> => (await local.kube.job('large')).status.active;

/** From a small Job's creation until it is Complete. */
async function inMs(name: string): Promise<number> {
  const startedAt = performance.now();
  await local.kube.create(shellJob(name, 'true', indexed(3, 3)));
  const job = await local.kube.ended(name);
  expect(conditionsOf(job)).toContain('Complete');
  return Math.round(performance.now() - startedAt);
}

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
