import type { User } from '../../shared/domain/callers/user.ts';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { stringify } from 'yaml';
import { execUser } from '../../cli/client/exec-user.ts';
import { createStsTokenVerifier } from '../../shared/adapters/aws/sts/sts-token-verifier.ts';
import { bearerOf } from '../../shared/domain/token/bearer.ts';
import { type World, aWorld } from '../kube/a-world.ts';
import { DEBIAN } from '../kubectl/kubectls.ts';
import { CLUSTER, REGION } from './a-token.ts';
import { ACCOUNT, OPS, fakeSts } from './fake-sts.ts';

const PROGRAM = join(import.meta.dirname, '../../dist/muster.mjs');
const run = promisify(execFile);

const OPENSSL = 'openssl';
/** Certificates are made by it. */
export const hasOpenssl = (): boolean => spawnSync(OPENSSL, ['version'], { stdio: 'ignore' }).status === 0;

/** The API behind TLS, whose callers send what `muster token` prints, and a kubeconfig that says so. */
export type TlsApi = {
  readonly world: World;
  /** A folder for files of the test. */
  readonly home: string;
  readonly kubeconfig: string;
  /** For the client: the credentials of a role are in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of the users that were let in since the last call. */
  readonly everybodySeen: () => readonly string[];
  readonly stop: () => void;
};

/** The user that {@link TlsApi.env} makes of a client. */
export const ROLE = `arn:aws:iam::${ACCOUNT}:role/ops`;

export async function aTlsApi(): Promise<TlsApi> {
  const home = mkdtempSync(join(tmpdir(), 'muster-token-'));
  const [keyFile, certFile, kubeconfig] = ['key.pem', 'cert.pem', 'kubeconfig'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  await certify(keyFile, certFile);
  const seen: User[] = [];
  const verify = createStsTokenVerifier({
    region: REGION,
    clusterId: CLUSTER,
    admission: { accounts: [ACCOUNT], admins: [] },
    now: () => Date.now(),
    send: fakeSts({ nowMs: () => Date.now() }).send,
  });
  const world = await aWorld({
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
  writeFileSync(kubeconfig, kubeconfigOf((server.address() as AddressInfo).port, certFile), { mode: 0o600 });
  return {
    world,
    home,
    kubeconfig,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      PYTHONPATH: join(DEBIAN, 'usr/lib/python3/dist-packages'),
      AWS_ACCESS_KEY_ID: OPS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: OPS.secretAccessKey,
      AWS_SESSION_TOKEN: OPS.sessionToken ?? '',
    },
    everybodySeen: () => [...new Set(seen.splice(0).map(({ username }) => username))],
    stop() {
      server.close();
      rmSync(home, { recursive: true });
    },
  };
}

async function certify(keyFile: string, certFile: string): Promise<void> {
  const files = ['-keyout', keyFile, '-out', certFile];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  await run(OPENSSL, ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject]);
}

function kubeconfigOf(port: number, certFile: string): string {
  const name = 'muster';
  const at = { clusterId: CLUSTER, region: REGION, profile: null };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': certFile } }],
    users: [{ name, user: execUser([process.execPath, PROGRAM], at) }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  });
}
