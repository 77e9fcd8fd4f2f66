import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BatchV1Api, KubeConfig } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { authenticateUsers } from '../../../local/users/authenticate-users.ts';
import { DEBIAN } from '../../kubectl/kubectls.ts';
import { aServer } from '../a-server.ts';

const USERS = 'k/m@token?,kim,1001,"dev,ops"\nlees-token,lee,1002\n';
const [KIM, LEE] = [
  { token: 'k/m@token?', username: 'kim', groups: ['dev'] },
  { token: 'lees-token', username: 'lee', groups: [] },
];

async function aServerWithUsers() {
  const server = await aServer({ authenticate: authenticateUsers([KIM, LEE]) });
  server.file('users.csv', USERS);
  chmodSync(join(server.dir, 'users.csv'), 0o600);
  return server;
}

const clients = {
  kubectl: spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0,
  python:
    spawnSync('/usr/bin/python3', ['-c', 'import kubernetes'], { env: pythonPath(), stdio: 'ignore' }).status === 0,
};
function pythonPath() {
  return { PYTHONPATH: join(DEBIAN, 'usr/lib/python3/dist-packages'), HOME: '/nonexistent', PATH: '/usr/bin:/bin' };
}

test('the kubeconfig of nobody says so, and one of a user is printed from the file', async () => {
  const { run, dir, url } = await aServerWithUsers();
  expect(await run('get')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Unauthorized (the kubeconfig .muster/kubeconfig has no token)') as string,
  });
  expect((await run('kubeconfig --users users.csv --user kim -o kim')).code).toBe(0);
  expect(parse(readFileSync(join(dir, 'kim'), 'utf8'))).toMatchObject({
    clusters: [{ cluster: { server: url.replace('://', '://muster:k%2Fm%40token%3F@') } }],
    users: [{ user: { token: 'k/m@token?' } }],
  });
  expect(await run('--kubeconfig kim get')).toMatchObject({ code: 0 });
  const again = (await run('--kubeconfig kim kubeconfig')).out;
  expect(parse(again)).toEqual(parse(readFileSync(join(dir, 'kim'), 'utf8')));
});

describe('the kubeconfig of a user', () => {
  test.runIf(clients.kubectl)('works for kubectl, which sends no token over plain http', async () => {
    const { run, dir, requests } = await aServerWithUsers();
    await run('kubeconfig --users users.csv --user kim -o kim');
    const args = ['--kubeconfig', join(dir, 'kim'), 'get', 'jobs', '-o', 'name'];
    const { stdout } = await promisify(execFile)('kubectl', args, { env: { ...process.env, HOME: dir } });
    expect(stdout).toBe('');
    expect(requests.length).toBeGreaterThan(0);
    const nobody = ['--kubeconfig', join(dir, '.muster/kubeconfig'), 'get', 'jobs'];
    await expect(promisify(execFile)('kubectl', nobody, { env: { ...process.env, HOME: dir } })).rejects.toThrow(
      /must be logged in to the server|Unauthorized/,
    );
  });

  test('works for the JavaScript client', async () => {
    const { run } = await aServerWithUsers();
    const { out } = await run('kubeconfig --users users.csv --user lee');
    const config = new KubeConfig();
    config.loadFromString(out.replace(/(server: .*)/, '$1\n      insecure-skip-tls-verify: true'));
    const { items } = await config.makeApiClient(BatchV1Api).listNamespacedJob({ namespace: 'default' });
    expect(items).toEqual([]);
  });

  test.runIf(clients.python)('works for the Python client', async () => {
    const { run, dir } = await aServerWithUsers();
    await run('kubeconfig --users users.csv --user kim -o kim');
    const program = [
      'import sys',
      'from kubernetes import client, config',
      'config.load_kube_config(sys.argv[1])',
      'print(len(client.BatchV1Api().list_namespaced_job("default").items))',
    ].join('\n');
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', program, join(dir, 'kim')], {
      env: pythonPath(),
    });
    expect(stdout).toBe('0\n');
  });
});

test.each<[string, number, string]>([
  ['kubeconfig --users users.csv', 2, '--users and --user need each other'],
  ['kubeconfig --users users.csv --user max', 2, 'users.csv names no user max, but kim, lee'],
  ['kubeconfig --users nowhere --user kim', 2, '--users: ENOENT'],
  [
    'kubeconfig --users users.csv --user kim --server http://127.0.0.1:1',
    2,
    '--users is for the server that runs here',
  ],
  ['local --kubeconfig-user kim', 2, '--kubeconfig-user needs --users'],
  ['local --users open.csv', 1, '--users open.csv: others can read it (mode 0644): run chmod 600 on it'],
  ['local --users bad.csv', 1, 'error: --users bad.csv: line 1: it must have a token'],
  ['local --detach --users bad.csv', 1, 'error: --users bad.csv: line 1: it must have a token'],
  ['local --users users.csv --kubeconfig-user max', 2, 'users.csv names no user max'],
])('%s: refused', async (line, code, expected) => {
  const { run, file, dir } = await aServerWithUsers();
  file('open.csv', USERS);
  file('bad.csv', 'kim\n');
  chmodSync(join(dir, 'open.csv'), 0o644);
  chmodSync(join(dir, 'bad.csv'), 0o600);
  const answer = await run(line);
  expect(answer.err).toContain(expected);
  expect(answer).toMatchObject({ code, out: '' });
});
