import { expect, test } from 'vitest';
import { LIMIT_RANGE_PRINTER, QUOTA_PRINTER } from '../../kube/quota-printer.ts';

test.each([
  ['ResourceQuota', QUOTA_PRINTER],
  ['LimitRange', LIMIT_RANGE_PRINTER],
])('%s: nothing is shown by -o wide only; each column is described; the name is marked', (_, { columns }) => {
  expect(columns.filter(({ priority }) => priority === 1)).toEqual([]);
  expect(columns.every(({ description }) => description !== '')).toBe(true);
  expect(columns.filter(({ format }) => format === 'name').map(({ name }) => name)).toEqual(['Name']);
});
