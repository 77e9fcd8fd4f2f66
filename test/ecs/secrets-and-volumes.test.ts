import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RegisterTaskDefinitionCommand, RunTaskCommand, type ContainerDefinition } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VolumeFolders } from '../../local/ecs/driver/volume-folders.ts';
import type { TaskRecord } from '../../local/ecs/task-record.ts';
import { configMapParameter, secretReference } from '../../shared/names/secrets.ts';
import { container, eventOf, makeFolders, startServer, type TaskServer } from './task-server.ts';

let folders: ReturnType<typeof makeFolders>;
let server: TaskServer;

beforeEach(async () => {
  folders = makeFolders();
  server = await startServer({ kind: 'process', ...folders });
});
afterEach(async () => {
  await server.close();
  folders.remove();
});

const PLACE = { partition: 'aws', region: 'us-east-1', account: '000000000000' };
const PASSWORD = secretReference(PLACE, 'default', 'db', 'password');
const HOST = configMapParameter('default', 'db', 'host');

function put(path: string, content: string): void {
  const file = join(folders.dataDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Runs one task to its end and answers with its last event. */
async function run(
  containerDefinitions: ContainerDefinition[],
  volumes: string[] = [],
  attempt: { readonly startedBy?: string; readonly group?: string } = {},
) {
  const definition = { family: 'job', containerDefinitions, volumes: volumes.map((name) => ({ name })) };
  await server.client.send(new RegisterTaskDefinitionCommand(definition));
  const { tasks = [] } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job', ...attempt }));
  return eventOf(server, tasks[0]?.taskArn, 'STOPPED');
}

const out = (): string => readFileSync(join(folders.workspaceDir, 'out'), 'utf8');
const shell = (name: string, script: string, more: Partial<ContainerDefinition> = {}): ContainerDefinition =>
  container(name, { command: ['sh', '-c', script], ...more });

test('secrets are variables, byte for byte', async () => {
  put('secrets/default/db/password', "it's\n");
  put('configmaps/default/db/host', 'db.example.com');
  const secrets = [
    { name: 'PASSWORD', valueFrom: PASSWORD },
    { name: 'HOST', valueFrom: HOST },
  ];
  await run([shell('main', 'printf "%s@%s" "$PASSWORD" "$HOST" > out', { secrets })]);
  expect(out()).toBe("it's\n@db.example.com");
});

test('a secret that no variable can hold keeps the task from starting, and is not cited', async () => {
  put('secrets/default/db/password', 'correct horse\0battery staple');
  const ended = await run([shell('main', 'true', { secrets: [{ name: 'PASSWORD', valueFrom: PASSWORD }] })]);
  expect(ended.stoppedReason).toContain('CannotStartContainerError: the variable PASSWORD cannot be ');
  expect(JSON.stringify(ended)).not.toMatch(/correct horse|battery/);
});

test.each([
  [PASSWORD, /unable to retrieve secret from asm: .*ResourceNotFoundException.*secrets\/default\/db\/password/],
  [HOST, /unable to retrieve secrets from ssm: .*invalid parameters: \/muster\/default\/configmaps\/db\/host/],
  ['arn:aws:secretsmanager:us-east-1:0:secret:other', /unable to retrieve secret from asm/],
])('without the secret %s no container of the task starts', async (valueFrom, reason) => {
  const last = await run([
    shell('first', 'echo first >> out', { essential: false, secrets: [{ name: 'X', valueFrom }] }),
    shell('main', 'echo main >> out'),
  ]);
  expect(last).toMatchObject({ stopCode: 'TaskFailedToStart' });
  expect(last.stoppedReason).toMatch(/^ResourceInitializationError: unable to pull secrets or registry auth: /);
  expect(last.stoppedReason).toMatch(reason);
  expect(last.containers.map(({ exitCode }) => exitCode)).toEqual([undefined, undefined]);
  expect(existsSync(join(folders.workspaceDir, 'out'))).toBe(false);
});

test('a volume is one folder for the containers of a task, and another for the next task', async () => {
  const mountPoints = [{ sourceVolume: 'big-scratch', containerPath: '/data' }];
  const containers = [
    shell('init', 'echo made >> "$MUSTER_VOLUME_BIG_SCRATCH/file"', { essential: false, mountPoints }),
    shell('main', 'cat "$MUSTER_VOLUME_BIG_SCRATCH/file" >> out', {
      mountPoints,
      dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }],
    }),
  ];
  await run(containers, ['big-scratch']);
  await run(containers, ['big-scratch']);
  expect(out()).toBe('made\nmade\n');
});

