import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { BatchV1Api, KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { execUser } from '../../cli/client/exec-user.ts';
import { reconcileBatch } from '../../shared/control/reconcile/reconcile.ts';
import { createStsTokenVerifier } from '../../shared/adapters/aws/sts/sts-token-verifier.ts';
import { bearerOf } from '../../shared/domain/token/bearer.ts';
import type { User } from '../../shared/domain/rbac/policy.ts';
import { type World, aWorld } from '../kube/a-world.ts';
import { DEBIAN, gapsOf, recentKubectls, findKubectls } from '../kubectl/kubectls.ts';
import { CLUSTER, REGION } from './a-token.ts';
import { ACCOUNT, OPS, fakeSts } from './fake-sts.ts';

// What `muster kubeconfig` writes for a deployment, as clients read it: they run `muster token`, and only over TLS send what it prints.

const PROGRAM = join(import.meta.dirname, '../../dist/muster.mjs');
const PYTHON = '/usr/bin/python3';
const run = promisify(execFile);
const home = mkdtempSync(join(tmpdir(), 'muster-token-'));
const [keyFile, certFile, kubeconfig] = ['key.pem', 'cert.pem', 'kubeconfig'].map((name) => join(home, name)) as [
  string,
  string,
  string,
];
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  PYTHONPATH: join(DEBIAN, 'usr/lib/python3/dist-packages'),
  AWS_ACCESS_KEY_ID: OPS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: OPS.secretAccessKey,
  AWS_SESSION_TOKEN: OPS.sessionToken ?? '',
};
const has = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { env, stdio: 'ignore' }).status === 0;
const there = {
  openssl: has('openssl', 'version'),
  python: has(PYTHON, '-c', 'import kubernetes'),
};
const kubectls = recentKubectls();
/** It reads the older form only. */
const oldKubectl = findKubectls().find(({ isDebians }) => isDebians);
const inCi = (process.env['CI'] ?? '') !== '';
if (!there.openssl && !inCi) console.warn('SKIPPED: there is no openssl, which makes a certificate');

test.runIf(inCi)('CI has openssl, kubectls, and the Python client', () => {
  expect(there).toEqual({ openssl: true, python: true });
  expect(gapsOf(kubectls.concat(oldKubectl ?? []))).toEqual([]);
});

describe.runIf(there.openssl)('a kubeconfig with muster token', () => {
  const seen: User[] = [];
  let stop = (): void => undefined;
  let world: World;

  beforeAll(async () => {
    const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    await run('openssl', [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      keyFile,
      '-out',
      certFile,
      ...subject,
    ]);
    const verify = createStsTokenVerifier({
      region: REGION,
      clusterId: CLUSTER,
      admission: { accounts: [ACCOUNT], admins: [] },
      now: () => Date.now(),
      send: fakeSts({ nowMs: () => Date.now() }).send,
    });
    world = await aWorld({
      async authenticate(c) {
        const verdict = await verify(bearerOf(c.req.header('authorization')) ?? '');
        if (verdict.kind !== 'user') return { kind: 'refused' };
        seen.push(verdict.user);
        return verdict;
      },
    });
    const listener = getRequestListener(world.app.fetch, { overrideGlobalObjects: false });
    const tls = { key: readFileSync(keyFile), cert: readFileSync(certFile) };
    const server = createServer(tls, (request, response) => void listener(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stop = () => void server.close();
    const name = 'muster';
    const at = { clusterId: CLUSTER, region: REGION, profile: null };
    writeFileSync(
      kubeconfig,
      stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name,
            cluster: {
              server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
              'certificate-authority': certFile,
            },
          },
        ],
        users: [{ name, user: execUser([process.execPath, PROGRAM], at) }],
        contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
        'current-context': name,
      }),
      { mode: 0o600 },
    );
  });
  afterAll(() => {
    stop();
    rmSync(home, { recursive: true });
  });

  const everybodySeen = (): readonly string[] => [...new Set(seen.splice(0).map(({ username }) => username))];
  const ROLE = [`arn:aws:iam::${ACCOUNT}:role/ops`];

  test.each(kubectls.map(({ name, path }) => [name, path]))('is what kubectl %s needs', async (_, kubectl) => {
    const { stdout, stderr } = await run(kubectl, ['--kubeconfig', kubeconfig, 'get', 'jobs', '-o', 'name'], { env });
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    expect(everybodySeen()).toEqual(ROLE);
    const wrong = { ...env, AWS_SECRET_ACCESS_KEY: 'guessed' };
    await expect(run(kubectl, ['--kubeconfig', kubeconfig, 'get', 'jobs'], { env: wrong })).rejects.toThrow(
      /must be logged in to the server/,
    );
  });

  test.runIf(oldKubectl !== undefined)('asks for v1beta1 where the file does, as an old kubectl must', async () => {
    const older = join(home, 'older');
    writeFileSync(older, readFileSync(kubeconfig, 'utf8').replace('k8s.io/v1\n', 'k8s.io/v1beta1\n'), { mode: 0o600 });
    await run(oldKubectl!.path, ['--kubeconfig', older, 'get', 'jobs', '-o', 'name'], { env });
    expect(everybodySeen()).toEqual(ROLE);
  });

  test.runIf(kubectls.length > 0)('lets `kubectl describe` say who has suspended a Job', async () => {
    const kubectl = async (...args: readonly string[]): Promise<string> =>
      (await run(kubectls.at(-1)!.path, ['--kubeconfig', kubeconfig, ...args], { env })).stdout;
    await kubectl('create', 'job', 'sums', '--image=busybox', '--', 'true');
    await kubectl('patch', 'job', 'sums', '-p', '{"spec":{"suspend":true}}');
    await reconcileBatch([{ uid: await world.uidOf('sums'), facts: [] }], world.deps);
    expect(await kubectl('describe', 'job', 'sums')).toMatch(
      new RegExp(`Normal +Suspended .* Job suspended by ${ROLE[0]}\n`),
    );
    await kubectl('delete', 'job', 'sums', '--wait=false');
    everybodySeen();
  });

  test.runIf(there.python)('is what the Python client needs', async () => {
    const program = [
      'import sys',
      'from kubernetes import client, config',
      'config.load_kube_config(sys.argv[1])',
      'print(len(client.BatchV1Api().list_namespaced_job("default").items))',
    ].join('\n');
    const { stdout } = await run(PYTHON, ['-c', program, kubeconfig], { env });
    expect(stdout).toBe('0\n');
    expect(everybodySeen()).toEqual(ROLE);
  });

  test('is what the JavaScript client needs', async () => {
    const read = parse(readFileSync(kubeconfig, 'utf8')) as { users: { user: { exec: { env?: object[] } } }[] };
    read.users[0]!.user.exec.env = Object.entries(env).map(([name, value]) => ({ name, value }));
    const config = new KubeConfig();
    config.loadFromString(stringify(read));
    const { items } = await config.makeApiClient(BatchV1Api).listNamespacedJob({ namespace: 'default' });
    expect(items).toEqual([]);
    expect(everybodySeen()).toEqual(ROLE);
  });
});
