import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { createStsTokenVerifier } from '../../../shared/adapters/aws/sts/sts-token-verifier.ts';
import { urlIn } from '../../token/a-token.ts';
import { ACCOUNT, OPS, fakeSts } from '../../token/fake-sts.ts';
import { aServer } from '../a-server.ts';

const API = 'https://a1b2c3.execute-api.eu-west-1.amazonaws.com/k8s';
const NOW_MS = Date.UTC(2026, 10, 25, 15, 8, 46);

/** Credentials as the SDK's chain finds them, and nowhere else. */
function withCredentials(variables: Readonly<Record<string, string>>): void {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  const found = {
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/nonexistent',
    AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
    ...variables,
  };
  for (const [name, value] of Object.entries(found)) vi.stubEnv(name, value);
}
const OPS_KEYS = {
  AWS_ACCESS_KEY_ID: OPS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: OPS.secretAccessKey,
  AWS_SESSION_TOKEN: OPS.sessionToken ?? '',
};

type Credential = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
};

describe('muster token', () => {
  test.each([
    [`token --server ${API}`, {}],
    ['token', { MUSTER_SERVER: API }],
    ['token --cluster muster/a1b2c3 --region eu-west-1', {}],
    ['token --cluster muster/a1b2c3', { AWS_REGION: 'eu-west-1' }],
    ['token --server https://jobs.example.org --cluster muster/a1b2c3', { AWS_DEFAULT_REGION: 'eu-west-1' }],
  ])('%s %j: signed for the cluster, in its Region, for 14 minutes', async (line, env) => {
    const { run, requests } = await aServer();
    withCredentials(OPS_KEYS);
    const { code, out, err } = await run(line, { env, now: () => NOW_MS });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const credential = JSON.parse(out) as Credential;
    expect(credential).toEqual({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      spec: {},
      status: { token: credential.status.token, expirationTimestamp: '2026-11-25T15:22:46Z' },
    });
    expect(urlIn(credential.status.token)).toMatch(
      /^https:\/\/sts\.eu-west-1\.amazonaws\.com\/\?Action=GetCallerIdentity&/,
    );
    const verify = createStsTokenVerifier({
      region: 'eu-west-1',
      clusterId: 'muster/a1b2c3',
      admission: { accounts: [ACCOUNT], admins: [] },
      now: () => NOW_MS,
      send: fakeSts({ nowMs: () => NOW_MS }).send,
    });
    expect(await verify(credential.status.token)).toMatchObject({
      kind: 'user',
      user: { username: `arn:aws:iam::${ACCOUNT}:role/ops` },
    });
    expect(requests).toEqual([]);
  });

  test.each(['v1', 'v1beta1'])('answers in the version that the client asks for: %s', async (version) => {
    const { run } = await aServer();
    withCredentials(OPS_KEYS);
    const apiVersion = `client.authentication.k8s.io/${version}`;
    const info = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { interactive: false } });
    const { out } = await run(`token --server ${API}`, { env: { KUBERNETES_EXEC_INFO: info } });
    expect(JSON.parse(out)).toMatchObject({ apiVersion });
  });

  test('says what to do without credentials', async () => {
    withCredentials({});
    const { code, out, err } = await (await aServer()).run(`token --server ${API}`);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('there are no AWS credentials to sign a token with');
    expect(err).toContain('`aws sso login`');
  });

  test.each<[string, Record<string, string>, number, string]>([
    ['token', {}, 2, 'no cluster given: set --cluster to the output TokenCluster'],
    ['token --server https://jobs.example.org', {}, 2, 'no cluster given'],
    ['token --cluster a1b2c3', {}, 2, 'It must be the output TokenCluster, such as muster/a1b2c3.'],
    ['kubeconfig --cluster my-eks-cluster', {}, 2, 'It must be the output TokenCluster'],
    ['token --cluster muster/a1b2c3', {}, 2, "no Region given: set --region to the deployment's"],
    [
      'token --cluster muster/a --region b',
      { KUBERNETES_EXEC_INFO: '{"apiVersion":"client.authentication.k8s.io/v1alpha1"}' },
      1,
      'KUBERNETES_EXEC_INFO asks for another version than client.authentication.k8s.io/v1 or',
    ],
    [
      'token --cluster muster/a --region b',
      { KUBERNETES_EXEC_INFO: 'v1' },
      1,
      'KUBERNETES_EXEC_INFO asks for another version',
    ],
  ])('%s %j: refused', async (line, env, exitCode, expected) => {
    const { code, out, err } = await (await aServer()).run(line, { env });
    expect(err).toContain(expected);
    expect({ code, out }).toEqual({ code: exitCode, out: '' });
  });

  test('has examples', async () => {
    const { code, out } = await (await aServer()).run('token --help');
    expect(code).toBe(0);
    expect(out).toContain('Examples:\n  muster token ');
    expect(Math.max(...out.split('\n').map((each) => each.length))).toBeLessThanOrEqual(110);
  });
});

