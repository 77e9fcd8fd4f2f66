import { onTestFinished, expect, test } from 'vitest';
import { aLocalRuntime } from './a-local-runtime.ts';
import { TEST_MS, conditionsOf, indexed, shellJob } from './kube-calls.ts';

/** Only an event reports an end: DescribeTasks is refused. */
const NO_LOOK_UPS = { clusterRead: { burst: 0, perSec: 0 } };
const HOUR_MS = 3_600_000;

test('an index counts although STOPPED of its task is an hour away, and each of them once', {
  timeout: TEST_MS,
}, async () => {
  const local = await aLocalRuntime({
    earlyCounting: true,
    driver: 'simulated',
    script: { decide: ({ index, group }) => (index === 3 && group.endsWith(':3:1:0') ? { exitCode: 7 } : undefined) },
    events: { deprovisionMs: HOUR_MS, duplicate: 0.5 },
    limits: NO_LOOK_UPS,
  });
  onTestFinished(local.close);
  await local.kube.create(shellJob('early', 'true', { ...indexed(12, 4), backoffLimit: 3 }));
  const job = await local.kube.ended('early');
  expect(conditionsOf(job)).toContain('Complete');
  expect(job.status).toMatchObject({ succeeded: 12, failed: 1, completedIndexes: '0-11' });
});

test('with both events of each end, late, doubled, and in any order, each index counts once', {
  timeout: TEST_MS,
}, async () => {
  const local = await aLocalRuntime({
    earlyCounting: true,
    driver: 'simulated',
    script: { fail: 0.3, seed: 5 },
    events: { deprovisionMs: 300, duplicate: 0.5, shuffleMs: 600, seed: 3 },
  });
  onTestFinished(local.close);
  await local.kube.create(shellJob('both', 'true', { ...indexed(40, 10), backoffLimitPerIndex: 0, backoffLimit: 100 }));
  const job = await local.kube.ended('both');
  expect(job.status.succeeded + job.status.failed).toBe(40);
  expect(job.status.failed).toBeGreaterThan(3);
  const pods = await local.kube.pods('both');
  expect(pods.filter(({ status }) => status.phase === 'Failed')).toHaveLength(job.status.failed);
  expect(pods.filter(({ status }) => status.phase === 'Succeeded')).toHaveLength(job.status.succeeded);
});
