import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { PATIENCE_MS, conditionsOf, indexed, linesOf, shellJob, TEST_MS } from '../kube-calls.ts';

const INDEXES = 200;

let local: ALocalRuntime;
beforeAll(async () => {
  // A lost event is made up for by looking the task up, seconds later.
  local = await aLocalRuntime({ events: { duplicate: 1, drop: 0.1, shuffleMs: 1_000, seed: 7 } });
}, PATIENCE_MS);
afterAll(async () => local.close());

test('every event doubled and shuffled, one in ten lost: each index is counted once', {
  timeout: TEST_MS,
}, async () => {
  await local.kube.create(shellJob('sums', 'echo $JOB_COMPLETION_INDEX >> out', indexed(INDEXES, 50)));
  const job = await local.kube.ended('sums');
  expect(conditionsOf(job)).toEqual(['SuccessCriteriaMet', 'Complete']);
  expect(job.status).toMatchObject({ succeeded: INDEXES, failed: 0, active: 0, completedIndexes: '0-199' });
  const lines = linesOf(local.workspaceDir, 'out');
  expect(lines).toHaveLength(INDEXES);
  expect(new Set(lines).size).toBe(INDEXES);
});