test('a volume in memory is a folder of the Pod like others', async () => {
  const inMemory = {
    linuxParameters: {
      tmpfs: [
        { containerPath: '/other', size: 1 },
        { containerPath: '/fast', size: 64 },
      ],
    },
    dockerLabels: { 'muster.run/tmpfs-volume-1': 'fast' },
    environment: [{ name: 'MUSTER_VOLUME_FAST', value: '/fast' }],
  };
  const script = 'echo "$MUSTER_VOLUME_FAST" >> "$MUSTER_VOLUME_FAST/file"; cat "$MUSTER_VOLUME_FAST/file" >> out';
  for (const nonce of [0, 1])
    await run([shell('main', script, inMemory)], [], { startedBy: 'job-a', group: `muster:0:1:${nonce}` });
  const [first, ...others] = out().trim().split('\n');
  expect(first).toBe(join(folders.dataDir, 'ecs/volumes/job-a_0_1/volumes/fast'));
  expect(others).toEqual([first, first]);
});

test('the tasks of one Pod share its volumes; a Pod that replaces it, one of another index or Job has its own', async () => {
  const mountPoints = [{ sourceVolume: 'data', containerPath: '/data' }];
  const script = 'echo "$NOTE" >> "$MUSTER_VOLUME_DATA/file"; paste -sd, "$MUSTER_VOLUME_DATA/file" >> out';
  const start = async (note: string, group: string, startedBy = 'job-a'): Promise<void> => {
    const environment = [{ name: 'NOTE', value: note }];
    await run([shell('main', script, { mountPoints, environment })], ['data'], { startedBy, group });
  };
  await start('first', 'muster:0:1:0');
  await start('restarted', 'muster:0:1:1');
  await start('replaced', 'muster:0:2:2');
  await start('other index', 'muster:1:1:0');
  await start('other Job', 'muster:0:1:0', 'job-b');
  expect(out()).toBe('first\nfirst,restarted\nreplaced\nother index\nother Job\n');
});

test('volumes go with the last task of their Pod', () => {
  const dir = join(folders.dataDir, 'volumes');
  const volumes = new VolumeFolders(dir);
  const task = (id: string, nonce: number): TaskRecord =>
    ({ id, startedBy: 'job-a', group: `muster:0:1:${nonce}` }) as TaskRecord;
  const path = volumes.use(task('a', 0));
  mkdirSync(path);
  expect(volumes.use(task('b', 1))).toBe(path);
  volumes.forget(task('a', 0));
  expect(existsSync(path)).toBe(true);
  new VolumeFolders(dir).forget(task('b', 1));
  expect(readdirSync(dir)).toEqual([]);
  volumes.forget(task('b', 1));
});

test('a sidecar is there before the main container, and stops after it', async () => {
  const sidecar = `trap 'echo "sidecar told" >> out; exit 0' TERM; echo "sidecar up" >> out; touch up; while :; do sleep 0.05; done`;
  await run([
    shell('sidecar', sidecar, { essential: false }),
    shell('main', 'until [ -e up ]; do sleep 0.05; done; echo main >> out', {
      dependsOn: [{ containerName: 'sidecar', condition: 'START' }],
    }),
  ]);
  expect(out()).toBe('sidecar up\nmain\nsidecar told\n');
});

test('a sidecar that ends is not restarted, and the Pod goes on', async () => {
  const last = await run([
    shell('sidecar', 'echo sidecar >> out; exit 3', { essential: false }),
    shell('main', 'until [ -e out ]; do sleep 0.05; done; sleep 0.2; echo main >> out', {
      dependsOn: [{ containerName: 'sidecar', condition: 'START' }],
    }),
  ]);
  expect(out()).toBe('sidecar\nmain\n');
  expect(last.containers.map(({ exitCode }) => exitCode)).toEqual([3, 0]);
});

test.each([
  [{ mountPoints: [{ sourceVolume: 'gone', containerPath: '/x' }] }, "Unknown volume 'gone'."],
  [
    { environment: [{ name: 'A', value: 'b' }], secrets: [{ name: 'A', valueFrom: HOST }] },
    'The secret name must be unique and not shared',
  ],
])('%j is refused', async (more, message) => {
  await expect(run([shell('main', 'true', more)])).rejects.toThrow(message);
});
