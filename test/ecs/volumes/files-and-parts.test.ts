import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ContainerDefinition,
  DescribeTaskDefinitionCommand,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  type TaskOverride,
  type Volume,
} from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { objectReference } from '../../../shared/names/secrets.ts';
import { aDisk } from '../../support/a-disk.ts';
import { AFTER_FILES, aFile, filesContainer } from './a-files-container.ts';
import { type TaskServer, container, eventOf, makeFolders, startServer } from '../task-server.ts';

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

const shell = (script: string, more: Partial<ContainerDefinition> = {}): ContainerDefinition =>
  container('main', { command: ['sh', '-c', script], ...more });
const mounted = (sourceVolume: string, containerPath: string) => ({ mountPoints: [{ sourceVolume, containerPath }] });
const out = (): string => readFileSync(join(folders.workspaceDir, 'out'), 'utf8');

/** Runs one task to its end and answers with its last event. */
async function run(
  containerDefinitions: ContainerDefinition[],
  volumes: Volume[],
  attempt: { readonly startedBy?: string; readonly group?: string; readonly overrides?: TaskOverride } = {},
  on = server,
) {
  await on.client.send(new RegisterTaskDefinitionCommand({ family: 'job', containerDefinitions, volumes }));
  const { tasks = [] } = await on.client.send(new RunTaskCommand({ taskDefinition: 'job', ...attempt }));
  return eventOf(on, tasks[0]?.taskArn, 'STOPPED');
}

