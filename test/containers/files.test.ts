import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  type ContainerDefinition,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  type Volume,
} from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCloudmap } from '../../local/cloudmap/create-cloudmap.ts';
import { openEngine } from '../../local/docker/engine.ts';
import { openImages } from '../../local/docker/images.ts';
import { listContainers } from '../../local/docker/removals.ts';
import { AFTER_FILES, aFile, filesContainer } from '../ecs/volumes/a-files-container.ts';
import { type TaskServer, container, eventOf, makeFolders, startServer } from '../ecs/task-server.ts';
import { PATIENT, hasEngine } from './a-docker-runtime.ts';
import { type AnEngine, anEngine, anImage } from './an-engine.ts';

const BUSYBOX = 'muster-test/busybox:1';

describe.runIf(hasEngine)('volumes of containers', PATIENT, () => {
  let engine: AnEngine;
  let folders: ReturnType<typeof makeFolders>;
  let server: TaskServer;
  const start = async (): Promise<TaskServer> => {
    const { dataDir, workspaceDir } = folders;
    const api = openEngine({ kind: 'socket', path: engine.host.slice('unix://'.length) });
    const images = openImages(api, async () => Promise.resolve(null));
    const names = createCloudmap({ zone: 'test.internal', dataDir: null });
    return startServer({ kind: 'docker', dataDir, workspaceDir, engine: api, images, cpus: 2, names });
  };
  beforeAll(async () => {
    engine = await anEngine();
    await anImage(engine, BUSYBOX);
    folders = makeFolders();
    server = await start();
  });
  afterAll(async () => {
    await server?.close();
    folders?.remove();
    await engine?.remove();
  });

  const shell = (name: string, script: string, more: Partial<ContainerDefinition> = {}): ContainerDefinition =>
    container(name, {
      image: BUSYBOX,
      entryPoint: ['sh', '-c'],
      command: [script],
      workingDirectory: '/workspace',
      ...more,
    });
  const out = (name: string): string => readFileSync(join(folders.workspaceDir, name), 'utf8');
  const CONF = [{ name: 'conf' }];
  const mounted = (sourceVolume: string, containerPath: string, readOnly = false) => ({
    mountPoints: [{ sourceVolume, containerPath, readOnly }],
  });

  async function run(containerDefinitions: ContainerDefinition[], volumes: Volume[], attempt: object = {}) {
    await server.client.send(new RegisterTaskDefinitionCommand({ family: 'job', containerDefinitions, volumes }));
    const { tasks = [] } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job', ...attempt }));
    const last = await eventOf(server, tasks[0]?.taskArn, 'STOPPED');
    return { ...last, ends: last.containers.map(({ exitCode, reason }) => reason ?? exitCode) };
  }

  test('hold their files at their paths, for every user, and nobody changes them who may not', async () => {
    const files = filesContainer([
      aFile('app.conf', 'level: info\n'),
      aFile('bin/run', '#!/bin/sh\ncat /etc/app/app.conf; id -u\n', 0o755),
      aFile('key', 'secret\n', 0o400),
    ]);
    mkdirSync(folders.workspaceDir, { recursive: true });
    const script = '{ /etc/app/bin/run; cat /etc/app/key; touch /etc/app/x; stat -c %a:%n /etc/app /etc/app/*; } 2>&1';
    const last = await run(
      [
        files,
        shell('user', script, {
          ...mounted('conf', '/etc/app', true),
          ...AFTER_FILES,
          user: '1234',
          essential: false,
          logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': 'g', 'awslogs-stream-prefix': 'p' } },
        }),
        shell('main', 'cp -r /etc/app/. /workspace/copy', {
          ...mounted('conf', '/etc/app', true),
          dependsOn: [...AFTER_FILES.dependsOn, { containerName: 'user', condition: 'SUCCESS' }],
        }),
      ],
      CONF,
    );
    expect(last.ends).toEqual([0, 0, 0]);
    expect(readdirSync(join(folders.workspaceDir, 'copy')).sort()).toEqual(['app.conf', 'bin', 'key']);
    const id = last.taskArn.slice(-32);
    const [log = ''] = readdirSync(join(folders.dataDir, 'logs/g')).filter((name) => name.includes(id));
    expect(
      readFileSync(join(folders.dataDir, 'logs/g', log), 'utf8')
        .split('\n')
        .sort(),
    ).toEqual(
      [
        '',
        'level: info',
        '1234',
        "cat: can't open '/etc/app/key': Permission denied",
        'touch: /etc/app/x: Read-only file system',
        '755:/etc/app',
        '644:/etc/app/app.conf',
        '755:/etc/app/bin',
        '400:/etc/app/key',
      ].sort(),
    );
  });

  test('have their files anew when a Pod’s containers are started once more, and no link leads out', async () => {
    const files = filesContainer([aFile('text', 'as given\n'), aFile('deep/text', 'deep\n')]);
    const script = `cat /in/text /in/deep/text >> again; rm -r /in/deep; ln -s /workspace /in/deep; ln -sf /workspace/again /in/text`;
    const main = shell('main', script, { ...mounted('conf', '/in'), ...AFTER_FILES });
    for (const nonce of [0, 1])
      expect((await run([files, main], CONF, { startedBy: 'job-a', group: `muster:0:1:${nonce}` })).ends).toEqual([
        0, 0,
      ]);
    expect(out('again')).toBe('as given\ndeep\nas given\ndeep\n');
    expect(existsSync(join(folders.workspaceDir, 'text'))).toBe(false);
  });

  test('cost a task of one container no second one', async () => {
    const files = filesContainer([aFile('a', 'x')]);
    const main = shell('main', 'until [ -e go ]; do sleep 0.1; done; hostname -i > address', AFTER_FILES);
    const running = run([files, main], CONF);
    const listed = await expect
      .poll(async () =>
        listContainers(engine.api).then((all) => all.filter(({ labels }) => labels['muster.run/task'] !== undefined)),
      )
      .toHaveLength(1)
      .then(async () => listContainers(engine.api));
    expect(listed.map(({ name }) => name.replace(/[0-9a-f]{12,}/g, '#')).sort()).toEqual([
      'muster-#-main',
      'muster-keeper-#',
    ]);
    writeFileSync(join(folders.workspaceDir, 'go'), '');
    expect((await running).ends).toEqual([0, 0]);
  });

  test('are mounted in part', async () => {
    const files = filesContainer([aFile('one', 'first\n'), aFile('two', 'second\n')]);
    const claim = join(folders.dataDir, 'volumes/default/claim');
    const mountPoints = [
      { sourceVolume: 'conf', containerPath: '/etc/one.conf' },
      { sourceVolume: 'data', containerPath: '/runs' },
      { sourceVolume: 'data', containerPath: '/all' },
      { sourceVolume: 'claim', containerPath: '/claim' },
    ];
    const dockerLabels = {
      'muster.run/sub-path-0': 'one',
      'muster.run/sub-path-expr-1': 'runs/$(KIND)',
      'muster.run/sub-path-3': 'mine',
    };
    const script = 'cat /etc/one.conf > part; touch /runs/a /claim/b; (cd /all; find . -type f) >> part';
    const last = await run(
      [
        files,
        shell('main', script, {
          mountPoints,
          dockerLabels,
          environment: [{ name: 'KIND', value: 'text' }],
          ...AFTER_FILES,
        }),
      ],
      [...CONF, { name: 'data' }, { name: 'claim', host: { sourcePath: claim } }],
    );
    expect(last.ends).toEqual([0, 0]);
    expect(out('part')).toBe('first\n./runs/text/a\n');
    expect(readdirSync(join(claim, 'mine'))).toEqual(['b']);
  });

  test('are not left by a link, neither a file nor a folder', async () => {
    const swap = shell('swap', 'ln -s /etc /data/folder; ln -s /etc/passwd /data/file; ln -s ../../.. /data/up', {
      ...mounted('data', '/data'),
      essential: false,
    });
    for (const part of ['folder', 'file', 'up', 'up/deep', 'folder/new']) {
      const main = shell('main', 'ls /data', {
        ...mounted('data', '/data'),
        dockerLabels: { 'muster.run/sub-path-0': part },
        dependsOn: [{ containerName: 'swap', condition: 'SUCCESS' }],
      });
      expect(await run([swap, main], [{ name: 'data' }])).toMatchObject({
        stopCode: 'TaskFailedToStart',
        stoppedReason: expect.stringContaining(`subPath "${part}" leads out of the volume`) as unknown,
      });
    }
  });

  test('that are folders here are for every user of a container, and go with their Pod', async () => {
    const dockerLabels = { 'muster.run/sub-path-0': 'part' };
    const main = shell('main', 'touch /data/file; mkdir -p /data/deep/er', {
      ...mounted('data', '/data'),
      user: '1234:1234',
      dockerLabels,
    });
    const { ends, taskArn } = await run([main], [{ name: 'data' }], { startedBy: 'job-gone', group: 'muster:0:1:0' });
    expect(ends).toEqual([0]);
    const pod = join(realpathSync(folders.dataDir), 'ecs/volumes/job-gone_0_1');
    expect(statSync(join(pod, 'volumes/data')).mode & 0o777).toBe(0o777);
    expect(lstatSync(join(pod, 'volumes/data/part/file')).uid).toBe(1234);
    server.advance(2 * 3_600_000);
    await expect.poll(() => existsSync(pod)).toBe(false);
    expect(existsSync(join(folders.dataDir, 'ecs/tasks', taskArn.slice(-32)))).toBe(false);
  });
});
