import { expect, test } from 'vitest';
import type * as z from 'zod';
import { differences } from '../../../../../test/schema/kinds/shape-differences.ts';
import { LimitRangeShape } from '../../schema/limit-range-form.ts';
import { QuotaShape } from '../../schema/quota-form.ts';

test.each<[string, z.core.$ZodType, number]>([
  ['ResourceQuota', QuotaShape, 15],
  ['LimitRange', LimitRangeShape, 20],
])('the table of kinds has the fields of a %s that is admitted', (name, shape, paths) => {
  const seen: string[] = [];
  expect(differences(shape, { is: 'object', of: name }, name, seen)).toEqual([]);
  expect(seen.length).toBeGreaterThan(paths);
});
