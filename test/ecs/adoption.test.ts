import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  DescribeTasksCommand,
  ECSClient,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  StopTaskCommand,
  type ContainerDefinition,
  type Task,
} from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEcs } from '../../local/ecs/create-ecs.ts';
import { SHIM, SHIM_NAME } from '../../local/ecs/driver/shim.ts';
import type { EcsTaskEvent } from '../../local/ecs/task-event.ts';
import type { Timers } from '../../local/ecs/timers.ts';
import {
  container,
  eventOf,
  eventually,
  holds,
  makeFolders,
  processes,
  register,
  startServer,
  withEnv,
  type TaskServer,
} from './task-server.ts';
import { AFTER_FILES, aFile, filesContainer } from './volumes/a-files-container.ts';

const PROGRAM = fileURLToPath(new URL('./server-process.ts', import.meta.url));
/** Linux dates files by its last tick (CONFIG_HZ=100: 10 ms), so a file can look older than the call that made it. */
const FILE_CLOCK_TICK_MS = 10;

let folders: ReturnType<typeof makeFolders>;
let child: ChildProcess | undefined;
let server: TaskServer | undefined;

beforeEach(() => {
  folders = makeFolders();
});
afterEach(async () => {
  await kill();
  await server?.close();
  server = undefined;
  const left = processes().filter(({ command }) => command.includes(folders.dataDir));
  folders.remove();
  if (left.length > 0) throw new Error(`left behind: ${JSON.stringify(left)}`);
});

/** Starts ECS in a process that can be killed. */
async function startProcess(): Promise<ECSClient> {
  child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, folders.dataDir, folders.workspaceDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  return new ECSClient({
    endpoint: line.toString().trim(),
    region: 'us-east-1',
    credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
    maxAttempts: 1,
  });
}

/** kill -9, and wait until it is gone. */
async function kill(): Promise<void> {
  const killed = child;
  child = undefined;
  if (killed === undefined || killed.exitCode !== null || killed.signalCode !== null) return;
  killed.kill('SIGKILL');
  await once(killed, 'exit');
}

/** The next life of ECS, in this process, on the same folder. */
async function startAgain(): Promise<TaskServer> {
  server = await startServer({ kind: 'process', ...folders });
  return server;
}

const define = async (client: ECSClient, containers: ContainerDefinition[]): Promise<void> => {
  await client.send(
    new RegisterTaskDefinitionCommand({ family: 'job', cpu: '256', memory: '512', containerDefinitions: containers }),
  );
};

const runOn = async (client: ECSClient, input: object = {}): Promise<Task> =>
  (await client.send(new RunTaskCommand({ taskDefinition: 'job', ...input }))).tasks![0]!;

const taskOf = async (client: ECSClient, taskArn: string | undefined): Promise<Task | undefined> =>
  (await client.send(new DescribeTasksCommand({ tasks: [taskArn!] }))).tasks![0];

const until = async (client: ECSClient, taskArn: string | undefined, lastStatus: string): Promise<Task> =>
  eventually(async () => {
    const task = await taskOf(client, taskArn);
    return task?.lastStatus === lastStatus ? task : null;
  });

const outLines = (): string[] => {
  const out = join(folders.workspaceDir, 'out');
  return existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n') : [];
};