describe('files of a volume', () => {
  const CONF = [{ name: 'conf' }];

  test('are there before a container starts, with what the launch and secrets say', async () => {
    const DB = { namespace: 'default', name: 'db' };
    server.ecs.secretCopies.put(DB, 'v1', new Map([['password', 'correct horse']]));
    server.ecs.secretCopies.put(DB, 'v2', new Map([['password', 'another']]));
    const from = { kind: 'secret', ...DB, key: 'password', object: { version: 'v1', form: 'text' } } as const;
    const files = filesContainer([
      aFile('run.sh', '#!/bin/sh\ncat "$MUSTER_VOLUME_CONF/index" "$MUSTER_VOLUME_CONF/deep/password"\n', 0o755),
      { volume: 'conf', path: 'index', mode: 0o644, content: { kind: 'late' } },
      { volume: 'conf', path: 'deep/password', mode: 0o400, content: { kind: 'secret', from } },
    ]);
    const main = shell('"$MUSTER_VOLUME_CONF/run.sh" > out; echo " $PASSWORD" >> out', {
      ...mounted('conf', '/etc/app'),
      ...AFTER_FILES,
      secrets: [
        {
          name: 'PASSWORD',
          valueFrom: objectReference(
            { partition: 'aws', region: 'us-east-1', account: '000000000000' },
            { ...DB, key: 'password', version: 'v2' },
          ),
        },
      ],
    });
    const late = { name: 'muster-files', environment: [{ name: 'MUSTER_FILE_1', value: '7: ' }] };
    const last = await run([files, main], CONF, { overrides: { containerOverrides: [late] } });
    expect(last.containers.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(out()).toBe('7: correct horse another\n');
    // No file of the data folder has it, but the one in the volume of the Pod.
    const read = (path: string): string => readFileSync(join(folders.dataDir, path), 'latin1');
    const holding = readdirSync(folders.dataDir, { recursive: true, encoding: 'utf8' }).filter(
      (path) => statSync(join(folders.dataDir, path)).isFile() && read(path).includes('correct horse'),
    );
    expect(holding).toEqual([expect.stringMatching(/^ecs\/volumes\/.*\/deep\/password$/)]);
    const { taskDefinition } = await server.client.send(new DescribeTaskDefinitionCommand({ taskDefinition: 'job' }));
    expect(JSON.stringify(taskDefinition)).not.toContain('horse');
  });

  test('are written anew when the containers of a Pod are started once more', async () => {
    const files = filesContainer([aFile('text', 'as given\n')]);
    const main = shell('cd $MUSTER_VOLUME_CONF; cat text >> $OLDPWD/out; echo mine > text; echo more > other', {
      ...mounted('conf', '/etc/app'),
      ...AFTER_FILES,
    });
    for (const nonce of [0, 1]) await run([files, main], CONF, { startedBy: 'job-a', group: `muster:0:1:${nonce}` });
    expect(out()).toBe('as given\nas given\n');
  });

  test('that cannot be written keep the others from starting, and the task says why', async () => {
    const files = filesContainer([aFile('a', 'x'), aFile('a/b', 'secret content')]);
    const last = await run([files, shell('touch out', AFTER_FILES)], CONF);
    expect(last).toMatchObject({ stopCode: 'EssentialContainerExited' });
    expect(last.containers).toMatchObject([
      { name: 'muster-files', exitCode: 1, reason: 'cannot write conf/a/b: ENOTDIR: not a directory' },
      { name: 'main', exitCode: 143, reason: expect.stringContaining('[muster-files(') as unknown },
    ]);
    expect(JSON.stringify(last)).not.toContain('secret content');
  });

  test('on a full disk end the task as the machine’s fault', async () => {
    const disk = aDisk(512);
    if (disk === null) return;
    const dataDir = join(disk.dir, 'data');
    const own = await startServer({ kind: 'process', ...folders, dataDir });
    try {
      const files = filesContainer([aFile('zeros', new Uint8Array(1024 * 1024))]);
      const last = await run([files, shell('touch out', AFTER_FILES)], CONF, {}, own);
      expect(last).toMatchObject({
        stopCode: 'InfrastructureHealth',
        stoppedReason: expect.stringContaining('InternalError: cannot write conf/zeros: ENOSPC') as unknown,
      });
      disk.remount('size=16m');
      expect((await run([files, shell('true', AFTER_FILES)], CONF, {}, own)).containers[1]).toMatchObject({
        exitCode: 0,
      });
    } finally {
      await own.close();
    }
  });
});

describe('volumes of processes', () => {
  test('that are mounted in part are the part', async () => {
    const dockerLabels = { 'muster.run/sub-path-0': 'runs/today', 'muster.run/sub-path-expr-1': '$(KIND)/x' };
    const mountPoints = [
      { sourceVolume: 'data', containerPath: '/data' },
      { sourceVolume: 'logs', containerPath: '/logs' },
      { sourceVolume: 'twice', containerPath: '/a' },
      { sourceVolume: 'twice', containerPath: '/b' },
    ];
    const environment = [{ name: 'KIND', value: 'text' }];
    const script = 'for v in DATA LOGS TWICE; do eval "echo \\$MUSTER_VOLUME_$v"; done | sed "s#.*/volumes/##" > out';
    await run(
      [shell(script, { mountPoints, dockerLabels, environment })],
      ['data', 'logs', 'twice'].map((name) => ({ name })),
    );
    expect(out()).toBe('data/runs/today\nlogs/text/x\ntwice\n');
  });

  test('are where a process starts that is to start in them', async () => {
    const dockerLabels = { 'muster.run/sub-path-0': 'part' };
    const workingDirectory = '/data/deep/er';
    const main = shell('pwd > "$MUSTER_WORKSPACE/out"; cd ../..; pwd >> "$MUSTER_WORKSPACE/out"', {
      ...mounted('data', '/data'),
      dockerLabels,
      workingDirectory,
    });
    const last = await run([main], [{ name: 'data' }]);
    expect(last.containers).toMatchObject([{ exitCode: 0 }]);
    expect(out().replaceAll(/^.*\/volumes\//gm, '')).toBe('data/part/deep/er\ndata/part\n');
  });

  test('that lead out of themselves keep their container from starting', async () => {
    const link = container('link', {
      command: ['sh', '-c', 'ln -s /etc "$MUSTER_VOLUME_DATA/link"'],
      essential: false,
      ...mounted('data', '/data'),
    });
    const main = shell('touch out', {
      ...mounted('data', '/data'),
      dockerLabels: { 'muster.run/sub-path-0': 'link' },
      dependsOn: [{ containerName: 'link', condition: 'SUCCESS' }],
    });
    expect(await run([link, main], [{ name: 'data' }])).toMatchObject({
      stopCode: 'TaskFailedToStart',
      stoppedReason:
        'CannotStartContainerError: failed to prepare subPath for volumeMount "data" of container "main": subPath "link" leads out of the volume',
    });
  });

  test('of claims are folders of the data folder, which stay', async () => {
    const path = join(folders.dataDir, 'volumes/default/data-1');
    const volumes = [{ name: 'data', host: { sourcePath: path } }];
    const main = shell(
      'echo x >> "$MUSTER_VOLUME_DATA/file"; cp "$MUSTER_VOLUME_DATA/file" out',
      mounted('data', '/data'),
    );
    await run([main], volumes);
    await run([main], volumes);
    expect(out()).toBe('x\nx\n');
    // What is beside them is nobody's.
    mkdirSync(join(folders.dataDir, 'secrets'));
    writeFileSync(join(folders.dataDir, 'secrets/x'), '');
    const other = [{ name: 'data', host: { sourcePath: join(folders.dataDir, 'secrets') } }];
    expect(await run([main], other)).toMatchObject({ stopCode: 'TaskFailedToStart' });
  });

  test.each<[string, Partial<Volume>]>([
    ['EFS', { efsVolumeConfiguration: { fileSystemId: 'fs-1' } }],
    ['S3 Files', { s3filesVolumeConfiguration: { fileSystemArn: 'arn:aws:s3files:us-east-1:0:file-system/fs-1' } }],
  ])('of %s are not there, and the task says what is', async (service, place) => {
    const volumes = [{ name: 'data', ...place }];
    expect(await run([shell('touch out', mounted('data', '/data'))], volumes)).toMatchObject({
      stopCode: 'TaskFailedToStart',
      stoppedReason: expect.stringContaining(
        `a file system of ${service} is not mounted on this machine; use a PersistentVolumeClaim`,
      ) as unknown,
    });
  });
});
