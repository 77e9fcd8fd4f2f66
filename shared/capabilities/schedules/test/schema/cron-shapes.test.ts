import { expect, test } from 'vitest';
import { differences } from '../../../../../test/schema/kinds/shape-differences.ts';
import { CronJobShape } from '../../schema/cron-shape.ts';

test('the table of kinds has the fields of a CronJob that is admitted', () => {
  const seen: string[] = [];
  expect(differences(CronJobShape, { is: 'object', of: 'CronJob' }, 'CronJob', seen)).toEqual([]);
  expect(seen.length).toBeGreaterThan(160);
});