describe('muster kubeconfig for a deployment', () => {
  const user = (extra: object = {}) => ({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'muster',
      args: ['token', '--cluster', 'muster/a1b2c3', '--region', 'eu-west-1'],
      ...extra,
      interactiveMode: 'Never',
      provideClusterInfo: false,
      installHint: 'muster is not installed: npm install -g muster-jobs',
    },
  });

  test('lets clients run muster token', async () => {
    const { run, requests } = await aServer();
    const { code, out, err } = await run(`kubeconfig --server ${API}/ -n team`);
    expect(code).toBe(0);
    expect(parse(out)).toMatchObject({
      clusters: [{ cluster: { server: API } }],
      users: [{ name: 'muster', user: user() }],
      contexts: [{ context: { namespace: 'team', user: 'muster' } }],
    });
    expect(err).toBe('For a deployment with `auth=token`. With `auth=iam`, run `muster proxy` instead.\n');
    expect(requests).toEqual([]);
  });

  test('at a name of your own, with a profile', async () => {
    const line =
      'kubeconfig --server https://jobs.example.org --cluster muster/a1b2c3 --region eu-west-1 --profile work';
    const { out, err } = await (await aServer()).run(line);
    expect(err).toBe('');
    expect(parse(out)).toMatchObject({
      clusters: [{ cluster: { server: 'https://jobs.example.org' } }],
      users: [{ user: user({ env: [{ name: 'AWS_PROFILE', value: 'work' }] }) }],
    });
  });

  test('in a checkout, where muster is no command, by the files of this program', async () => {
    const { out } = await (await aServer()).run(`kubeconfig --server ${API}`, { env: { npm_lifecycle_event: 'npx' } });
    expect(parse(out)).toMatchObject({
      users: [{ user: { exec: { command: process.execPath, args: [process.argv[1], ...user().exec.args] } } }],
    });
  });

  test.each([
    ['kubeconfig --server http://127.0.0.1:8001 --cluster muster/a1b2c3', 'clients send no token over plain http'],
    [
      'kubeconfig --server https://jobs.example.org --cluster muster/a1b2c3',
      'does not include its Region: set --region',
    ],
  ])('%s: exit 2', async (line, expected) => {
    const { code, out, err } = await (await aServer()).run(line);
    expect(err).toContain(expected);
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });

  test('muster itself uses it, too, and signs in its own process', async () => {
    const seen: (string | undefined)[] = [];
    const { run, file, url } = await aServer({
      intercept(request) {
        seen.push(request.headers.authorization);
        return false;
      },
    });
    withCredentials(OPS_KEYS);
    const there = (await run(`kubeconfig --server ${API}`)).out.replace(API, url);
    file('aws', there);
    const { code, err } = await run('--kubeconfig aws get');
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(1);
    expect(urlIn(seen[0]!.replace('Bearer ', ''))).toMatch(/^https:\/\/sts\.eu-west-1\.amazonaws\.com\//);
    expect((await run('--kubeconfig aws kubeconfig')).out).toContain('muster/a1b2c3');
  });
});