const handedOver = (): EcsTaskEvent[] =>
  readFileSync(join(folders.dataDir, 'events.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as EcsTaskEvent);

/** Prints its index once, into a file that all share, and ends with a code that depends on it. */
const COUNTED = container('main', {
  command: [
    'sh',
    '-c',
    'sleep "0.$JOB_COMPLETION_INDEX"; echo "$JOB_COMPLETION_INDEX" >> "$MUSTER_WORKSPACE/out"; exit $((JOB_COMPLETION_INDEX % 3))',
  ],
});

describe('after kill -9 of ECS', () => {
  test('files that a task has from its start are not written under a program that runs', async () => {
    const client = await startProcess();
    const main = container('main', {
      command: [
        'sh',
        '-c',
        'cd "$MUSTER_VOLUME_CONF"; cat text; echo mine > text; touch "$MUSTER_WORKSPACE/up"; until [ -e "$MUSTER_WORKSPACE/go" ]; do sleep 0.05; done; cat text > "$MUSTER_WORKSPACE/out"',
      ],
      mountPoints: [{ sourceVolume: 'conf', containerPath: '/conf' }],
      ...AFTER_FILES,
    });
    const containerDefinitions = [filesContainer([aFile('text', 'as given')]), main];
    const volumes = [{ name: 'conf' }];
    await client.send(new RegisterTaskDefinitionCommand({ family: 'job', containerDefinitions, volumes }));
    const { taskArn } = await runOn(client);
    await eventually(() => (existsSync(join(folders.workspaceDir, 'up')) ? true : null));
    client.destroy();
    await kill();
    const again = await startAgain();
    writeFileSync(join(folders.workspaceDir, 'go'), '');
    const { containers } = await eventOf(again, taskArn, 'STOPPED');
    expect(containers.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(outLines()).toEqual(['mine']);
  });

  test('forty tasks run once each, whenever the server is killed, and keep their tokens and exit codes', async () => {
    const INDEXES = Array.from({ length: 40 }, (_, n) => n);
    const arns = new Map<number, string>();
    for (const answersUntilKill of [3, 14, 20, Infinity]) {
      const client = await startProcess();
      if (arns.size === 0) await define(client, [COUNTED]);
      let answers = 0;
      await Promise.allSettled(
        INDEXES.map(async (n) => {
          const task = await runOn(client, {
            clientToken: `index-${n}`,
            overrides: withEnv({ JOB_COMPLETION_INDEX: String(n) }),
          });
          expect([undefined, task.taskArn]).toContain(arns.get(n));
          arns.set(n, task.taskArn!);
          if (++answers === answersUntilKill) child?.kill('SIGKILL');
        }),
      );
      if (answersUntilKill !== Infinity) await kill();
      client.destroy();
    }
    await kill();

    const { client, events } = await startAgain();
    for (const n of INDEXES) {
      const task = await until(client, arns.get(n), 'STOPPED');
      expect(task).toMatchObject({ stopCode: 'EssentialContainerExited', containers: [{ exitCode: n % 3 }] });
    }
    expect(outLines().toSorted()).toEqual(INDEXES.map(String).toSorted());
    await server!.ecs.idle();
    const said = [...handedOver(), ...events];
    for (const arn of arns.values()) {
      const ends = said.filter(({ detail }) => detail.taskArn === arn && detail.lastStatus === 'STOPPED');
      expect(ends.length, 'the end of every task is said at least once').toBeGreaterThan(0);
      expect(new Set(ends.map(({ detail }) => detail.stoppedAt)).size).toBe(1);
    }
    const versions = new Map<string, string>();
    for (const { detail } of said) {
      const key = `${detail.taskArn} ${detail.version}`;
      const state = JSON.stringify([detail.lastStatus, detail.containers.map(({ lastStatus }) => lastStatus)]);
      expect(versions.get(key) ?? state, 'one version, one state').toBe(state);
      versions.set(key, state);
    }
  });

  test('a task that goes on running is adopted with its start, its address and a higher version', async () => {
    const client = await startProcess();
    await define(client, [container('main')]);
    const { taskArn } = await runOn(client, {
      overrides: withEnv({ HOLD: '1' }),
      startedBy: 'uid',
      group: 'muster:x',
      clientToken: 't',
    });
    const before = await until(client, taskArn, 'RUNNING');
    const id = taskArn!.slice(-32);
    const shims = () => processes().flatMap(({ pid, command }) => (command.includes(id) ? [pid] : []));
    // Its shim claims it some time after its start was reported, and is one process once it has begun the program.
    const claim = join(folders.dataDir, 'ecs', 'tasks', id, 'started.main');
    const shim = await eventually(
      () => (existsSync(claim) ? Number.parseInt(readFileSync(claim, 'utf8'), 10) : null) || null,
    );
    await eventually(() => (shims().length === 1 ? true : null));
    const claimedMs = Date.now();
    await kill();
    const next = await startAgain();
    const after = (await taskOf(next.client, taskArn))!;
    expect(after).toMatchObject({
      lastStatus: 'RUNNING',
      startedBy: 'uid',
      group: 'muster:x',
      attachments: before.attachments!,
    });
    expect(after.startedAt!.getTime()).toBeGreaterThanOrEqual(before.startedAt!.getTime() - FILE_CLOCK_TICK_MS);
    expect(after.startedAt!.getTime()).toBeLessThanOrEqual(claimedMs);
    expect(after.version).toBeGreaterThan(before.version!);
    expect(await eventOf(next, taskArn, 'RUNNING')).toMatchObject({ version: after.version });
    expect(shims()).toEqual([shim]);
    expect(
      (
        await runOn(next.client, {
          overrides: withEnv({ HOLD: '1' }),
          startedBy: 'uid',
          group: 'muster:x',
          clientToken: 't',
        })
      ).taskArn,
    ).toBe(taskArn);
    await expect(runOn(next.client, { clientToken: 't' })).rejects.toMatchObject({
      name: 'ConflictException',
      resourceIds: [taskArn],
    });
    await next.client.send(new StopTaskCommand({ task: taskArn, reason: 'enough' }));
    expect(await until(next.client, taskArn, 'STOPPED')).toMatchObject({
      stopCode: 'UserInitiated',
      containers: [{ exitCode: 143 }],
    });
  });

  test('what ended meanwhile has its own code and time', async () => {
    const client = await startProcess();
    await define(client, [
      container('main', { command: ['sh', '-c', 'while [ ! -e go ]; do sleep 0.02; done; exit 7'] }),
    ]);
    const { taskArn } = await runOn(client);
    await until(client, taskArn, 'RUNNING');
    await kill();
    writeFileSync(join(folders.workspaceDir, 'go'), '');
    const folder = join(folders.dataDir, 'ecs', 'tasks', taskArn!.slice(-32));
    await eventually(() => (readFileSync(join(folder, 'exit.main'), 'utf8').startsWith('7 end\n') ? true : null));
    const endedMs = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 300));
    const next = await startAgain();
    const task = (await taskOf(next.client, taskArn))!;
    expect(task).toMatchObject({
      lastStatus: 'STOPPED',
      stopCode: 'EssentialContainerExited',
      containers: [{ exitCode: 7 }],
    });
    expect(task.stoppedAt!.getTime()).toBeLessThanOrEqual(endedMs);
    expect(await eventOf(next, taskArn, 'STOPPED')).toMatchObject({ stoppedAt: task.stoppedAt!.toISOString() });
  });

  test('a sequence of containers goes on where it was', async () => {
    const client = await startProcess();
    await define(client, [
      container('main', {
        command: ['sh', '-c', 'echo main >> out'],
        dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }],
      }),
      container('init', {
        essential: false,
        command: ['sh', '-c', 'echo init >> out; while [ ! -e go ]; do sleep 0.02; done'],
      }),
    ]);
    const { taskArn } = await runOn(client);
    await until(client, taskArn, 'ACTIVATING');
    await eventually(() => (outLines().length === 1 ? true : null));
    await kill();
    const next = await startAgain();
    writeFileSync(join(folders.workspaceDir, 'go'), '');
    expect(await until(next.client, taskArn, 'STOPPED')).toMatchObject({
      containers: [{ exitCode: 0 }, { exitCode: 0 }],
    });
    expect(outLines()).toEqual(['init', 'main']);
  });

  test('a stop that was asked for is carried out', async () => {
    const client = await startProcess();
    await define(client, [container('main', { stopTimeout: 120 })]);
    const { taskArn } = await runOn(client, { overrides: withEnv({ HOLD: 'stubborn' }) });
    await until(client, taskArn, 'RUNNING');
    await holds(taskArn!.slice(-32));
    await client.send(new StopTaskCommand({ task: taskArn, reason: 'asked before' }));
    await kill();
    const next = await startAgain();
    expect(await taskOf(next.client, taskArn)).toMatchObject({
      lastStatus: 'RUNNING',
      desiredStatus: 'STOPPED',
      stoppedReason: 'asked before',
    });
    next.advance(120_000);
    expect(await until(next.client, taskArn, 'STOPPED')).toMatchObject({
      stopCode: 'UserInitiated',
      stoppedReason: 'asked before',
      containers: [{ exitCode: 137 }],
    });
  });

  test.runIf(process.platform === 'linux')('a daemon of a task that ended meanwhile is ended', async () => {
    const client = await startProcess();
    const daemon = '(setsid sleep 618 </dev/null >/dev/null 2>&1 &) & while [ ! -e go ]; do sleep 0.02; done';
    await define(client, [container('main', { command: ['sh', '-c', daemon] })]);
    const { taskArn } = await runOn(client);
    const isThere = () => processes().some(({ command }) => command === 'sleep 618');
    await eventually(() => (isThere() ? true : null));
    await kill();
    writeFileSync(join(folders.workspaceDir, 'go'), '');
    const exit = join(folders.dataDir, 'ecs', 'tasks', taskArn!.slice(-32), 'exit.main');
    await eventually(() => (readFileSync(exit, 'utf8').startsWith('0 end\n') ? true : null));
    expect(isThere()).toBe(true);
    const next = await startAgain();
    expect(await until(next.client, taskArn, 'STOPPED')).toMatchObject({ containers: [{ exitCode: 0 }] });
    await eventually(() => (isThere() ? null : true));
  });

  test('a task whose shim was killed as well is lost: its processes are killed and it has no exit code', async () => {
    const client = await startProcess();
    await define(client, [container('main')]);
    const { taskArn } = await runOn(client, { overrides: withEnv({ HOLD: '1' }) });
    await until(client, taskArn, 'RUNNING');
    await kill();
    const shim = processes().find(({ command }) => command.includes(taskArn!.slice(-32)))!;
    const sleeper = await eventually(() =>
      processes().find(({ parent, command }) => parent === shim.pid && command.startsWith('sleep')),
    );
    process.kill(shim.pid, 'SIGKILL');
    await eventually(() => (processes().some(({ pid }) => pid === shim.pid) ? null : true));
    expect(processes().some(({ pid }) => pid === sleeper.pid)).toBe(true);
    const next = await startAgain();
    const task = await until(next.client, taskArn, 'STOPPED');
    expect(task).toMatchObject({
      stopCode: 'InfrastructureHealth',
      stoppedReason: expect.stringMatching(/main vanished/) as string,
    });
    expect(task.containers![0]).not.toHaveProperty('exitCode');
    await eventually(() => (processes().some(({ pid }) => pid === sleeper.pid) ? null : true));
  });

  test('an end that was handed over is not said again, one that was not is', async () => {
    const client = await startProcess();
    await define(client, [container('main')]);
    const told = await runOn(client);
    const untold = await runOn(client);
    for (const { taskArn } of [told, untold]) await until(client, taskArn, 'STOPPED');
    const marker = ({ taskArn }: Task): string =>
      join(folders.dataDir, 'ecs', 'tasks', taskArn!.slice(-32), 'delivered');
    await eventually(() => ([told, untold].every((task) => existsSync(marker(task))) ? true : null));
    await kill();
    rmSync(marker(untold));
    const next = await startAgain();
    expect(await eventOf(next, untold.taskArn, 'STOPPED')).toMatchObject({ version: 5, containers: [{ exitCode: 0 }] });
    await next.ecs.idle();
    expect(next.events.map(({ detail }) => detail.taskArn)).toEqual([untold.taskArn]);
  });
});

