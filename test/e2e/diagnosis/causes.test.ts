import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { TEST_MS, eventually, indexed, shellJob } from '../kube-calls.ts';
import { type FAILING, aUserOf } from './failing-jobs.ts';

// Three ways in which a Job fails, with real processes: its cause is in the first screen of whatever one looks at.

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
});
afterAll(async () => local.close());

/** The runtime is in this process: a test that waits for kubectl must let it answer. */
const kubectl = async (...args: readonly string[]): Promise<string> =>
  promisify(execFile)('kubectl', ['--kubeconfig', join(local.dataDir, 'kubeconfig'), ...args], {
    env: { PATH: process.env['PATH'], HOME: local.root },
  }).then(({ stdout }) => stdout);
const hasKubectl = await promisify(execFile)('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);

/** Runs a Job to its end, and says what one sees then. */
async function failing(name: keyof typeof FAILING) {
  const { muster, fail } = aUserOf(local);
  return { run: await fail(name), pods: (await muster(`get pods ${name}`)).screen, logs: await muster(`logs ${name}`) };
}

describe('a failed Job tells its cause', () => {
  test('program not found', { timeout: TEST_MS }, async () => {
    const seen = await failing('missing');
    const cause = 'StartError: no-such-python: command not found; looked in PATH ';
    expect(seen.run).toContain(cause);
    expect(seen.pods).toContain(cause);
    expect(seen.pods).toMatch(/missing-\d-\w{5} +\d +1 +StartError +128/);
    expect(seen.logs).toMatchObject({
      code: 1,
      screen: '',
      err: expect.stringContaining(`never started: ${cause}`) as string,
    });
    if (!hasKubectl) return;
    expect(await kubectl('get', 'pods', '-l', 'job-name=missing')).toContain('StartError');
    expect(await kubectl('describe', 'job', 'missing')).toMatch(
      /Warning +PodFailed .*no-such-python: command not found/,
    );
    expect(await kubectl('describe', 'pods', '-l', 'job-name=missing')).toMatch(
      /Message: .*no-such-python: command not found/,
    );
  });

  test('exit 1 with a traceback', { timeout: TEST_MS }, async () => {
    const seen = await failing('trace');
    for (const screen of [seen.run, seen.pods]) {
      expect(screen).toContain('exit code 1');
      expect(screen).toContain('KeyError: 7');
    }
    expect(seen.run).toContain('  File "a.py", line 3, in <module>');
    expect(seen.run).toMatch(/See why: .*muster.* logs trace --index \d --attempt 1/);
    expect(seen.logs).toMatchObject({ code: 0, screen: expect.stringContaining('KeyError: 7') as string });
    if (!hasKubectl) return;
    expect(await kubectl('describe', 'job', 'trace')).toMatch(/Warning +PodFailed .*exit code 1/);
  });

  test('killed by its deadline', { timeout: TEST_MS }, async () => {
    const seen = await failing('late');
    const cause = 'DeadlineExceeded: Job was active longer than specified deadline';
    for (const screen of [seen.run, seen.pods]) expect(screen).toContain(cause);
    expect(seen.logs.screen).toContain('loading');
    if (!hasKubectl) return;
    expect(await kubectl('describe', 'job', 'late')).toContain('DeadlineExceeded');
  });

  test('the first failure is shown while the Job goes on', { timeout: TEST_MS }, async () => {
    const { hand, over } = aUserOf(local).start(
      'again',
      shellJob('again', 'echo not yet; exit 3', { ...indexed(1, 1), backoffLimit: 6 }),
    );
    const told = 'again index 0, attempt 1 failed: exit code 3\n  not yet\n';
    await eventually(
      () => (hand.out().includes(told) ? true : null),
      () => hand.out(),
    );
    hand.interrupt('SIGINT');
    expect(await over).toBe(130);
    await local.kube.remove('again');
  });
});
