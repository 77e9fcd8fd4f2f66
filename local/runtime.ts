import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { ensureNamespace } from '../shared/control/lifecycle/ensure-namespace.ts';
import { adoptCrons, sweepCrons } from '../shared/control/schedulers/sweep-crons.ts';
import { sweepJobs, sweepTasks } from '../shared/control/sweep/sweep.ts';
import { taskIdOf } from '../shared/domain/base/ids.ts';
import { HOSTS_MAX } from '../shared/domain/task/host-names.ts';
import { invariant } from '../shared/domain/base/invariant.ts';
import { DEFAULT_NAMESPACE } from '../shared/domain/manifests/namespace.ts';
import { EMBEDDED_TIMING, FIRST_PODS_MAX, pacedTiming } from '../shared/domain/base/timing.ts';
import type { QueueName } from '../shared/ports/dead-letters.ts';
import type { Deps } from '../shared/control/process/deps.ts';
import type { Audit } from '../shared/ports/callers/audit.ts';
import {
  KEPT_PORTS,
  LOCAL_PARTS,
  METRIC_ROUTES,
  PAGES,
  SESSION_ROUTES,
  TASK_TOKENS,
  TOKEN_READERS,
  UPGRADES,
} from '../shared/capabilities/lists/embedded.ts';
import { AUTHORIZERS } from '../shared/capabilities/lists/served.ts';
import { authorizationFault } from '../shared/kube/http/open-authorizer.ts';
import type { ApiOptions } from '../shared/kube/http/api-deps.ts';
import { readAccount } from '../shared/store/read-account.ts';
import { kubeApiOf } from '../shared/runtime/api.ts';
import type { RuntimeOptions, StoreOptions } from '../shared/runtime/create-runtime.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import { unreadableRows } from '../shared/domain/base/unreadable-row.ts';
import type { Formats } from '../shared/domain/manifests/new-in-release.ts';
import { createPlainTelemetry } from '../shared/telemetry/plain-telemetry.ts';
import { openAuditFile } from './audit-file.ts';
import { gatewayOf } from './docker/network.ts';
import { EngineFault, type OpenDocker, openDocker } from './docker/open-docker.ts';
import { type DataFolder, takeDataFolder } from './data-folder.ts';
import { createEcs, type Ecs, type EcsOptions } from './ecs/create-ecs.ts';
import type { Script } from './ecs/driver/simulated-driver.ts';
import { watchClock } from './clock-watch.ts';
import { dataFolderSize } from './folder-size.ts';
import { claimFor } from './folder-wiring.ts';
import { guarded } from './front/guarded.ts';
import { startKeptFront } from './front/kept-front.ts';
import { contextOf, startMapping } from './event-source/mapping.ts';
import { startSchedule } from './event-source/schedule.ts';
import { type Handlers, ownHandlers } from './handlers.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { DriverName } from './drivers.ts';
import { driverFault, keepDriver } from './kept-driver.ts';
import { createLogs } from './logs/create-logs.ts';
import type { AskApi, ListenerOptions, LocalPart } from './local-part.ts';
import { type StoreChoice, chooseStore } from './open-store.ts';
import { STOP_MS, sharesOf } from './stopping/shares.ts';
import { waitAtMost } from './stopping/wait-at-most.ts';
import { type TaskNames, startTaskNames } from './task-names.ts';
import { authenticateUsers } from './users/authenticate-users.ts';
import type { UserWithToken } from './users/parse-users.ts';
import { type Warn, createWarnings } from './warnings.ts';
import { diskFault, startFault } from './start-fault.ts';
import { wireInProcess } from './wiring/in-process.ts';
import type { Closer, WiredPlace, Wiring, WiringKind } from './wiring/wiring.ts';

