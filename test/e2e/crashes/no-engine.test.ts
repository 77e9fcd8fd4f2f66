import { readdirSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { conditionsOf, indexed, linesOf, shellJob, TEST_MS } from '../kube-calls.ts';

/** As on a machine for which there is no such program. */
vi.mock('../../../local/dynamodb/engine.ts', () => ({
  startDynamoEngine: async () => Promise.resolve({ kind: 'absent', reason: 'there is none for this machine' }),
}));

let local: ALocalRuntime | undefined;
afterEach(async () => local?.close());

const runsAJob = async ({ kube, workspaceDir }: ALocalRuntime): Promise<void> => {
  await kube.create(shellJob('sums', 'echo $JOB_COMPLETION_INDEX >> out', indexed(20, 5)));
  const job = await kube.ended('sums');
  expect(conditionsOf(job)).toEqual(['SuccessCriteriaMet', 'Complete']);
  expect(job.status).toMatchObject({ succeeded: 20, failed: 0, completedIndexes: '0-19' });
  expect(new Set(linesOf(workspaceDir, 'out')).size).toBe(20);
  expect(linesOf(workspaceDir, 'out')).toHaveLength(20);
};

test('without the DynamoDB engine Jobs are kept all the same', { timeout: TEST_MS }, async () => {
  local = await aLocalRuntime({ wiring: 'inProcess' });
  await runsAJob(local);
  expect(local.said.filter((line) => /DynamoDB|memory/.test(line))).toEqual([]);
  expect(readdirSync(local.dataDir)).toContain('jobs.lmdb');
});

test('as on AWS, but without the engine, Jobs run in memory, with a warning', { timeout: TEST_MS }, async () => {
  local = await aLocalRuntime({ wiring: 'emulateAws' });
  expect(local.said).toContainEqual(
    'warning: no DynamoDB engine (there is none for this machine): Jobs are kept in memory and are lost when Muster ends',
  );
  await runsAJob(local);
});

test('asked for memory, Jobs run in memory, without a warning', { timeout: TEST_MS }, async () => {
  local = await aLocalRuntime({ store: 'memory' });
  await runsAJob(local);
  expect(local.said.filter((line) => line.includes('DynamoDB'))).toEqual([]);
});
