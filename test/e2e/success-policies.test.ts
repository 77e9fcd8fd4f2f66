import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually } from './kube-calls.ts';

// KEP-3998's stories, and what it leaves for the future, with its own manifests (test/e2e/success) and real processes.

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;

type Condition = { readonly type: string; readonly reason: string; readonly message: string };
type JobStatus = {
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly conditions?: readonly Condition[];
};

describe.runIf(hasKubectl)('success policies', { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  beforeAll(async () => {
    local = await aLocalRuntime();
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { HOME: local.root, PATH: process.env['PATH'] ?? '' };
    const given = ['--kubeconfig', local.runtime.kubeconfig, ...args];
    return (await promisify(execFile)('kubectl', given, { env, timeout: PATIENCE_MS })).stdout.trim();
  };
  const statusOf = async (name: string): Promise<JobStatus> =>
    (JSON.parse(await kubectl('get', 'job', name, '-o', 'json')) as { readonly status: JobStatus }).status;

  /** Applies the manifest, whose program is this script; `$I` is its index, and `hold` waits for {@link letGo}. */
  async function apply(name: string, script: string): Promise<void> {
    rmSync(join(local.workspaceDir, 'go'), { force: true });
    const program = join(local.workspaceDir, 'sample');
    const hold = 'hold() { while [ ! -e go ]; do sleep 0.1; done; }';
    writeFileSync(program, `#!/bin/sh\nI=$JOB_COMPLETION_INDEX\n${hold}\n${script}\n`);
    chmodSync(program, 0o755);
    const file = join(import.meta.dirname, 'success', `${name}.yaml`);
    expect(await kubectl('apply', '-f', file)).toBe(`job.batch/${name} created`);
  }
  const letGo = (): void => writeFileSync(join(local.workspaceDir, 'go'), '');
  const until = async (name: string, condition: string): Promise<JobStatus> => {
    await kubectl('wait', `--for=condition=${condition}`, `job/${name}`, `--timeout=${PATIENCE_MS / 1000}s`);
    return statusOf(name);
  };
  const saysOf = ({ conditions = [] }: JobStatus): readonly string[] =>
    conditions.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

  test('story 1: the leader decides, and its workers are stopped', async () => {
    await apply('leader', '[ "$I" = 0 ] || exec sleep 3600');
    const status = await until('leader', 'Complete');
    expect(status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
    expect(saysOf(status)).toEqual([
      'SuccessCriteriaMet SuccessPolicy: Matched rules at index 0',
      'Complete SuccessPolicy: Matched rules at index 0',
    ]);
  });

  test('story 2: five workers are as good', async () => {
    await apply('leader-or-five', '[ "$I" -ge 1 ] && [ "$I" -le 5 ] || exec sleep 3600');
    const status = await until('leader-or-five', 'Complete');
    expect(status).toMatchObject({ succeeded: 5, completedIndexes: '1-5' });
    expect(saysOf(status)[0]).toBe('SuccessCriteriaMet SuccessPolicy: Matched rules at index 1');
  });

  test('a percentage of the indexes', async () => {
    await apply('share', '[ "$I" -ge 5 ] || exec sleep 3600');
    const status = await until('share', 'Complete');
    expect(status).toMatchObject({ succeeded: 5, completedIndexes: '5-9' });
    expect(saysOf(status)[1]).toBe('Complete SuccessPolicy: Matched muster.run/success-percent 50: 5 of 10 succeeded');
  });

  test('the lingering Pods continue, and a failure among them changes nothing', async () => {
    await apply('sampling', '[ "$I" -ge 1 ] && [ "$I" -le 5 ] && exit 0; hold; [ "$I" != 9 ]');
    const met = await until('sampling', 'SuccessCriteriaMet');
    expect(met).toMatchObject({ active: 5, succeeded: 5 });
    expect(met.conditions).toHaveLength(1);
    expect(await kubectl('get', 'job', 'sampling')).toMatch(/sampling +SuccessCriteriaMet +5\/10/);
    expect(await kubectl('describe', 'job', 'sampling')).toMatch(
      /Normal +SuccessCriteriaMet .* Matched rules at index 0; its Pods go on/,
    );
    letGo();
    const status = await until('sampling', 'Complete');
    expect(status).toMatchObject({ succeeded: 9, failed: 1, completedIndexes: '0-8' });
    expect(saysOf(status)[1]).toBe('Complete SuccessPolicy: Matched rules at index 0');
  });

  test('a reason for each rule, and a message', async () => {
    await apply('reasons', '[ "$I" != 0 ] || exec sleep 3600');
    const status = await until('reasons', 'Complete');
    const says = 'WorkersSucceeded: the workers have done it without their leader';
    expect(saysOf(status)).toEqual([`SuccessCriteriaMet ${says}`, `Complete ${says}`]);
  });

  test('a Job without indexes', async () => {
    await apply('first-two', 'mkdir one 2>/dev/null || mkdir two 2>/dev/null || exec sleep 3600');
    const status = await until('first-two', 'Complete');
    expect(status.succeeded).toBe(2);
    expect(saysOf(status)[1]).toBe('Complete SuccessPolicy: Matched muster.run/success-count 2: 2 of 5 succeeded');
  });

  test('everything goes on as before: what fails is tried again', async () => {
    await apply('again', '[ "$I" -le 1 ] && exit 0; hold; [ -e "tried-$I" ] && exit 0; touch "tried-$I"; exit 1');
    await until('again', 'SuccessCriteriaMet');
    await eventually(
      async () => ((await statusOf('again')).active === 2 ? true : null),
      () => 'the others do not start',
    );
    letGo();
    const status = await until('again', 'Complete');
    expect(status).toMatchObject({ succeeded: 4, failed: 2, completedIndexes: '0-3' });
    expect(saysOf(status)[1]).toContain('Complete SuccessPolicy: Matched muster.run/success-percent 50: 2 of 4');
  });

  test('a percentage of the indexes may fail', async () => {
    await apply('tolerance', '[ "$I" = 2 ]');
    const status = await until('tolerance', 'Failed');
    expect(status).toMatchObject({ succeeded: 1, failed: 4, failedIndexes: '0,1,3,4' });
    const why = 'Job has exceeded the specified maximal number of failed indexes: 4 of 10, and 30% may fail';
    expect(saysOf(status)).toEqual([
      `FailureTarget MaxFailedIndexesExceeded: ${why}`,
      `Failed MaxFailedIndexesExceeded: ${why}`,
    ]);
  });
});