describe('the claim', () => {
  test('a task that was recorded but never started is started by the next life', async () => {
    const noAlarms: Timers = { now: Date.now, after: () => () => undefined, close: () => undefined };
    const died = createEcs({ driver: { kind: 'process', ...folders }, timers: noAlarms });
    await died.start();
    died.api.RegisterTaskDefinition({
      family: 'job',
      cpu: '256',
      memory: '512',
      containerDefinitions: [container('main', { command: ['sh', '-c', 'echo ran >> out'] })],
    });
    const { tasks } = died.api.RunTask({ taskDefinition: 'job', count: 2 });
    const { client } = await startAgain();
    for (const { taskArn } of tasks!)
      expect(await until(client, taskArn, 'STOPPED')).toMatchObject({ containers: [{ exitCode: 0 }] });
    expect(outLines()).toEqual(['ran', 'ran']);
  });

  test('a launch that was not recorded in full never happened', async () => {
    const noAlarms: Timers = { now: Date.now, after: () => () => undefined, close: () => undefined };
    const died = createEcs({ driver: { kind: 'process', ...folders }, timers: noAlarms });
    await died.start();
    died.api.RegisterTaskDefinition({
      family: 'job',
      cpu: '256',
      memory: '512',
      containerDefinitions: [container('main', { command: ['sh', '-c', 'echo ran >> out'] })],
    });
    const { tasks } = died.api.RunTask({ taskDefinition: 'job', count: 2, clientToken: 't' });
    const tasksDir = join(folders.dataDir, 'ecs', 'tasks');
    rmSync(join(tasksDir, tasks![0]!.taskArn!.slice(-32), 'task.json'));
    const { client } = await startAgain();
    expect(await taskOf(client, tasks![1]!.taskArn)).toBeUndefined();
    expect(readdirSync(tasksDir)).toEqual([]);
    const again = await client.send(new RunTaskCommand({ taskDefinition: 'job', count: 2, clientToken: 't' }));
    for (const { taskArn } of again.tasks!) await until(client, taskArn, 'STOPPED');
    expect(outLines()).toEqual(['ran', 'ran']);
  });

  test('of many shims for one container exactly one runs it', async () => {
    const folder = join(folders.dataDir, 'claimed');
    mkdirSync(folder, { recursive: true });
    const shims = Array.from({ length: 12 }, () =>
      spawn('/bin/sh', ['-c', SHIM, SHIM_NAME, folder, 'main', '0022', '/bin/sh', '-c', `echo ran >> ${folder}/out`], {
        detached: true,
        stdio: 'ignore',
      }),
    );
    const exits = await Promise.all(
      shims.map(async (shim) => (await once(shim, 'exit')) as [number | null, string | null]),
    );
    expect(exits.filter(([code]) => code === 125)).toHaveLength(11);
    expect(readFileSync(join(folder, 'out'), 'utf8')).toBe('ran\n');
    expect(readFileSync(join(folder, 'exit.main'), 'utf8')).toBe('0 end\n');
  });

  test('a shim of an earlier life that claims first is watched, not doubled', async () => {
    const first = await startServer({ kind: 'process', ...folders });
    server = first;
    await register(first, 'job', [container('main', { command: ['sh', '-c', 'echo second >> out'] })]);
    const { tasks } = first.ecs.api.RunTask({ taskDefinition: 'job' });
    const folder = join(folders.dataDir, 'ecs', 'tasks', tasks![0]!.taskArn!.slice(-32));
    // nothing has been started yet: this one, which stands for a shim of an earlier life, claims the container first
    const earlier = spawn(
      '/bin/sh',
      ['-c', 'while [ ! -e go ]; do sleep 0.02; done; echo "5 end" > "$1/exit.main"', 'x', folder],
      {
        cwd: folders.workspaceDir,
        stdio: 'ignore',
      },
    );
    writeFileSync(join(folder, 'started.main'), `${earlier.pid}\n`, { flag: 'wx' });
    await eventOf(first, tasks![0]!.taskArn, 'RUNNING');
    await eventually(() =>
      processes().some(({ command }) => command.includes('muster-task') && command.includes(folder)) ? null : true,
    );
    expect(await taskOf(first.client, tasks![0]!.taskArn)).toMatchObject({ lastStatus: 'RUNNING' });
    writeFileSync(join(folders.workspaceDir, 'go'), '');
    expect(await until(first.client, tasks![0]!.taskArn, 'STOPPED')).toMatchObject({ containers: [{ exitCode: 5 }] });
    expect(outLines()).toEqual([]);
  });
});
