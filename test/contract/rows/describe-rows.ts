import { describe, expect, test } from 'vitest';
import type { Rows } from '../../../shared/store/rows/row.ts';
import { ROW_CASES, type RowCase } from './row-cases.ts';

/** One suite for every engine: each case gets one from `makeRows`, which may hold rows of other cases. */
export function describeRows(name: string, makeRows: () => Promise<Rows>, cases: readonly RowCase[] = ROW_CASES): void {
  describe(`${name} keeps the promises of an engine`, () => {
    test.each(cases)('$name', async (promise) => {
      expect.hasAssertions();
      await promise.run(await makeRows());
    });
  });
}
