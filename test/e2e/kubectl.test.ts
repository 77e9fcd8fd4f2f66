import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, eventually, indexed, linesOf, shellJob, TEST_MS } from './kube-calls.ts';
import { isVerifying } from '../verify/verifying.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
if (!hasKubectl && !isVerifying)
  console.warn('SKIPPED: there is no kubectl on this machine, so nobody runs a Job with it');

test.runIf(isVerifying)('CI has kubectl', () => {
  expect(hasKubectl).toBe(true);
});

type List = { readonly items: readonly { readonly metadata: { readonly name: string }; readonly status: object }[] };

describe.runIf(hasKubectl)("kubectl with the runtime's own kubeconfig", { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  beforeAll(async () => {
    local = await aLocalRuntime();
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  /** Runs kubectl at home in the test's folder; throws with its stderr if it fails. */
  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { HOME: local.root, PATH: process.env['PATH'] ?? '' };
    const given = ['--kubeconfig', local.runtime.kubeconfig, ...args];
    return (await promisify(execFile)('kubectl', given, { env, timeout: PATIENCE_MS })).stdout.trim();
  };
  const list = async (...args: readonly string[]): Promise<List> =>
    JSON.parse(await kubectl('get', ...args, '-o', 'json')) as List;

  test('create, get, logs and delete a Job that really runs', async () => {
    expect(readFileSync(local.runtime.kubeconfig, 'utf8')).toContain(local.runtime.url);
    const file = join(local.root, 'job.json');
    // Each index waits for its leave.
    const script =
      'echo "index $JOB_COMPLETION_INDEX"; while [ ! -e go ]; do sleep 0.1; done; echo $JOB_COMPLETION_INDEX >> out';
    writeFileSync(file, JSON.stringify(shellJob('sums', script, indexed(3, 3))));
    expect(await kubectl('create', '--validate=false', '-f', file)).toBe('job.batch/sums created');
    await eventually(
      async () =>
        (await list('pods')).items.filter(({ status }) => 'phase' in status && status.phase === 'Running').length === 3
          ? true
          : null,
      () => 'three Pods are not running',
    );
    expect((await list('jobs')).items).toMatchObject([{ metadata: { name: 'sums' }, status: { active: 3, ready: 3 } }]);
    const pods = (await list('pods', '-l', 'job-name=sums')).items.map(({ metadata }) => metadata.name);
    expect(await Promise.all(pods.map(async (pod) => kubectl('logs', pod)))).toEqual(['index 0', 'index 1', 'index 2']);

    writeFileSync(join(local.workspaceDir, 'go'), '');
    await kubectl('wait', '--for=condition=complete', 'job/sums', `--timeout=${PATIENCE_MS / 1000}s`);
    expect((await list('jobs')).items).toMatchObject([{ status: { succeeded: 3, completedIndexes: '0-2' } }]);
    expect((await list('pods')).items.map(({ status }) => status)).toMatchObject(
      Array.from({ length: 3 }, () => ({ phase: 'Succeeded' })),
    );
    expect(linesOf(local.workspaceDir, 'out').toSorted()).toEqual(['0', '1', '2']);

    expect(await kubectl('delete', 'job', 'sums')).toMatch(/^job.batch "sums" deleted/);
    expect((await list('jobs')).items).toEqual([]);
    expect((await list('pods')).items).toEqual([]);
    await expect(kubectl('get', 'job', 'sums')).rejects.toThrow(
      'Error from server (NotFound): jobs.batch "sums" not found',
    );
  });

  test('what is wrong with a manifest is printed with its path, and nothing is stored', async () => {
    const file = join(local.root, 'wrong.json');
    writeFileSync(file, JSON.stringify(shellJob('wrong', 'true', { completionz: 3 })));
    await expect(kubectl('create', '-f', file)).rejects.toThrow('spec.completionz');
    writeFileSync(file, JSON.stringify(shellJob('wrong', 'true', { parallelism: -1 })));
    await expect(kubectl('create', '-f', file)).rejects.toThrow('spec.parallelism: Invalid value: -1');
    expect((await list('jobs')).items).toEqual([]);
  });
});
