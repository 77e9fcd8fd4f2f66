import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import {
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  StopTaskCommand,
  type ContainerDefinition,
  type Task,
} from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { endingOf } from '../../shared/domain/planner/ending.ts';
import { markInPs } from '../../local/ecs/driver/processes.ts';
import {
  container,
  eventOf,
  eventually,
  makeFolders,
  processes,
  register,
  startServer,
  withEnv,
  type TaskServer,
} from './task-server.ts';

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

/** Runs one container with this command to its end; `out` is what it wrote into `$MUSTER_WORKSPACE/out`. */
async function runToEnd(
  command: string[],
  more: Partial<ContainerDefinition> = {},
  overrides = {},
): Promise<{ task: Task; out: string }> {
  await register(server, 'job', [container('main', { command, ...more })]);
  const { tasks } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job', overrides }));
  await eventOf(server, tasks![0]!.taskArn, 'STOPPED');
  const out = join(folders.workspaceDir, 'out');
  const described = server.ecs.api.DescribeTasks({ tasks: [tasks![0]!.taskArn] }).tasks![0] as Task;
  return { task: described, out: existsSync(out) ? readFileSync(out, 'utf8') : '' };
}

const writeOut = (script: string): string[] => ['sh', '-c', `${script} > "$MUSTER_WORKSPACE/out"`];

test('a program sees the host name of its machine', async () => {
  const { out } = await runToEnd(writeOut('uname -n'), {
    environment: [{ name: 'JOB_COMPLETION_INDEX', value: '7' }],
  });
  expect(out.split('\n')[0]).toBe(hostname());
});

