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
import { createStsTokenVerifier } from '../../shared/adapters/aws/sts/sts-token-verifier.ts';
import { bearerOf } from '../../shared/domain/token/bearer.ts';
import type { User } from '../../shared/domain/rbac/policy.ts';
import { aWorld } from '../kube/a-world.ts';
import { DEBIAN } from '../kubectl/kubectls.ts';
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
  kubectl: has('kubectl', 'version', '--client'),
  python: has(PYTHON, '-c', 'import kubernetes'),
};
const inCi = (process.env['CI'] ?? '') !== '';
if (!there.openssl && !inCi) console.warn('SKIPPED: there is no openssl, which makes a certificate');

test.runIf(inCi)('CI has openssl, kubectl, and the Python client', () => {
  expect(there).toEqual({ openssl: true, kubectl: true, python: true });
});

describe.runIf(there.openssl)('a kubeconfig with muster token', () => {
  const seen: User[] = [];
  let stop = (): void => undefined;

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
    const { app } = await aWorld({
      async authenticate(c) {
        const verdict = await verify(bearerOf(c.req.header('authorization')) ?? '');
        if (verdict.kind !== 'user') return { kind: 'refused' };
        seen.push(verdict.user);
        return verdict;
      },
    });
    const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
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

  test.runIf(there.kubectl)('is what kubectl needs, once a command', async () => {
    const { stdout, stderr } = await run('kubectl', ['--kubeconfig', kubeconfig, 'get', 'jobs', '-o', 'name'], { env });
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
    expect(everybodySeen()).toEqual(ROLE);
    const wrong = { ...env, AWS_SECRET_ACCESS_KEY: 'guessed' };
    await expect(run('kubectl', ['--kubeconfig', kubeconfig, 'get', 'jobs'], { env: wrong })).rejects.toThrow(
      /must be logged in to the server/,
    );
  });

  test.runIf(there.kubectl)('asks for v1beta1 where the file does', async () => {
    const older = join(home, 'older');
    writeFileSync(older, readFileSync(kubeconfig, 'utf8').replace('k8s.io/v1\n', 'k8s.io/v1beta1\n'), { mode: 0o600 });
    await run('kubectl', ['--kubeconfig', older, 'get', 'jobs', '-o', 'name'], { env });
    expect(everybodySeen()).toEqual(ROLE);
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
