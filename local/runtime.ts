import { randomBytes, randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { createSqsClient } from '../shared/adapters/aws/sqs-queues.ts';
import { createDynamoClient } from '../shared/adapters/aws/dynamo-client.ts';
import { createTable } from '../shared/adapters/aws/dynamo-table.ts';
import { createSqsEventTarget } from '../shared/adapters/aws/sqs-event-target.ts';
import { createMemoryStore } from '../shared/adapters/memory/store.ts';
import { systemClock } from '../shared/adapters/system-clock.ts';
import { ensureNamespace } from '../shared/control/namespace-standing.ts';
import { sweepJobs, sweepTasks } from '../shared/control/sweep.ts';
import { HOSTS_MAX } from '../shared/domain/host-names.ts';
import { DEFAULT_NAMESPACE } from '../shared/domain/namespace.ts';
import { EMBEDDED_TIMING, pacedTiming } from '../shared/domain/timing.ts';
import { kubeApiOf } from '../shared/runtime/api.ts';
import { provideRuntime } from '../shared/runtime/aws.ts';
import { type RuntimeOptions, type StoreOptions, createRuntime } from '../shared/runtime/deps.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { createPlainTelemetry } from '../shared/telemetry/plain-telemetry.ts';
import { type DataFolder, takeDataFolder } from './data-folder.ts';
import { createEcs, type EcsOptions } from './ecs/create-ecs.ts';
import type { Script } from './ecs/simulated-driver.ts';
import { watchClock } from './clock-watch.ts';
import { keepEngine } from './engine-keeper.ts';
import { startKeptFront } from './front/kept-front.ts';
import { contextOf, startMapping } from './event-source/mapping.ts';
import { startSchedule } from './event-source/schedule.ts';
import { type Handlers, ownHandlers } from './handlers.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { createLogs } from './logs/create-logs.ts';
import { startQueueServer } from './queues/queue-server.ts';
import { startTaskNames } from './task-names.ts';
import { serveAwsJson } from './wire/aws-json.ts';
import { diskFault, startFault } from './start-fault.ts';
import { listenOnLoopback } from './wire/loopback-server.ts';

export type LocalOptions = {
  /** null: the one that the folder had before, or a free one; 0: any free one */
  readonly port: number | null;
  readonly dataDir: string;
  /** where tasks run, and what MUSTER_WORKSPACE names */
  readonly workspaceDir: string;
  readonly driver: 'process' | 'simulated';
  /** variables that every task gets unless it says otherwise; none but a PATH if left out */
  readonly taskEnvironment?: Readonly<Record<string, string>>;
  /** how simulated tasks go */
  readonly script?: Script;
  /** weather of the embedded ECS's events */
  readonly events?: EcsOptions['events'];
  /** ECS's own rules for callers; nothing is throttled if left out */
  readonly limits?: EcsOptions['limits'];
  /** what may run at once; all that is asked for if left out */
  readonly quota?: EcsOptions['quota'];
  /** RunTask and StopTask calls a second that Muster allows itself; null: no limit */
  readonly launchesPerSec?: number | null;
  readonly stopsPerSec?: number | null;
  /** `engine`: the embedded DynamoDB engine, or memory where it is not installed; `memory`: nothing survives; else an endpoint */
  readonly store?: 'engine' | 'memory' | { readonly endpoint: string };
  /** the functions to run; ours if left out, bundled ones in a test */
  readonly handlers?: (options: RuntimeOptions) => Promise<Handlers>;
  /** see RuntimeOptions.onClient; the client by which the embedded EventBridge sends is shown, too */
  readonly onClient?: RuntimeOptions['onClient'];
  /** a line for people */
  readonly say: (line: string) => void;
};

export type LocalRuntime = {
  readonly kind: 'started';
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly kubeconfig: string;
  /** Where everything is: what the functions of this runtime were given. */
  readonly options: RuntimeOptions;
  /** Ends every task and process that it started, and nothing else. */
  stop(): Promise<void>;
};

export type NotStarted = { readonly kind: 'refused'; readonly reason: string };

const REGION = 'us-east-1';
const CLUSTER = 'muster';
const LOG_GROUP = '/muster/tasks';
const TABLE_NAME = 'muster';
/** No handler of ours takes longer; a message whose handler died comes again after it. */
const TIMEOUT_MS = 30_000;
/** A dispatcher waits for the moments at which it may call, so that some more than there is work for cost nothing. */
const DISPATCHERS = 12;
/** Too short to be noticed; a steady stream of facts is counted in a third of the passes. */
const COALESCE_MS = 100;
const SWEEP_EVERY_MS = 20_000;
const DRAIN_MS = 2_000;
const TASKS_SWEPT_EVERY_MS = 3_600_000;
/** The embedded runtime is used by one person: what its Jobs left is kept for a month. */
const HISTORY_MS = 30 * 86_400_000;
/** V8 lets the heap of a busy process grow to several times what it holds; a machine has other work, too. */
const THRIFT = '--heap-growing-percent=50';

/**
 * Starts the embedded AWS on 127.0.0.1 and the very handlers that run on Lambda, and resolves when `GET /version` answers.
 * Jobs and tasks that an earlier runtime on this folder left, whatever ended it, go on.
 */
export async function startLocalRuntime(options: LocalOptions): Promise<LocalRuntime | NotStarted> {
  setFlagsFromString(THRIFT);
  const closers: Closer[] = [];
  try {
    const folder = takeDataFolder(options.dataDir, options.say);
    if (folder.kind === 'refused') return folder;
    closers.push(() => folder.release());
    return { ...(await startOn(folder, options, closers)), stop: async () => closeAll(closers) };
  } catch (error) {
    await closeAll(closers).catch((left: unknown) => options.say(`warning: not all could be ended: ${String(left)}`));
    const reason = startFault(error, options.dataDir);
    if (reason === null) throw error;
    return { kind: 'refused', reason };
  }
}

type Closer = () => Promise<void> | void;

/** Last come, first closed; one that fails keeps none of the others from being closed, and is thrown at the end. */
async function closeAll(closers: Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function startOn(
  folder: DataFolder,
  options: LocalOptions,
  closers: Closer[],
): Promise<Omit<LocalRuntime, 'stop'>> {
  const { say } = options;
  const accessKey = `LOCAL${randomBytes(12).toString('hex').toUpperCase()}`;
  const warn = (message: string, fields?: unknown): void =>
    say(`warning: ${message}${fields === undefined ? '' : ` ${JSON.stringify(fields)}`}`);

  const store = await openStore(folder, options, closers);
  const queues = await startQueueServer({ region: REGION, accessKey, visibilitySec: TIMEOUT_MS / 1000 });
  closers.push(() => queues.close());

  const names = await startTaskNames(folder.path, { region: REGION, jobsAreKept: store.kind === 'dynamodb' }, warn);
  closers.push(() => names.close());

  const eventClient = createSqsClient({ region: REGION, endpoint: queues.endpoint, accessKey });
  options.onClient?.(eventClient);
  closers.push(() => eventClient.destroy());
  const ecs = createEcs({
    driver:
      options.driver === 'simulated'
        ? {
            kind: 'simulated',
            dataDir: folder.path,
            ...(options.script === undefined ? {} : { script: options.script }),
          }
        : {
            kind: 'process',
            dataDir: folder.path,
            workspaceDir: options.workspaceDir,
            environment: options.taskEnvironment ?? {},
            network: names.network,
          },
    onEvent: createSqsEventTarget({ client: eventClient, url: queues.urls.facts }),
    events: { ...options.events, statuses: ['RUNNING', 'STOPPED'] }, // what the EventBridge rule forwards
    clusters: [CLUSTER],
    region: REGION,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.quota === undefined ? {} : { quota: options.quota }),
    log: warn,
  });
  const logs = createLogs({ dataDir: folder.path, isLive: (taskId) => ecs.isLive(taskId), region: REGION });
  const front = await listenOnLoopback(
    serveAwsJson([ecs.service, logs.service, names.cloudmap.service], { accessKeyId: accessKey, onSurprise: warn }),
  );
  closers.push(() => front.close());
  await ecs.start();
  closers.push(() => ecs.stopAll());

  const runtimeOptions: RuntimeOptions = {
    region: REGION,
    endpoints: { sqs: queues.endpoint, ecs: front.url, logs: front.url },
    accessKey,
    store,
    queues: queues.urls,
    deadQueues: queues.deadUrls,
    placement: {
      cluster: CLUSTER,
      subnets: ['subnet-local'],
      securityGroups: [],
      assignPublicIp: 'DISABLED',
      capacity: 'FARGATE',
    },
    executionRoleArn: 'arn:aws:iam::000000000000:role/muster-execution',
    taskRoleArn: null,
    taskRoles: null,
    logGroup: LOG_GROUP,
    names: { namespaceId: names.cloudmap.namespaceId, zone: names.cloudmap.zone, endpoint: front.url },
    settings: {
      timing: pacedTiming(EMBEDDED_TIMING, options.launchesPerSec ?? null),
      launchesPerSec: options.launchesPerSec ?? null,
      stopsPerSec: options.stopsPerSec ?? null,
      historyMs: HISTORY_MS,
      hosts: { max: HOSTS_MAX, servicesPerSec: null, tasksPerSec: null },
    },
    coalesceMs: COALESCE_MS,
    ...(options.onClient === undefined ? {} : { onClient: options.onClient }),
    telemetry: createPlainTelemetry({ write: (line) => say(line.trimEnd()) }),
  };
  const runtime = createRuntime(runtimeOptions);
  closers.push(() => runtime.close());
  provideRuntime(runtime);
  closers.push(() => provideRuntime('stopped'));
  await ensureNamespace(DEFAULT_NAMESPACE, randomUUID(), runtime.deps);

  const handlers = await (options.handlers ?? ownHandlers)(runtimeOptions);
  closers.push(startMappings(handlers, runtime, queues.arns, warn));
  const pruneLogs = (): unknown => logs.prune(Date.now() - HISTORY_MS);
  pruneLogs();
  closers.push(startSweeps(handlers, runtime, pruneLogs, warn));

  const outageOf = (error: unknown): string | null => diskFault(error, folder.path);
  const app = kubeApiOf(runtime, { embedded: true, needsCommand: options.driver === 'process', outageOf });
  const api = await startKeptFront(app, folder.path, options);
  closers.push(() => api.close());
  // Facts and wake-ups that were queued died with an earlier runtime: every open Job and every task is looked at.
  const lookAtEverything = async (): Promise<void> => {
    await sweepJobs({ everything: true }, runtime.deps);
    await sweepTasks({ after: null }, runtime.deps);
  };
  await lookAtEverything();
  // Messages that are delayed, or in hands that died, would stay hidden for as long as the clock went back.
  const onSetBack = (byMs: number): void => {
    warn('the clock was set back: every open Job is looked at', { byMs: Math.round(byMs) });
    lookAtEverything().catch((error: unknown) => warn('look at everything failed', { error: String(error) }));
  };
  closers.push(watchClock({ onSetBack }));
  return { kind: 'started', url: api.url, kubeconfig: writeKubeconfig(folder.path, api.url), options: runtimeOptions };
}

async function openStore(
  folder: DataFolder,
  { store = 'engine', say }: LocalOptions,
  closers: Closer[],
): Promise<StoreOptions> {
  const inMemory = (): StoreOptions => ({ kind: 'given', ...createMemoryStore({ now: () => systemClock.now() }) });
  if (store === 'memory') return inMemory();
  let endpoint = typeof store === 'object' ? store.endpoint : null;
  if (endpoint === null) {
    const engine = await keepEngine(folder, (message) => say(`warning: ${message}`));
    if (engine.kind === 'absent') {
      say(`warning: no DynamoDB engine (${engine.reason}): Jobs are kept in memory and are gone when this ends`);
      return inMemory();
    }
    closers.push(() => engine.stop());
    endpoint = engine.endpoint;
  }
  const client = createDynamoClient({ region: REGION, endpoint });
  await createTable(client, TABLE_NAME);
  client.destroy();
  return { kind: 'dynamodb', tableName: TABLE_NAME, endpoint };
}

/** Lambda's event source mappings: reconcile on wake-ups and facts, dispatch on its queue. */
function startMappings(
  handlers: Handlers,
  runtime: Runtime,
  arns: Readonly<Record<'wake' | 'facts' | 'dispatch', string>>,
  onError: (message: string, error: unknown) => void,
): () => Promise<void> {
  const mapping = (
    queue: 'wake' | 'facts' | 'dispatch',
    functionName: 'reconcile' | 'dispatch',
    concurrency: number,
  ) => {
    const inbox = runtime.inboxOf(arns[queue]);
    if (inbox === null) throw new Error(`no queue ${arns[queue]}`);
    return startMapping({
      inbox,
      queueArn: arns[queue],
      handler: handlers[functionName],
      functionName,
      concurrency,
      timeoutMs: TIMEOUT_MS,
      onError,
    });
  };
  const mappings = [
    mapping('wake', 'reconcile', 2),
    mapping('facts', 'reconcile', 2),
    mapping('dispatch', 'dispatch', DISPATCHERS),
  ];
  return async () => {
    await Promise.all(mappings.map((each) => each.stop(DRAIN_MS)));
  };
}

/** The sweep, oftener than on AWS, where each costs something. */
function startSweeps(
  handlers: Handlers,
  { deps }: Runtime,
  pruneLogs: () => unknown,
  onError: (message: string, error: unknown) => void,
): () => Promise<void> {
  const schedules = [
    startSchedule({
      everyMs: SWEEP_EVERY_MS,
      work: async () =>
        handlers.sweep({ time: new Date(deps.clock.now()).toISOString() }, contextOf('sweep', TIMEOUT_MS)),
      onError: (error) => onError('sweep failed', String(error)),
    }),
    startSchedule({
      everyMs: TASKS_SWEPT_EVERY_MS,
      async work() {
        pruneLogs();
        await sweepTasks({ after: null }, deps);
      },
      onError: (error) => onError('sweep of tasks failed', String(error)),
    }),
  ];
  return async () => {
    await Promise.all(schedules.map(async (each) => each.stop(DRAIN_MS)));
  };
}
