import { expect, test } from 'vitest';
import { asEpochMs } from '../../../domain/base/time.ts';
import { PRUNABLE_MS, keptJobs } from '../domain/kept-jobs.ts';

const NOW = asEpochMs(1_800_000_000_000);
const job = (name: string, ageMs: number, endedMsAgo: number | null, namespace = 'default') => ({
  namespace,
  name,
  createdAt: asEpochMs(NOW - ageMs),
  endedAt: endedMsAgo === null ? null : asEpochMs(NOW - endedMsAgo),
});

test('without Jobs there is no oldest one', () => {
  expect(keptJobs([], false, NOW)).toEqual({
    count: 0,
    more: false,
    oldest: null,
    prunable: { count: 0, namespaces: [] },
  });
});

test('the oldest Job was created first; Jobs that ended a week ago, to the millisecond, are prunable', () => {
  const jobs = [
    job('young', 10, null),
    job('a', PRUNABLE_MS + 20, PRUNABLE_MS),
    job('b', PRUNABLE_MS + 10, PRUNABLE_MS + 1, 'team'),
    job('c', PRUNABLE_MS + 30, PRUNABLE_MS - 1, 'other'),
    job('d', PRUNABLE_MS + 5, PRUNABLE_MS + 5),
  ];
  expect(keptJobs(jobs, true, NOW)).toEqual({
    count: 5,
    more: true,
    oldest: { namespace: 'other', name: 'c', createdAt: NOW - PRUNABLE_MS - 30 },
    prunable: { count: 3, namespaces: ['default', 'team'] },
  });
});
