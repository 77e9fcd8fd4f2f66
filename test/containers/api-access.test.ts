import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Folders, someFolders } from '../e2e/a-local-runtime.ts';
import { killNow } from '../e2e/a-runtime-process.ts';
import { eventually, shellJob } from '../e2e/kube-calls.ts';
import { PATIENT, hasEngine } from './a-docker-runtime.ts';
import { type AnEngine, aNodeImage, anEngine } from './an-engine.ts';

const TREE = join(import.meta.dirname, '../..');
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What a client does in a cluster: the address, the authority, and the token are where it looks for them. Prints each status. */
const CLIENT = `
const { readFileSync } = require('node:fs');
const { get } = require('node:https');
const read = (name) => readFileSync('${FOLDER}/' + name, 'utf8');
const ask = (path, token = read('token')) => new Promise((resolve, reject) =>
  get({ host: process.env.KUBERNETES_SERVICE_HOST, port: process.env.KUBERNETES_SERVICE_PORT, ca: read('ca.crt'), path,
    headers: { authorization: 'Bearer ' + token } }, (answer) => { answer.resume(); resolve(answer.statusCode); }).on('error', reject));
(async () => {
  const home = '/namespaces/' + read('namespace');
  console.log('jobs', await ask('/apis/batch/v1' + home + '/jobs'));
  console.log('secrets', await ask('/api/v1' + home + '/secrets'));
  console.log('forged', await ask('/apis/batch/v1' + home + '/jobs', read('token') + 'x'));
})();`;

const READER = [
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'reader' } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'reads-jobs' },
    rules: [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] }],
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'reads-jobs' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reads-jobs' },
    subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
  },
];

const aJob = (name: string, command: readonly string[], pod: object = {}): object =>
  shellJob(
    name,
    '',
    { backoffLimit: 0 },
    {
      serviceAccountName: 'reader',
      securityContext: { runAsUser: 1000 },
      containers: [{ name: 'main', image: 'muster-test/node', command }],
      ...pod,
    },
  );

describe.runIf(hasEngine)('a program in a container calls the API', PATIENT, () => {
  let engine: AnEngine;
  let folders: Folders;
  let runtime: ChildProcess;
  const kubeconfig = (): string => join(folders.dataDir, 'kubeconfig');

  /** `muster` beside the containers: the API listens where they can reach it, in the engine's network. */
  const words = (...more: readonly string[]): string[] => [
    ...engine.inNetwork.slice(1),
    process.execPath,
    '--import',
    'tsx',
    join(TREE, 'cli/main.ts'),
    ...more,
  ];
  const muster = (...more: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(engine.inNetwork[0] ?? '', words(...more, '--kubeconfig', kubeconfig()), {
      cwd: TREE,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: folders.root },
    });
    return stdout + stderr;
  };
  const run = (...objects: readonly object[]): string => {
    const file = join(folders.root, 'objects.yaml');
    writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
    return muster('run', '-f', file, '--wait');
  };

  beforeAll(async () => {
    engine = await anEngine();
    await aNodeImage(engine, 'muster-test/node');
    folders = someFolders();
    const users = join(folders.root, 'users.csv');
    writeFileSync(users, 'secret-of-root,root,1,system:masters\n', { mode: 0o600 });
    const { dataDir, workspaceDir } = folders;
    const places = ['--data', dataDir, '--workspace', workspaceDir, '--driver', 'docker'];
    runtime = spawn(
      engine.inNetwork[0] ?? '',
      words('local', ...places, '--users', users, '--kubeconfig-user', 'root'),
      { cwd: TREE, stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: folders.root, DOCKER_HOST: engine.host } },
    );
    await eventually(
      () => (existsSync(kubeconfig()) ? true : null),
      () => 'the runtime does not start',
    );
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => runtime?.once('exit', resolve));
    runtime?.kill('SIGTERM');
    await ended;
    killNow(runtime?.pid);
    folders?.remove();
    await engine?.remove();
  });

  test('as its ServiceAccount, which may do what its role says', () => {
    const said = run(...READER, aJob('calls', ['node', '-e', CLIENT]));
    expect(muster('logs', 'calls'), said).toMatch(/jobs 200\n.*secrets 403\n.*forged 401\n/s);
  });

  test('with nothing where the Pod wants no token', () => {
    const script = `ls ${FOLDER} 2>&1; echo "host $KUBERNETES_SERVICE_HOST."`;
    const said = run(aJob('without', ['sh', '-c', script], { automountServiceAccountToken: false }));
    expect(muster('logs', 'without'), said).toMatch(/No such file.*host \./s);
  });
});
