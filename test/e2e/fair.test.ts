import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, conditionsOf, indexed, shellJob } from './kube-calls.ts';

const LAUNCHES_PER_SEC = 20;
const LARGE = 100_000;
const SMALL = 3;
/** Small Jobs one after the other, for the median: one of them may come when the large one has just claimed what it may. */
const TIMES = 5;
/** Five seconds of launches. */
const AHEAD_MAX = 5 * LAUNCHES_PER_SEC;

/** Whose task ECS was asked for, in order. */
const asked: string[] = [];
let large = '';

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime({
    driver: 'simulated',
    // The small Jobs' tasks end at once, the large one's hold what they have: it goes on launching for an hour and more.
    script: {
      decide({ startedBy }) {
        asked.push(startedBy ?? '');
        return { runMs: startedBy === large ? 3_600_000 : 0 };
      },
    },
    launchesPerSec: LAUNCHES_PER_SEC,
  });
}, PATIENCE_MS);
afterAll(async () => local.close());

test('a Job of 3 indexes waits for at most 5 s of launches of one of 100,000, which go on beside it', {
  timeout: 2 * TEST_MS,
}, async () => {
  large = await local.kube.create(shellJob('large', 'true', indexed(LARGE, LARGE)));
  // Under way: it has filled whatever it can fill of queues, claims and leased rights.
  await local.kube.until('large', ({ status }) => status.active >= 4 * LAUNCHES_PER_SEC);
  const ahead: number[] = [];
  for (let n = 0; n < TIMES; n++) ahead.push(await launchesAheadOf(`small-${n}`));
  expect(median(ahead), `launches ahead of each: ${ahead.join()}`).toBeLessThanOrEqual(AHEAD_MAX);
  // And the large one is not held up for them: it goes on.
  const before = asked.length;
  await local.kube.until('large', () => asked.length >= before + LAUNCHES_PER_SEC);
  expect(asked.slice(before).every((uid) => uid === large)).toBe(true);
});

/** How many tasks of the large Job ECS was asked for between a small Job's creation and the last task of it. */
async function launchesAheadOf(name: string): Promise<number> {
  const from = asked.length;
  const uid = await local.kube.create(shellJob(name, 'true', indexed(SMALL, SMALL)));
  expect(conditionsOf(await local.kube.ended(name))).toContain('Complete');
  return asked.slice(from, asked.lastIndexOf(uid)).filter((startedBy) => startedBy === large).length;
}

const median = (all: readonly number[]): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
