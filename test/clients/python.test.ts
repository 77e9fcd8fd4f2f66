import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ALocalRuntime, aLocalRuntime } from '../e2e/a-local-runtime.ts';
import { PATIENCE_MS, TEST_MS, eventually, shellJob } from '../e2e/kube-calls.ts';
import { DEBIAN } from '../kubectl/kubectls.ts';
import { isVerifying } from '../verify/verifying.ts';

/** Debian's own, whatever other Python comes first on the PATH: the module is a package of Debian's. */
const PYTHON = '/usr/bin/python3';
const env = { PYTHONPATH: join(DEBIAN, 'usr/lib/python3/dist-packages'), HOME: '/nonexistent', PATH: '/usr/bin:/bin' };
const hasClient = spawnSync(PYTHON, ['-c', 'import kubernetes'], { env, stdio: 'ignore' }).status === 0;
if (!hasClient && !isVerifying) console.warn('SKIPPED: there is no python3-kubernetes; .ci/install-debian gets it');

test.runIf(isVerifying)("CI has Debian's python3-kubernetes", () => {
  expect(hasClient).toBe(true);
});

describe.runIf(hasClient)("Debian's python3-kubernetes", { timeout: TEST_MS }, () => {
  let local: ALocalRuntime;
  beforeAll(async () => {
    local = await aLocalRuntime({ store: 'memory' });
  }, PATIENCE_MS);
  afterAll(async () => local.close());

  test('create, list, watch to completion, logs, patch, replace, delete, and any kind by discovery', async () => {
    const args = [join(import.meta.dirname, 'session.py'), local.runtime.kubeconfig];
    const { stdout } = await promisify(execFile)(PYTHON, args, { env, timeout: PATIENCE_MS });
    expect(JSON.parse(stdout)).toEqual({
      run: {
        listed: ['sums'],
        kinds: expect.arrayContaining(['ADDED']) as unknown,
        succeeded: 3,
        indexes: '0-2',
        phases: ['Succeeded'],
        logs: ['index 0\n', 'index 1\n', 'index 2\n'],
        followed: 1,
      },
      change: { suspended: true, label: 'maths', same_spec: true },
      remove: { missing: [404, 'NotFound'], pods: 0 },
      any: { made: 'any', label: 'b', listed: ['any'], event: 'ADDED' },
    });
  });

  test('a session with a Pod: what it prints, what it is sent, its exit code, and its port', async () => {
    const server = "require('node:http').createServer((_, a) => a.end()).listen(8080, process.env.MUSTER_ADDRESS)";
    writeFileSync(join(local.workspaceDir, 'server.cjs'), server);
    await local.kube.create(shellJob('server', `exec "${process.execPath}" server.cjs`));
    const pod = await eventually(
      async () => {
        const [first] = await local.kube.pods('server');
        return first?.status.phase === 'Running' ? first.metadata.name : null;
      },
      () => 'it does not run',
    );
    const args = [join(import.meta.dirname, 'sessions.py'), local.runtime.kubeconfig, pod, '8080'];
    const { stdout } = await promisify(execFile)(PYTHON, args, { env, timeout: PATIENCE_MS });
    expect(JSON.parse(stdout)).toEqual({
      run: 'out\n',
      talk: { out: 'got a line\n', err: 'wrong\n', code: 4 },
      forward: { status: 'HTTP/1.1 200 OK', error: null },
    });
  });
});