export type LocalOptions = {
  /** null: the folder's previous port, or a free one; 0: any free port */
  readonly port: number | null;
  readonly dataDir: string;
  /** where tasks run; the value of MUSTER_WORKSPACE */
  readonly workspaceDir: string;
  readonly driver: DriverName;
  /** how the container engine is found: the variables of the docker command line; none by default */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** absolute paths of the folders that Pods may mount; none by default */
  readonly hostFolders?: readonly string[];
  /** variables of every task, unless it sets them itself; only a PATH by default */
  readonly taskEnvironment?: Readonly<Record<string, string>>;
  /** how simulated tasks behave */
  readonly script?: Script;
  /** faults in the event delivery of the embedded ECS */
  readonly events?: EcsOptions['events'];
  /** an index counts when its program has ended, as with this setting of the stack; false by default */
  readonly earlyCounting?: boolean;
  /** ECS's own throttling; none by default */
  readonly limits?: EcsOptions['limits'];
  /** what may run at once; unlimited by default */
  readonly quota?: EcsOptions['quota'];
  /** what tasks may request together; no limit by default. Those beyond it wait, in order. */
  readonly room?: EcsOptions['room'];
  /** RunTask and StopTask calls per second that Muster allows itself; null: no limit */
  readonly launchesPerSec?: number | null;
  readonly stopsPerSec?: number | null;
  /** formats of rows; those of this release by default */
  readonly formats?: Formats;
  /** who may call the API, by their tokens; everybody on this machine who gets to it by default */
  readonly users?: readonly UserWithToken[];
  /** whose token the kubeconfig has; nobody's by default */
  readonly kubeconfigUser?: UserWithToken;
  /** a file that each change and each forbidden read is appended to; none by default */
  readonly audit?: string | undefined;
  /** who hears of the state changes of Jobs; nobody by default */
  readonly listeners?: ListenerOptions;
  /** see {@link StoreChoice}; by default `lmdb`, or `engine` where the wiring emulates AWS */
  readonly store?: StoreChoice;
  /** the key of a damaged row of the store `lmdb` to begin without; none by default */
  readonly discardRow?: string | undefined;
  /** how functions reach queues, tasks, names and logs; `inProcess` by default */
  readonly wiring?: WiringKind;
  /** replaces the functions; gets ours, and their environment if the wiring emulates AWS */
  readonly handlers?: (own: Handlers, options: RuntimeOptions | null) => Promise<Handlers>;
  /** see RuntimeOptions.onClient; if the wiring emulates AWS, it first gets the client of the embedded EventBridge */
  readonly onClient?: RuntimeOptions['onClient'];
  /** a line for people */
  readonly say: (line: string) => void;
};

export type LocalRuntime = {
  readonly kind: 'started';
  /** Tasks of an earlier run that go on, and of how many Jobs. */
  readonly adopted: { readonly tasks: number; readonly jobs: number };
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Where browsers get a page; null: nowhere. */
  readonly page: string | null;
  readonly kubeconfig: string;
  /** What the functions of this runtime share. */
  readonly runtime: Runtime;
  /** Their environment, with the addresses of the services that they call; null if they call no addresses. */
  readonly options: RuntimeOptions | null;
  /** Ends every task and process that it started, and nothing else, in `leftMs` if it can; {@link STOP_MS} by default. */
  stop(leftMs?: number): Promise<void>;
};

export type NotStarted = { readonly kind: 'refused'; readonly reason: string };

/** Starts nothing more, and resolves when what is under way has ended, or after `ms`. */
type Drain = (ms: number) => Promise<void>;

const REGION = 'us-east-1';
const CLUSTER = 'muster';
const LOG_GROUP = '/muster/tasks';
/** No handler of ours takes longer; a message whose handler died is delivered again after this time. */
const TIMEOUT_MS = 30_000;
/** A dispatcher waits for its time slots to call, so a few more than the work needs cost nothing. */
const DISPATCHERS = 12;
/**
 * A steady stream of facts is counted in fewer passes, and nobody notices the wait. In one process a pass costs no request,
 * so a small Job does not wait at all.
 */
const COALESCING = { inProcess: { ms: 25, burst: 4 }, emulateAws: { ms: 100, burst: 1 } } as const;
const SWEEP_EVERY_MS = 20_000;
const LOGS_LOOKED_AT_EVERY_MS = 1_000;
const TASKS_SWEPT_EVERY_MS = 3_600_000;
/** One person uses the embedded runtime: finished Jobs are kept for a month. */
const HISTORY_MS = 30 * 86_400_000;
/** Limits heap growth. By default, V8 lets the heap of a busy process grow to several times its contents. */
const THRIFT = '--heap-growing-percent=50';

/**
 * Starts the embedded AWS on 127.0.0.1 and the same handlers that run on Lambda, and resolves when `GET /version` answers.
 * Jobs and tasks of an earlier runtime on this folder continue, however it ended.
 */
export async function startLocalRuntime(options: LocalOptions): Promise<LocalRuntime | NotStarted> {
  const fault = options.users === undefined ? null : authorizationFault('RBAC', AUTHORIZERS);
  const reason = fault ?? unheard(options);
  if (reason !== null) return { kind: 'refused', reason };
  setFlagsFromString(THRIFT);
  const closers: Closer[] = [];
  try {
    const folder = takeDataFolder(options.dataDir, options.say);
    if (folder.kind === 'refused') return folder;
    closers.push(() => folder.release());
    const claim = claimFor(folder.path, options.wiring ?? 'inProcess');
    if (claim !== null) {
      await closeAll(closers);
      return claim;
    }
    return { ...(await startOn(folder, options, closers)), stop: async (leftMs) => closeAll(closers, leftMs) };
  } catch (error) {
    await closeAll(closers).catch((left: unknown) =>
      options.say(`warning: some parts could not be stopped: ${String(left)}`),
    );
    const reason = startFault(error, options.dataDir);
    if (reason === null) throw error;
    return { kind: 'refused', reason };
  }
}

