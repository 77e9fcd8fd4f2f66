import { describe, expect, test } from 'vitest';
import { FEED_CASES } from './feed-cases.ts';
import { JOB_CASES } from './job-cases.ts';
import { LAUNCH_CASES } from './launch-cases.ts';
import { RACE_CASES } from './race-cases.ts';
import type { StoreCase, StoreUnderTest } from './store-under-test.ts';

/** Promises to one caller at a time. */
export const CALM_CASES: readonly StoreCase[] = [...JOB_CASES, ...LAUNCH_CASES, ...FEED_CASES];
/** Every promise that the ports make of what is stored. */
const STORE_CASES: readonly StoreCase[] = [...CALM_CASES, ...RACE_CASES];

/** One suite for every store there is: each case gets an empty one from `makeStore`. */
export function describeStore(
  name: string,
  makeStore: () => Promise<StoreUnderTest>,
  cases: readonly StoreCase[] = STORE_CASES,
): void {
  describe(`${name} keeps its promises`, () => {
    test.each(cases)('$name', async (promise) => {
      expect.hasAssertions();
      await promise.run(await makeStore());
    });
  });
}

/** Names of the cases that fail against such a store: what a store with a fault planted in it is judged by. */
export async function failingCases(makeStore: () => Promise<StoreUnderTest>): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const promise of STORE_CASES) {
    await promise.run(await makeStore()).catch(() => failed.push(promise.name));
  }
  return failed;
}
