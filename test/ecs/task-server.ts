import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { ECSClient, RegisterTaskDefinitionCommand, type ContainerDefinition } from '@aws-sdk/client-ecs';
import { createEcs, type DriverChoice, type Ecs, type EcsOptions } from '../../local/ecs/create-ecs.ts';
import type { EcsTaskEvent } from '../../local/ecs/task-event.ts';
import { wallTimers } from '../../local/ecs/timers.ts';
import { createLogs } from '../../local/logs/create-logs.ts';
import { serveAwsJson, type AwsService } from '../../local/wire/aws-json.ts';
import { ecsService } from '../../local/wire/ecs-wire.ts';
import { logsService } from '../../local/wire/logs-wire.ts';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';
import { taskEventFaults } from '../models/event-faults.ts';
import { HAS_MODELS } from '../models/service-model.ts';
import { checkWire, noteSeen } from '../models/wire-check.ts';

/** An ECS that answers over HTTP, with the real client in front of it and the events that it has sent so far. */
export type TaskServer = {
  readonly ecs: Ecs;
  readonly client: ECSClient;
  readonly logs: CloudWatchLogsClient;
  readonly url: string;
  readonly events: EcsTaskEvent[];
  /** Resolves when a task's command is what it holds with, not the shell that is about to become it; where there are programs. */
  readonly ready?: (taskId: string) => Promise<void>;
  /** Sets the server's clock forward. */
  advance(ms: number): void;
  /** Ends the tasks and the server. */
  close(): Promise<void>;
};

export type ServerOptions = Omit<Partial<EcsOptions>, 'timers'> & {
  /** stands between the service and HTTP: a place for faults */
  readonly wrap?: (ecs: Ecs) => AwsService;
  readonly wrapEvent?: (event: EcsTaskEvent) => EcsTaskEvent;
  /** see {@link TaskServer}; that of processes by default */
  readonly ready?: (taskId: string) => Promise<void>;
};

export type MakeServer = (options?: ServerOptions) => Promise<TaskServer>;

/** Folders of one test; removed by `remove`. */
export function makeFolders(): { readonly dataDir: string; readonly workspaceDir: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'muster-ecs-'));
  return {
    dataDir: join(root, 'data'),
    workspaceDir: join(root, 'workspace'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Starts ECS and Logs on one front, on a free port. */
export async function startServer(
  driver: DriverChoice,
  { wrap, wrapEvent, ready = driver.kind === 'process' ? holds : undefined, ...options }: ServerOptions = {},
): Promise<TaskServer> {
  let offsetMs = 0;
  const timers = wallTimers(() => Date.now() + offsetMs);
  const events: EcsTaskEvent[] = [];
  const surprises: unknown[] = [];
  const ecs = createEcs({
    driver,
    timers,
    onEvent: async (event) => {
      if (HAS_MODELS) surprises.push(...taskEventFaults(event));
      events.push(wrapEvent?.(event) ?? event);
      return Promise.resolve();
    },
    ...options,
  });
  await ecs.start();
  const services = [wrap?.(ecs) ?? ecsService(ecs.api)];
  if (driver.kind === 'process')
    services.push(logsService(createLogs({ dataDir: driver.dataDir, isLive: (id) => ecs.isLive(id) }).api));
  const server = await listenOnLoopback(
    serveAwsJson(services, { onSurprise: (message, fields) => surprises.push([message, fields]) }),
  );
  const config = {
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  };
  const client = new ECSClient(config);
  const logs = new CloudWatchLogsClient(config);
  // Tests send what is refused, too, so requests are not held against AWS's models; answers are.
  for (const each of [client, logs]) checkWire(each, 'answers', (fault) => surprises.push(fault));
  return {
    ecs,
    client,
    logs,
    url: server.url,
    events,
    ...(ready === undefined ? {} : { ready }),
    advance(ms) {
      offsetMs += ms;
      timers.wake();
    },
    async close() {
      client.destroy();
      logs.destroy();
      await ecs.stopAll(500);
      await server.close();
      noteSeen();
      if (surprises.length > 0) throw new Error(`the server met surprises: ${JSON.stringify(surprises)}`);
    },
  };
}

/** Resolves when the task's command is what it holds with: see `ready`. */
export async function holds(taskId: string): Promise<void> {
  await eventually(() => {
    const shims = processes().filter(({ command }) => command.includes(taskId));
    const pids = new Set(shims.map(({ pid }) => pid));
    return processes().some(({ parent, command }) => pids.has(parent) && command.startsWith('sleep')) ? true : null;
  });
}

/** All processes of this machine, for those who look for what was left behind. */
export function processes(): { pid: number; parent: number; group: number; command: string }[] {
  const lines = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,pgid=,stat=,command='], { encoding: 'utf8' }).split(
    '\n',
  );
  return lines.flatMap((line) => {
    const [, pid, parent, group, stat = '', command = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || stat.startsWith('Z')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), group: Number(group), command }];
  });
}

/**
 * What a test container does, told by its environment so that both drivers understand it: ends at once with EXIT (0), or
 * HOLDs until SIGTERM (`stubborn`: until it is killed).
 */
const SCRIPT =
  'if [ "$HOLD" = stubborn ]; then trap "" TERM; exec sleep 600; elif [ -n "$HOLD" ]; then exec sleep 600; else exit "${EXIT:-0}"; fi';

/** The image of {@link container}: it passes signals on to its command. */
export const IMAGE = 'muster-test/contract:1';

export const container = (name: string, more: Partial<ContainerDefinition> = {}): ContainerDefinition => ({
  name,
  image: IMAGE,
  command: ['sh', '-c', SCRIPT],
  ...more,
});

/** The same for the simulated driver. */
export const SIMULATED: DriverChoice = {
  kind: 'simulated',
  script: {
    decide: ({ env }) => ({
      runMs: env.has('HOLD') ? Infinity : 0,
      exitCode: Number(env.get('EXIT') ?? 0),
      ignoresTerm: env.get('HOLD') === 'stubborn',
    }),
  },
};

/** Registers a Fargate definition; returns `family:revision`. */
export async function register(
  { client }: TaskServer,
  family: string,
  containers: ContainerDefinition[] = [container('main')],
): Promise<string> {
  const { taskDefinition } = await client.send(
    new RegisterTaskDefinitionCommand({ family, cpu: '256', memory: '512', containerDefinitions: containers }),
  );
  return `${taskDefinition!.family}:${taskDefinition!.revision}`;
}

/** Environment of the container `main` (or another), as RunTask takes it. */
export const withEnv = (env: Record<string, string>, name = 'main') => ({
  containerOverrides: [{ name, environment: Object.entries(env).map(([key, value]) => ({ name: key, value })) }],
});

/** Asks until there is an answer that is not null; the test's own time limit is the only one. */
export async function eventually<T>(ask: () => T | null | undefined | Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== null && answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The first event of a task with this status, once it has come. */
export const eventOf = async (
  server: TaskServer,
  taskArn: string | undefined,
  lastStatus: string,
): Promise<EcsTaskEvent['detail']> =>
  eventually(
    () => server.events.find(({ detail }) => detail.taskArn === taskArn && detail.lastStatus === lastStatus)?.detail,
  );
