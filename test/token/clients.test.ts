import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BatchV1Api, KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { reconcileBatch } from '../../shared/control/reconcile/reconcile.ts';
import { DEBIAN, findKubectls, gapsOf, recentKubectls } from '../kubectl/kubectls.ts';
import { ROLE, type TlsApi, aTlsApi, hasOpenssl } from './a-tls-api.ts';
import { isVerifying } from '../verify/verifying.ts';

// What `muster kubeconfig` writes for a deployment, as clients read it: they run `muster token`, and only over TLS send what it prints.

const PYTHON = '/usr/bin/python3';
const execute = promisify(execFile);
const env = { ...process.env, PYTHONPATH: join(DEBIAN, 'usr/lib/python3/dist-packages') };
const there = {
  openssl: hasOpenssl(),
  python: spawnSync(PYTHON, ['-c', 'import kubernetes'], { env, stdio: 'ignore' }).status === 0,
};
const kubectls = recentKubectls();
/** It reads the older form only. */
const oldKubectl = findKubectls().find(({ isDebians }) => isDebians);
if (!there.openssl && !isVerifying) console.warn('SKIPPED: there is no openssl, which makes a certificate');

test.runIf(isVerifying)('CI has openssl, kubectls, and the Python client', () => {
  expect(there).toEqual({ openssl: true, python: true });
  expect(gapsOf(kubectls.concat(oldKubectl ?? []))).toEqual([]);
});

describe.runIf(there.openssl)('a kubeconfig with muster token', () => {
  let api: TlsApi;
  beforeAll(async () => {
    api = await aTlsApi();
  });
  afterAll(() => api?.stop());

  const run = async (program: string, args: readonly string[], env = api.env) => execute(program, args, { env });

  test.each(kubectls.map(({ name, path }) => [name, path]))('is what kubectl %s needs', async (_, kubectl) => {
    const { stdout, stderr } = await run(kubectl, ['--kubeconfig', api.kubeconfig, 'get', 'jobs', '-o', 'name']);
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    expect(api.everybodySeen()).toEqual([ROLE]);
    const wrong = { ...api.env, AWS_SECRET_ACCESS_KEY: 'guessed' };
    await expect(run(kubectl, ['--kubeconfig', api.kubeconfig, 'get', 'jobs'], wrong)).rejects.toThrow(
      /must be logged in to the server/,
    );
  });

  test.runIf(oldKubectl !== undefined)('asks for v1beta1 where the file does, as an old kubectl must', async () => {
    const older = join(api.home, 'older');
    writeFileSync(older, readFileSync(api.kubeconfig, 'utf8').replace('k8s.io/v1\n', 'k8s.io/v1beta1\n'), {
      mode: 0o600,
    });
    await run(oldKubectl!.path, ['--kubeconfig', older, 'get', 'jobs', '-o', 'name']);
    expect(api.everybodySeen()).toEqual([ROLE]);
  });

  test.runIf(kubectls.length > 0)('lets `kubectl describe` say who has suspended a Job', async () => {
    const kubectl = async (...args: readonly string[]): Promise<string> =>
      (await run(kubectls.at(-1)!.path, ['--kubeconfig', api.kubeconfig, ...args])).stdout;
    await kubectl('create', 'job', 'sums', '--image=busybox', '--', 'true');
    await kubectl('patch', 'job', 'sums', '-p', '{"spec":{"suspend":true}}');
    await reconcileBatch([{ uid: await api.world.uidOf('sums'), facts: [] }], api.world.deps);
    expect(await kubectl('describe', 'job', 'sums')).toMatch(
      new RegExp(`Normal +Suspended .* Job suspended by ${ROLE}\n`),
    );
    await kubectl('delete', 'job', 'sums', '--wait=false');
    api.everybodySeen();
  });

  test.runIf(there.python)('is what the Python client needs', async () => {
    const program = [
      'import sys',
      'from kubernetes import client, config',
      'config.load_kube_config(sys.argv[1])',
      'print(len(client.BatchV1Api().list_namespaced_job("default").items))',
    ].join('\n');
    const { stdout } = await run(PYTHON, ['-c', program, api.kubeconfig]);
    expect(stdout).toBe('0\n');
    expect(api.everybodySeen()).toEqual([ROLE]);
  });

  test('is what the JavaScript client needs', async () => {
    const read = parse(readFileSync(api.kubeconfig, 'utf8')) as { users: { user: { exec: { env?: object[] } } }[] };
    read.users[0]!.user.exec.env = Object.entries(api.env).map(([name, value]) => ({ name, value }));
    const config = new KubeConfig();
    config.loadFromString(stringify(read));
    const { items } = await config.makeApiClient(BatchV1Api).listNamespacedJob({ namespace: 'default' });
    expect(items).toEqual([]);
    expect(api.everybodySeen()).toEqual([ROLE]);
  });
});
