import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../cli/program/program.ts';
import { aShell } from '../../cli/a-shell.ts';
import { type ALocalRuntime, aLocalRuntime } from '../a-local-runtime.ts';
import { JOBS, TEST_MS, eventually, indexed, linesOf, shellJob } from '../kube-calls.ts';

// Three ways in which a Job fails, with real processes: its cause is in the first screen of whatever one looks at.

let local: ALocalRuntime;
beforeAll(async () => {
  local = await aLocalRuntime();
});
afterAll(async () => local.close());

const SCREEN = { columns: 120, rows: 24 };

async function muster(line: string): Promise<{ code: number; screen: string; err: string }> {
  const hand = aShell({ cwd: local.root });
  const args = ['--kubeconfig', join(local.dataDir, 'kubeconfig'), ...line.split(' ')];
  const code = await runCommandLine(args, hand.shell);
  return { code, screen: firstScreen(hand.out()), err: hand.err() };
}

const firstScreen = (text: string): string => text.split('\n').slice(0, SCREEN.rows).join('\n');

/** The runtime is in this process: a test that waits for kubectl must let it answer. */
const kubectl = async (...args: readonly string[]): Promise<string> =>
  promisify(execFile)('kubectl', ['--kubeconfig', join(local.dataDir, 'kubeconfig'), ...args], {
    env: { PATH: process.env['PATH'], HOME: local.root },
  }).then(({ stdout }) => stdout);
const hasKubectl = await promisify(execFile)('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);

const start = (name: string, manifest: object) => {
  const file = join(local.root, `${name}.json`);
  writeFileSync(file, JSON.stringify(manifest));
  const hand = aShell({ cwd: local.root });
  const args = ['--kubeconfig', join(local.dataDir, 'kubeconfig'), 'run', '-f', file, '--wait'];
  return { hand, over: runCommandLine(args, hand.shell) };
};

/** Runs a Job to its end, and says what one sees then. `meanwhile`: once it runs. */
async function failing(name: string, manifest: object, meanwhile: () => Promise<void> = async () => undefined) {
  const { hand, over } = start(name, manifest);
  await meanwhile();
  expect(await over).toBe(1);
  return {
    run: firstScreen(hand.out()),
    pods: (await muster(`get pods ${name}`)).screen,
    logs: await muster(`logs ${name}`),
    doctor: await muster(`doctor ${name}`),
  };
}

const TRACEBACK = `printf 'Traceback (most recent call last):\\n  File "a.py", line 3, in <module>\\nKeyError: 7\\n' >&2; exit 1`;

describe('a failed Job tells its cause', () => {
  test('program not found', { timeout: TEST_MS }, async () => {
    const containers = [{ name: 'main', image: 'busybox', command: ['no-such-python', 'a.py'] }];
    const seen = await failing(
      'missing',
      shellJob('missing', '', { ...indexed(3, 3), backoffLimit: 0 }, { containers }),
    );
    const cause = 'StartError: no-such-python: command not found; looked in PATH ';
    expect(seen.run).toContain(cause);
    expect(seen.pods).toContain(cause);
    expect(seen.pods).toMatch(/missing-\d-\w{5} +\d +1 +StartError +128/);
    expect(seen.doctor).toMatchObject({ code: 1, screen: expect.stringContaining(cause) as string });
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
    const seen = await failing('trace', shellJob('trace', TRACEBACK, { ...indexed(3, 3), backoffLimit: 0 }));
    for (const screen of [seen.run, seen.pods, seen.doctor.screen]) {
      expect(screen).toContain('exit code 1');
      expect(screen).toContain('KeyError: 7');
    }
    expect(seen.run).toContain('  File "a.py", line 3, in <module>');
    expect(seen.run).toMatch(/See why: .*muster.* logs trace --index \d --attempt 1/);
    expect(seen.doctor.code).toBe(1);
    expect(seen.logs).toMatchObject({ code: 0, screen: expect.stringContaining('KeyError: 7') as string });
    if (!hasKubectl) return;
    expect(await kubectl('describe', 'job', 'trace')).toMatch(/Warning +PodFailed .*exit code 1/);
  });

  test('killed by its deadline', { timeout: TEST_MS }, async () => {
    const script = 'echo loading; echo begun >> "$MUSTER_WORKSPACE/late"; exec sleep 1000';
    const seen = await failing('late', shellJob('late', script, indexed(2, 2)), async () => {
      const begun = () => linesOf(local.workspaceDir, 'late');
      await eventually(
        () => (begun().length === 2 ? true : null),
        () => begun().join(),
      );
      const answer = await fetch(`${local.runtime.url}${JOBS}/late`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ spec: { activeDeadlineSeconds: 1 } }),
      });
      expect(answer.status).toBe(200);
    });
    const cause = 'DeadlineExceeded: Job was active longer than specified deadline';
    for (const screen of [seen.run, seen.pods, seen.doctor.screen]) expect(screen).toContain(cause);
    expect(seen.doctor).toMatchObject({ code: 1, screen: expect.stringContaining('activeDeadlineSeconds') as string });
    expect(seen.logs.screen).toContain('loading');
    if (!hasKubectl) return;
    expect(await kubectl('describe', 'job', 'late')).toContain('DeadlineExceeded');
  });

  test('the first failure is shown while the Job goes on', { timeout: TEST_MS }, async () => {
    const { hand, over } = start(
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