test('a task sees the environment that it was given, the workspace, a path, and nothing of ours', async () => {
  process.env['MUSTER_TEST_SECRET'] = 'of the user';
  const { out } = await runToEnd(
    [
      process.execPath,
      '-e',
      'require("fs").writeFileSync(process.env.MUSTER_WORKSPACE + "/out", JSON.stringify(process.env))',
    ],
    {
      environment: [
        { name: 'A', value: 'definition' },
        { name: 'B', value: 'definition' },
        { name: 'with.dots', value: 'x=y' },
        { name: 'PWD', value: 'mine' },
        { name: 'n', value: '5' },
      ],
    },
    withEnv({ B: 'override', C: 'two\nlines and "quotes"' }),
  );
  delete process.env['MUSTER_TEST_SECRET'];
  const env = JSON.parse(out) as Record<string, string>;
  expect(env).toEqual({
    A: 'definition',
    B: 'override',
    C: 'two\nlines and "quotes"',
    'with.dots': 'x=y',
    PWD: 'mine',
    n: '5',
    MUSTER_ADDRESS: '127.0.0.1', // it has none of its own here
    MUSTER_CONTAINER: expect.stringMatching(/\/ecs\/tasks\/[0-9a-f]{32}\/main$/) as string,
    MUSTER_WORKSPACE: realpathSync(folders.workspaceDir),
    PATH: `${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
  });
});

test('what every task gets yields to what a container says; programs are found in its PATH, as in a Python environment', async () => {
  await server.close();
  const bin = join(folders.workspaceDir, 'venv', 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'python'), '#!/bin/sh\necho "$0 $HOME $LANG $TZ" > "$MUSTER_WORKSPACE/out"\n', {
    mode: 0o755,
  });
  const environment = { PATH: `${bin}:/usr/bin:/bin`, HOME: '/home/ann', LANG: 'de_DE.UTF-8', TZ: 'Europe/Berlin' };
  server = await startServer({ kind: 'process', ...folders, environment });
  const { out } = await runToEnd(['python'], { environment: [{ name: 'TZ', value: 'UTC' }] });
  expect(out).toBe(`${join(bin, 'python')} /home/ann de_DE.UTF-8 UTC\n`);
});

describe('variables whose names no shell passes on', () => {
  const ODD = ['db.password', '-u', '--version', '1st', 'a b', 'IFS', 'BASH_ENV', 'NODE_OPTIONS'];
  const environment = ODD.map((name) => ({ name, value: `top secret of ${name}` }));
  const more = { environment: [...environment, { name: 'PLAIN', value: 'top secret of PLAIN' }] };
  const node = (script: string): string[] => ['env', '-u', 'NODE_OPTIONS', process.execPath, '-e', script];
  const ready = 'require("fs").writeFileSync(process.env.MUSTER_WORKSPACE + "/out", JSON.stringify(process.env))';

  test('reach the command, and no command line of this machine holds a value', async () => {
    await register(server, 'job', [
      container('main', { command: node(`${ready}; setTimeout(() => {}, 600_000)`), ...more }),
    ]);
    const { tasks } = server.ecs.api.RunTask({ taskDefinition: 'job' });
    const out = join(folders.workspaceDir, 'out');
    const text = await eventually(() => (existsSync(out) ? readFileSync(out, 'utf8') || null : null));
    const seen = JSON.parse(text) as Record<string, string>;
    const missing = more.environment.filter(({ name, value }) => seen[name] !== value).map(({ name }) => name);
    expect(missing).toEqual(['NODE_OPTIONS']); // which the command itself has taken out
    expect(processes().filter(({ command }) => command.includes('top secret'))).toEqual([]);
    const held = readdirSync(folders.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /input\./.test(name),
    );
    expect(held).toEqual([]);
    await server.client.send(new StopTaskCommand({ task: tasks![0]!.taskArn }));
    expect(await eventOf(server, tasks![0]!.taskArn, 'STOPPED')).toMatchObject({ containers: [{ exitCode: 143 }] });
  });

  test.each([
    ['exit 7', 7],
    ['kill -SEGV $$', 139],
    ['kill -TERM $$; sleep 600', 143],
  ])('do not change how it ends: %s', async (script, exitCode) => {
    expect((await runToEnd(['sh', '-c', script], more)).task).toMatchObject({ containers: [{ exitCode }] });
  });
});

test('what this machine lacks for a while is not put down to the command', async () => {
  await register(server, 'job', [container('main', { command: ['true'] })]);
  rmSync(folders.workspaceDir, { recursive: true });
  const { tasks } = server.ecs.api.RunTask({ taskDefinition: 'job' });
  const { stoppedReason, stopCode } = await eventOf(server, tasks![0]!.taskArn, 'STOPPED');
  expect({ stoppedReason, stopCode }).toEqual({
    stoppedReason: expect.stringMatching(/^InternalError: the workspace .* does not exist$/) as string,
    stopCode: 'TaskFailedToStart',
  });
  expect(endingOf({ ...NOTHING_SAID, stopCode: stopCode!, stoppedReason: stoppedReason! }).cause).toBe('Unplaced');
});
const NOTHING_SAID = { exitCode: null, container: null, containerReason: null, started: false };

test('entry point and command make one command line, an override replaces the command', async () => {
  const definition = { entryPoint: ['sh', '-c', 'printf "[%s]" "$@" > "$MUSTER_WORKSPACE/out"', 'argv0'] };
  expect((await runToEnd(['a b', '$HOME', "it's"], definition)).out).toBe("[a b][$HOME][it's]");
  const overrides = { containerOverrides: [{ name: 'main', command: ['other'] }] };
  expect((await runToEnd(['a'], definition, overrides)).out).toBe('[other]');
});

test('commands run in the workspace, or in their own folder relative to it', async () => {
  const workspace = realpathSync(folders.workspaceDir);
  expect((await runToEnd(writeOut('pwd'))).out).toBe(`${workspace}\n`);
  mkdirSync(join(workspace, 'sub'));
  expect((await runToEnd(writeOut('pwd'), { workingDirectory: 'sub' })).out).toBe(`${workspace}/sub\n`);
  expect((await runToEnd(writeOut('pwd'), { workingDirectory: '/' })).out).toBe('/\n');
});

test.each([
  [
    ['no-such-program'],
    {},
    /^CannotStartContainerError: no-such-program: command not found; looked in PATH \/[^ ]+( and \d+ more folders)?$/,
  ],
  [['exit', '3'], {}, /exit: command not found/], // a shell's word, but no program
  [['./nothing-here'], {}, /\.\/nothing-here: no such file; looked for \/.*\/nothing-here$/],
  [['./not-executable'], {}, /\/not-executable is not executable; run chmod \+x/],
  [['./a-folder'], {}, /\/a-folder is a folder$/],
  [['not-executable'], { environment: [{ name: 'PATH', value: '.' }] }, /\/not-executable is not executable/],
  [['snake'], { environment: [{ name: 'PATH', value: '.' }] }, /command not found \(there is \/.*\/snake3\)/],
  [['true'], { workingDirectory: 'not-executable' }, /working directory .*not-executable is not a folder/],
  [['true'], { workingDirectory: 'nowhere' }, /working directory .*nowhere does not exist/],
  [
    ['true'],
    { environment: [{ name: 'PATH', value: '/nowhere' }] },
    /true: command not found; looked in PATH \/nowhere$/,
  ],
  [
    ['true'],
    { environment: [{ name: 'PATH', value: '/a:/b:/c:/d:/e' }] },
    /true: command not found; looked in PATH \/a:\/b and 3 more folders$/,
  ],
  [['true', 'a\0b'], {}, /CannotStartContainerError/],
])('what cannot be started is no failure of the command: %j', async (command, more, reason) => {
  writeFileSync(join(folders.workspaceDir, 'not-executable'), '#!/bin/sh\n');
  writeFileSync(join(folders.workspaceDir, 'snake3'), '#!/bin/sh\n', { mode: 0o755 });
  mkdirSync(join(folders.workspaceDir, 'a-folder'));
  const { task } = await runToEnd(command, more);
  expect(task).toMatchObject({ stopCode: 'TaskFailedToStart', stoppedReason: expect.stringMatching(reason) as string });
  expect(task.containers![0]).not.toHaveProperty('exitCode');
});

test('a program in the workspace is found by its relative path, a shell script without a first line too', async () => {
  const program = join(folders.workspaceDir, 'program');
  writeFileSync(program, 'exit 4\n');
  chmodSync(program, 0o755);
  expect((await runToEnd(['./program'])).task.containers).toMatchObject([{ exitCode: 4 }]);
});

test.each([
  ['KILL', 137],
  ['SEGV', 139],
  ['TERM', 143],
  ['INT', 130],
])('a command that dies of SIG%s ends with %i', async (signal, exitCode) => {
  expect((await runToEnd(['sh', '-c', `kill -${signal} $$; sleep 600`])).task).toMatchObject({
    stopCode: 'EssentialContainerExited',
    containers: [{ exitCode }],
  });
});

test('a container without a command is refused, at registration and when an override takes its command away', async () => {
  const message = /the process driver runs commands, not images: container main has no command/;
  await expect(register(server, 'job', [{ name: 'main', image: 'busybox' }])).rejects.toMatchObject({
    name: 'ClientException',
    message: expect.stringMatching(message) as string,
  });
  await register(server, 'job');
  const overrides = { containerOverrides: [{ name: 'main', command: [] }] };
  await expect(server.client.send(new RunTaskCommand({ taskDefinition: 'job', overrides }))).rejects.toMatchObject({
    name: 'ClientException',
    message: expect.stringMatching(message) as string,
  });
});

test('awslogs without a group or a prefix is refused, and so are names that no file can have', async () => {
  const withLog = (options: Record<string, string>) => [
    container('main', { logConfiguration: { logDriver: 'awslogs', options } }),
  ];
  for (const options of [
    { 'awslogs-group': 'g' },
    { 'awslogs-stream-prefix': 'p' },
    { 'awslogs-group': '/'.repeat(100), 'awslogs-stream-prefix': 'p' },
  ] as Record<string, string>[]) {
    const call = server.client.send(
      new RegisterTaskDefinitionCommand({
        family: 'job',
        cpu: '256',
        memory: '512',
        containerDefinitions: withLog(options),
      }),
    );
    await expect(call).rejects.toMatchObject({ name: 'ClientException' });
  }
});

test('what a command leaves in the background ends with it, also in a process group of its own', async () => {
  await register(server, 'job', [
    container('main', { command: ['sh', '-c', 'sleep 611 & timeout 611 sleep 612 & sleep 0.1; exit 6'] }),
  ]);
  const { tasks } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job' }));
  expect(await eventOf(server, tasks![0]!.taskArn, 'STOPPED')).toMatchObject({ containers: [{ exitCode: 6 }] });
  await eventually(() => (processes().some(({ command }) => /^(sleep|timeout) 61[12]/.test(command)) ? null : true));
});

test('SIGTERM reaches a command that has made itself a process group', async () => {
  await register(server, 'job', [container('main', { command: ['timeout', '613', 'sleep', '614'] })]);
  const { tasks } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job' }));
  await eventually(() => (processes().some(({ command }) => command.startsWith('sleep 614')) ? true : null));
  await server.client.send(new StopTaskCommand({ task: tasks![0]!.taskArn }));
  expect(await eventOf(server, tasks![0]!.taskArn, 'STOPPED')).toMatchObject({
    stopCode: 'UserInitiated',
    containers: [{ exitCode: 143 }],
  });
  expect(processes().filter(({ command }) => command.startsWith('sleep 614'))).toEqual([]);
});

test('a command may end in its own way after SIGTERM', async () => {
  await register(server, 'job', [
    container('main', {
      command: ['sh', '-c', 'trap "echo bye >> out; exit 0" TERM; echo ready >> out; while :; do sleep 0.02; done'],
    }),
  ]);
  const { tasks } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job' }));
  const out = join(folders.workspaceDir, 'out');
  await eventually(() => (existsSync(out) ? true : null));
  await server.client.send(new StopTaskCommand({ task: tasks![0]!.taskArn }));
  expect(await eventOf(server, tasks![0]!.taskArn, 'STOPPED')).toMatchObject({
    stopCode: 'UserInitiated',
    containers: [{ exitCode: 0 }],
  });
  expect(readFileSync(out, 'utf8')).toBe('ready\nbye\n');
});

test('a stop right after the start is not swallowed', async () => {
  await register(server, 'job');
  for (let n = 0; n < 20; n++) {
    const { tasks } = await server.client.send(
      new RunTaskCommand({ taskDefinition: 'job', overrides: withEnv({ HOLD: '1' }) }),
    );
    await eventOf(server, tasks![0]!.taskArn, 'RUNNING');
    await server.client.send(new StopTaskCommand({ task: tasks![0]!.taskArn }));
    expect(await eventOf(server, tasks![0]!.taskArn, 'STOPPED')).toMatchObject({
      stopCode: 'UserInitiated',
      containers: [{ exitCode: 143 }],
    });
  }
});

test('a task whose shim is killed is lost, and its processes are killed', async () => {
  await register(server, 'job', [container('main', { command: ['sleep', '615'] })]);
  const { tasks } = await server.client.send(new RunTaskCommand({ taskDefinition: 'job' }));
  const sleeper = await eventually(() => processes().find(({ command }) => /^\S*sleep 615$/.test(command)));
  process.kill(sleeper.parent, 'SIGKILL');
  const end = await eventOf(server, tasks![0]!.taskArn, 'STOPPED');
  expect(end).toMatchObject({
    stopCode: 'InfrastructureHealth',
    stoppedReason: expect.stringMatching(/^InternalError: /) as string,
  });
  expect(end.containers[0]).not.toHaveProperty('exitCode');
  await eventually(() => (processes().some(({ pid }) => pid === sleeper.pid) ? null : true));
});

describe.runIf(process.platform === 'linux')('daemons end with the container that started them', () => {
  const DAEMONS = {
    'a session of its own, silent': 'setsid sleep 617 </dev/null >/dev/null 2>&1 &',
    'a double fork': '(setsid sh -c "sleep 617 & exec sleep 617" </dev/null >/dev/null 2>&1 &) &',
    'that print into the log and have no environment': 'setsid env -i /bin/sleep 617 </dev/null &',
  };
  const sleepers = () => processes().filter(({ command }) => command.endsWith('sleep 617'));

  test.each(Object.entries(DAEMONS))('%s', async (_, script) => {
    const wait = 'until pgrep -f "sleep 61[7]" > "$MUSTER_WORKSPACE/out"; do sleep 0.02; done';
    const { out } = await runToEnd(['sh', '-c', `${script} ${wait}`]);
    expect(out).toMatch(/^\d+\n/); // it was there
    await eventually(() => (sleepers().length === 0 ? true : null));
  });
});

test.each([
  [
    '/usr/bin/sleep 5 A=b MUSTER_CONTAINER=/Users/me/my jobs/.muster/ecs/tasks/0a/main LANG=C',
    '/Users/me/my jobs/.muster/ecs/tasks/0a/main',
  ],
  ['sleep 5 MUSTER_CONTAINER=/a/main', '/a/main'],
  ['sleep 5 NOT_MUSTER_CONTAINER=/a/main', null],
  ['sleep 5', null],
])('the mark is found in what `ps -E` says: %s', (line, expected) => {
  expect(markInPs(line)).toBe(expected);
});

test('stopAll finds a daemon that has left its session', async () => {
  const isThere = () => processes().some(({ command }) => command.startsWith('sleep 616'));
  // The command runs until stopAll: a second after its end, the daemon would be searched for anyway.
  await register(server, 'job', [container('main', { command: ['sh', '-c', 'setsid sleep 616 & exec sleep 600'] })]);
  await server.client.send(new RunTaskCommand({ taskDefinition: 'job' }));
  await eventually(() => (isThere() ? true : null));
  await server.ecs.stopAll();
  await expect.poll(isThere).toBe(false);
});

test('two hundred tasks at once all run, once each', async () => {
  await register(server, 'job', [container('main', { command: ['sh', '-c', 'echo "$JOB_COMPLETION_INDEX" >> out'] })]);
  const runs = await Promise.all(
    Array.from({ length: 200 }, async (_, n) =>
      server.client.send(
        new RunTaskCommand({ taskDefinition: 'job', overrides: withEnv({ JOB_COMPLETION_INDEX: String(n) }) }),
      ),
    ),
  );
  for (const { tasks } of runs)
    expect(await eventOf(server, tasks![0]!.taskArn, 'STOPPED')).toMatchObject({ containers: [{ exitCode: 0 }] });
  const lines = readFileSync(join(folders.workspaceDir, 'out'), 'utf8').trim().split('\n');
  expect([lines.length, new Set(lines).size]).toEqual([200, 200]);
});