/** Nobody would hear of changes, though somebody is to. */
const unheard = ({ listeners = {} }: LocalOptions): string | null =>
  LOCAL_PARTS.length === 0 && Object.keys(listeners).length > 0 ? 'nothing here tells others of changes of Jobs' : null;

/** Closes in reverse order. One failure does not keep the others from being closed, and is thrown at the end. */
async function closeAll(closers: Closer[], leftMs = STOP_MS): Promise<void> {
  const shares = sharesOf(leftMs);
  const failures: unknown[] = [];
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    try {
      await close(shares);
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
  const outageOf = (error: unknown): string | null => diskFault(error, folder.path);
  const warn = createWarnings({ say, outageOf });
  const fault = driverFault(folder.path, options.driver, Date.now());
  if (fault !== null) throw new EngineFault(fault);
  const docker = options.driver === 'docker' ? await openDocker(options.env ?? {}) : null;
  if (docker?.kind === 'closed') throw new EngineFault(docker.reason);
  const parts = LOCAL_PARTS.flatMap((open) => open(options, () => runtime.deps, warn) ?? []);
  const ports = KEPT_PORTS.map((open) => open(folder.path));
  const place = placeOf(options, parts, ports, warn);

  const usual = options.wiring === 'emulateAws' ? 'engine' : 'lmdb';
  const store = await chooseStore(folder, options.store ?? usual, options.discardRow ?? null, REGION, say, closers);
  const wiring = await wire(place, store.options, options, closers);
  const names = await startTaskNames(folder.path, { region: REGION, jobsAreKept: store.isKept }, warn);
  closers.push(() => names.close());
  let opened: (deps: Deps) => void = () => undefined;
  const deps = new Promise<Deps>((resolve) => (opened = resolve));
  const gateway = docker === null || options.users === undefined ? null : await gatewayOf(docker.engine, folder.path);
  const [signing = null] = await Promise.all(
    TASK_TOKENS.map(async (open) =>
      open({
        dataDir: folder.path,
        deps,
        readAccount: async (key) => readAccount(key, (await deps).objects),
        gateway,
        warn,
      }),
    ),
  );
  closers.push(async () => signing?.close());
  const ecs = createEcs({
    ...ecsOptions(folder, options, names, wiring, docker, warn),
    ...(signing === null ? {} : { tokens: signing.tokens }),
  });
  const logs = createLogs({ dataDir: folder.path, isLive: (taskId) => ecs.isLive(taskId), region: REGION });
  await ecs.start();
  const adopted = ecs.live();
  closers.push(async ({ graceMs, goneMs }) => ecs.stopAll(graceMs, goneMs));
  const { runtime, options: environment } = await wiring.connect({ ecs, logs, cloudmap: names.cloudmap });
  opened(runtime.deps);
  let stopped = false;
  closers.push(() => void (stopped = true));
  const drains: Drain[] = parts.map((part) => async (ms) => part.close(ms));
  closers.push(async ({ drainMs }) => void (await Promise.all(drains.map(async (drain) => drain(drainMs)))));
  await ensureNamespace(DEFAULT_NAMESPACE, randomUUID(), runtime.deps);

  const needsCommand = options.driver === 'process';
  const hostFolders = offeredFolders(options);
  const own = ownHandlers(
    () => {
      if (stopped) throw new Error('the runtime of this process has stopped');
      return runtime;
    },
    { needsCommand, hostFolders },
  );
  const handlers = (await options.handlers?.(own, environment)) ?? own;
  drains.push(startMappings(handlers, runtime, wiring.queueArns, warn));
  const removeOld = async (): Promise<void> => {
    logs.prune(Date.now() - HISTORY_MS);
    await store.removeOld((tasks) => logs.forget(new Set([...tasks].map(taskIdOf))));
  };
  const removedAtStart = removeOld().catch((error: unknown) =>
    warn('old rows and logs could not be removed', { error }),
  );
  const look = async (): Promise<void> => logs.look(() => ecs.liveLogs());
  const sweeps = startSweeps(handlers, runtime, { removeOld, look }, warn);
  drains.push(async (ms) => waitAtMost(removedAtStart, ms), sweeps);

  const app = kubeApiOf(
    runtime,
    {
      embedded: true,
      needsCommand,
      hostFolders,
      ...(SESSION_ROUTES.length === 0 ? {} : { sessionRoutes: SESSION_ROUTES }),
      ...metricsOf(ecs.usage),
      outageOf,
      ...(options.users === undefined
        ? {}
        : { authenticate: authenticateUsers(options.users, TOKEN_READERS), authorization: 'RBAC' as const }),
    },
    {
      dataFolder: async () => dataFolderSize(folder.path, store.fileSize()),
      startDelays: ecs.startDelays,
      engineLeftovers: async () => ecs.leftovers(),
      audit: auditTo(options.audit, warn, closers),
    },
  );
  const ask: AskApi = (request, env) => app.fetch(request, env);
  const [upgrades = null] = UPGRADES.map((open) => open(ask, ecs.sessions, warn));
  signing?.serve(ask, upgrades);
  const besides = { asksWho: options.users !== undefined, guard: guarded, now: Date.now };
  const fetch = PAGES.reduce((asked, open) => open(asked, besides), ask);
  const api = await startKeptFront({ fetch }, folder.path, options, upgrades);
  closers.push(() => api.close());
  await lookAtEverything(runtime, warn);
  // The sweep's alarms and the times in rows use the wall clock, so everything is checked now.
  const onSetBack = (byMs: number): void => {
    warn('the clock was set back: every open Job is checked', { byMs: Math.round(byMs) });
    lookAtEverything(runtime, warn).catch((error: unknown) => warn('the check of every open Job failed', { error }));
  };
  closers.push(watchClock({ onSetBack }));
  const token = options.kubeconfigUser?.token;
  keepDriver(folder.path, options.driver);
  const kubeconfig = writeKubeconfig(folder.path, api.url, token === undefined ? {} : { token });
  const page = PAGES.length === 0 ? null : `${api.url}/ui/`;
  return { kind: 'started', url: api.url, page, kubeconfig, adopted, runtime, options: environment };
}

/** Nothing, where nothing measures. */
function metricsOf(usage: Ecs['usage']): Pick<ApiOptions, 'metricRoutes'> {
  return usage === null || METRIC_ROUTES.length === 0 ? {} : { metricRoutes: METRIC_ROUTES.map((of) => of(usage)) };
}

function auditTo(path: string | undefined, warn: Warn, closers: Closer[]): Audit | undefined {
  if (path === undefined) return undefined;
  const file = openAuditFile(path, warn);
  closers.push(async () => file.close());
  return file;
}

/** An earlier runtime's queues are lost, with their facts and wake-ups: checks every open Job and every task. */
async function lookAtEverything({ deps }: Runtime, warn: Warn): Promise<void> {
  await adoptCrons(deps).catch((error: unknown) => {
    // One that is damaged must not hold up the others, which have their schedulers.
    if (unreadableRows(error).length === 0) throw error;
    warn('some CronJobs or JobConfigs cannot be read', { error });
  });
  await sweepCrons(deps);
  await sweepJobs({ everything: true }, deps);
  await sweepTasks({ after: null }, deps);
}

function placeOf(
  options: LocalOptions,
  parts: readonly LocalPart[],
  kept: readonly LocalPart['ports'][],
  onSurprise: WiredPlace['onSurprise'],
): WiredPlace {
  const { launchesPerSec = null, stopsPerSec = null, wiring = 'inProcess', driver, formats = 'current' } = options;
  return {
    region: REGION,
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
    mountsParts: true,
    groups: driver === 'docker' ? 'any' : 'ofUser',
    settings: {
      timing: pacedTiming(EMBEDDED_TIMING, launchesPerSec),
      firstPodsMax: FIRST_PODS_MAX,
      launchesPerSec,
      stopsPerSec,
      historyMs: HISTORY_MS,
      formats,
      announced: null,
      ...parts.reduce<Partial<LocalPart['settings']>>((all, part) => ({ ...all, ...part.settings }), {}),
      hosts: { max: HOSTS_MAX, servicesPerSec: null, tasksPerSec: null },
      needsCommand: driver === 'process',
      hostFolders: offeredFolders(options),
    },
    ports: [...kept, ...parts.map(({ ports }) => ports)].reduce((all, ports) => ({ ...all, ...ports }), {}),
    coalescing: COALESCING[wiring],
    telemetry: createPlainTelemetry({ warn: onSurprise }),
    timeoutMs: TIMEOUT_MS,
    onSurprise,
  };
}

/** Connects functions and engines. Loads the HTTP code only if it is needed. */
async function wire(
  place: WiredPlace,
  store: StoreOptions,
  { wiring = 'inProcess', onClient }: LocalOptions,
  closers: Closer[],
): Promise<Wiring> {
  if (wiring === 'inProcess') {
    invariant(store.kind === 'given', 'a DynamoDB address needs the wiring emulateAws');
    return wireInProcess(place, store, closers);
  }
  const { wireAsAws } = await import('./wiring/emulated-aws.ts');
  return wireAsAws(place, store, onClient, closers);
}

function ecsOptions(
  { path }: DataFolder,
  options: LocalOptions,
  names: TaskNames,
  { onEvent }: Wiring,
  docker: OpenDocker | null,
  warn: NonNullable<EcsOptions['log']>,
): EcsOptions {
  const { limits, quota, room } = options;
  return {
    driver: driverChoice(path, options, names, docker),
    onEvent,
    events: { ...options.events, statuses: forwarded(options) },
    clusters: [CLUSTER],
    region: REGION,
    ...(limits === undefined ? {} : { limits }),
    ...(quota === undefined ? {} : { quota }),
    ...(room === undefined ? {} : { room }),
    log: warn,
  };
}

function driverChoice(
  dataDir: string,
  { driver, script, workspaceDir, taskEnvironment: environment = {}, hostFolders: named = [] }: LocalOptions,
  { network, cloudmap }: TaskNames,
  docker: OpenDocker | null,
): EcsOptions['driver'] {
  if (driver === 'simulated') return { kind: 'simulated', dataDir, ...(script === undefined ? {} : { script }) };
  const hostFolders = named.map((folder) => realpathSync(folder));
  if (docker === null) return { kind: 'process', dataDir, workspaceDir, environment, hostFolders, network };
  const { engine, images, cpus } = docker;
  return { kind: 'docker', dataDir, workspaceDir, environment, hostFolders, engine, images, cpus, names: cloudmap };
}

/** What Pods may say: a folder as it was named, or its real path. */
const offeredFolders = ({ hostFolders = [] }: LocalOptions): readonly string[] => [
  ...new Set(hostFolders.flatMap((folder) => [folder, realpathSync(folder)])),
];

/** What the rules of EventBridge forward. */
const forwarded = ({ earlyCounting = false }: LocalOptions) =>
  earlyCounting ? (['RUNNING', 'DEPROVISIONING', 'STOPPED'] as const) : (['RUNNING', 'STOPPED'] as const);

/** Lambda's event source mappings: reconcile on wake-ups and facts, the others on a queue each. */
function startMappings(handlers: Handlers, runtime: Runtime, arns: Wiring['queueArns'], warn: Warn): Drain {
  const mapping = (queue: QueueName, functionName: 'reconcile' | 'dispatch' | 'submit', concurrency: number) => {
    const inbox = runtime.inboxOf(arns[queue]);
    if (inbox === null) throw new Error(`no queue ${arns[queue]}`);
    return startMapping({
      inbox,
      queueArn: arns[queue],
      handler: handlers[functionName],
      functionName,
      concurrency,
      timeoutMs: TIMEOUT_MS,
      onError: (message, error) => warn(message, { error }),
    });
  };
  const mappings = [
    mapping('wake', 'reconcile', 2),
    mapping('facts', 'reconcile', 2),
    mapping('dispatch', 'dispatch', DISPATCHERS),
    mapping('submit', 'submit', 2),
  ];
  return async (ms) => void (await Promise.all(mappings.map((each) => each.stop(ms))));
}

/** Runs the sweep more often than on AWS, where each one costs money. */
function startSweeps(
  handlers: Handlers,
  { deps }: Runtime,
  { removeOld, look }: Readonly<Record<'removeOld' | 'look', () => Promise<void>>>,
  warn: Warn,
): Drain {
  const schedules = [
    startSchedule({
      everyMs: SWEEP_EVERY_MS,
      work: async () =>
        handlers.sweep({ time: new Date(deps.clock.now()).toISOString() }, contextOf('sweep', TIMEOUT_MS)),
      onError: (error) => warn('sweep failed', { error }),
    }),
    startSchedule({
      everyMs: TASKS_SWEPT_EVERY_MS,
      async work() {
        await removeOld();
        await sweepTasks({ after: null }, deps);
      },
      onError: (error) => warn('sweep of tasks failed', { error }),
    }),
    startSchedule({
      everyMs: LOGS_LOOKED_AT_EVERY_MS,
      work: look,
      onError: (error) => warn('logs of running tasks could not be looked at', { error }),
    }),
  ];
  return async (ms) => void (await Promise.all(schedules.map(async (each) => each.stop(ms))));
}
