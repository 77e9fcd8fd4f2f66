import { expect, test } from 'vitest';
import { asEpochMs } from '../../../../domain/base/time.ts';
import { type CountedUsage, type Quota, FRESH_LEDGER, recounted, reserve } from '../../domain/quota.ts';
import { NO_USAGE, type Usage } from '../../domain/usage.ts';

const NOW = asEpochMs(1_800_000_000_000);
const MINUTE_MS = 60_000;
const pods = (count: number): Usage => ({ ...NO_USAGE, jobs: 1, pods: count });

/** A quota of which a Job uses two Pods; a change to revision 3 has reserved three more. */
const changing = (): Quota => {
  const fresh = { name: 'q', uid: 'uid', hard: { pods: 10 }, used: { pods: 2 }, ledger: FRESH_LEDGER };
  return reserve(fresh, { uid: 'job', revision: 3, want: pods(5), before: pods(2) }, undefined, NOW).quota;
};
const seen = (revision: number, count: number): CountedUsage => ({
  total: pods(count),
  seen: new Map([['job', { revision, usage: pods(count) }]]),
});

test('what is reserved for a change stays while its Job is seen without it', () => {
  const quota = changing();
  const counted = recounted(quota, quota, seen(2, 2), NOW);
  expect(counted?.used).toEqual({ pods: 5 });
  expect(counted?.ledger.open).toMatchObject([{ uid: 'job', revision: 3, added: { pods: 3 } }]);
});

test.each([3, 4])('it is over once its Job is seen at revision %i', (revision) => {
  const quota = changing();
  const counted = recounted(quota, quota, seen(revision, 5), NOW);
  expect(counted).toMatchObject({ used: { pods: 5 }, ledger: { open: [] } });
});

test('a change that has not come for a minute does not come any more', () => {
  const quota = changing();
  const at = (ms: number): Quota | null => recounted(quota, quota, seen(2, 2), asEpochMs(NOW + ms));
  expect(at(MINUTE_MS - 1)?.used).toEqual({ pods: 5 });
  expect(at(MINUTE_MS)).toMatchObject({ used: { pods: 2 }, ledger: { open: [] } });
});
