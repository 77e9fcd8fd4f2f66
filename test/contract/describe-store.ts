import { describe, expect, test } from 'vitest';
import { CRON_CASES, CRON_RACES } from './cron-cases.ts';
import { FEED_CASES } from './feed-cases.ts';
import { HOST_CASES, HOST_RACES } from './host-cases.ts';
import { ITEM_CASES, ITEM_RACES } from './item-cases.ts';
import { JOB_CASES } from './job-cases.ts';
import { LAUNCH_CASES } from './launch-cases.ts';
import { OBJECT_CASES, OBJECT_RACES } from './object-cases.ts';
import { RACE_CASES } from './race-cases.ts';
import type { StoreCase, StoreUnderTest } from './store-under-test.ts';
import { WAITER_CASES } from './waiter-cases.ts';

/** The promises to a single caller. */
export const CALM_CASES: readonly StoreCase[] = [
  ...JOB_CASES,
  ...LAUNCH_CASES,
  ...FEED_CASES,
  ...OBJECT_CASES,
  ...HOST_CASES,
  ...ITEM_CASES,
  ...CRON_CASES,
  ...WAITER_CASES,
];
/** Every promise of the store's ports. */
export const STORE_CASES: readonly StoreCase[] = [
  ...CALM_CASES,
  ...RACE_CASES,
  ...OBJECT_RACES,
  ...HOST_RACES,
  ...ITEM_RACES,
  ...CRON_RACES,
];

/** One suite for every store: each case gets an empty one from `makeStore`. */
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

/** The names of the cases (or the named one) that fail against this store, to check that a planted fault is found. */
export async function failingCases(
  makeStore: () => Promise<StoreUnderTest>,
  only: string | null = null,
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const promise of STORE_CASES.filter(({ name }) => only === null || name === only)) {
    await promise.run(await makeStore()).catch(() => failed.push(promise.name));
  }
  return failed;
}
