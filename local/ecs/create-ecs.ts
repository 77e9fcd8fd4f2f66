import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskSessions } from '../container-sessions.ts';
import type { StreamName } from '../logs/stream-files.ts';
import type { EngineLeftover } from '../../shared/ports/gathered/engine-leftovers.ts';
import type { ReadUsage } from '../../shared/ports/gathered/read-usage.ts';
import type { StartDelays } from '../../shared/ports/gathered/start-delays.ts';
import type { EcsApi } from '../wire/ecs-operations.ts';
import { DockerDriver } from '../docker/docker-driver.ts';
import type { Engine } from '../docker/engine.ts';
import type { Images } from '../docker/images.ts';
import { installationOf } from '../docker/installation.ts';
import type { KnownNames } from '../docker/ready-names.ts';
import { ClientTokens } from './client-tokens.ts';
import { Definitions } from './definitions.ts';
import type { Driver, Reports } from './driver/driver.ts';
import { ecsApi, type Quota } from './ecs-api.ts';
import { Outbox, type DeliveryFaults } from './outbox.ts';
import { FilesDriver } from './driver/files-driver.ts';
import { logStream } from './driver/log-name.ts';
import { ProcessDriver } from './driver/process-driver.ts';
import { simulatedDriver, type Script } from './driver/simulated-driver.ts';
import { NO_LIMIT, type Room } from './room.ts';
import { type SecretCopies, memorySecretCopies, openSecretCopies } from './secret-copies.ts';
import { startDelaysOf } from './start-delays.ts';
import { TaskEngine } from './task-engine.ts';
import { taskUsage } from './task-usage.ts';
import { taskSessions } from './task-sessions.ts';
import { taskEvent, type EcsTaskEvent } from './task-event.ts';
import { TaskFiles } from './driver/task-files.ts';
import type { TaskTokens } from '../tokens/task-tokens.ts';
import { TokenFiles } from './driver/token-files.ts';
import { VolumeFolders } from './driver/volume-folders.ts';
import type { TaskNetwork } from './driver/task-network.ts';
import type { LastStatus, StopCause } from './task-record.ts';
import { Throttle, type Limits } from './throttle.ts';
import { wallTimers, type Timers } from './timers.ts';

export type EcsOptions = {
  readonly driver: DriverChoice;
  /** Receives every "ECS Task State Change"; called again until it resolves. Without it no events are created. */
  readonly onEvent?: (event: EcsTaskEvent) => Promise<void>;
  readonly events?: DeliveryFaults & {
    /** only these, as an EventBridge rule on detail.lastStatus would select; all by default */
    readonly statuses?: readonly LastStatus[];
    /** STOPPED comes so much after DEPROVISIONING: on Fargate, 10 to 30 s; by default, at once */
    readonly deprovisionMs?: number;
  };
  /** `['default']` by default */
  readonly clusters?: readonly string[];
  /** us-east-1 by default */
  readonly region?: string;
  /** 000000000000 by default */
  readonly account?: string;
  /** Throttles calls, e.g. by AWS_LIMITS; no throttling by default. */
  readonly limits?: Partial<Limits>;
  /** no quota by default */
  readonly quota?: Quota;
  /** what tasks may request together; no limit by default. Those beyond it wait, in order. */
  readonly room?: Room;
  /** For tests with their own clock. */
  readonly timers?: Timers;
  /** Signs tokens for tasks; without it, none has any. */
  readonly tokens?: TaskTokens;
  readonly log?: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
};

export type DriverChoice =
  | {
      readonly kind: 'process';
      /**
       * parent of `ecs/`, `logs/`, and `secret-copies/`, which are created, of `volumes/`, where claims have their folders, and of
       * `secrets/` and `configmaps/`, which are read; the caller holds its lock
       */
      readonly dataDir: string;
      /** where commands run; the value of MUSTER_WORKSPACE */
      readonly workspaceDir: string;
      /** variables of every container, unless it sets them itself; only a PATH by default */
      readonly environment?: Readonly<Record<string, string>>;
      /** real paths of the folders that tasks may mount; none by default */
      readonly hostFolders?: readonly string[];
      /** by default, tasks share 127.0.0.1 and have no names */
      readonly network?: TaskNetwork;
    }
  | {
      readonly kind: 'docker';
      /** the same as for processes */
      readonly dataDir: string;
      readonly workspaceDir: string;
      readonly environment?: Readonly<Record<string, string>>;
      readonly hostFolders?: readonly string[];
      readonly engine: Engine;
      readonly images: Images;
      /** how many the engine has: no container may have more */
      readonly cpus: number;
      readonly names: KnownNames;
    }
  | {
      readonly kind: 'simulated';
      readonly script?: Script;
      /**
       * Stores definitions, so that Jobs of an earlier run continue; tasks end with this run. By default, nothing is
       * stored.
       */
      readonly dataDir?: string;
    };

export type Ecs = {
  /** Calls before `start` has resolved would miss earlier tasks. */
  readonly api: EcsApi;
  /** Adopts the tasks of an earlier run. Call it once, before anything else. */
  start(): Promise<void>;
  /** Interrupts a task, as Spot does. */
  interrupt(taskArn: string, cause?: Omit<StopCause, 'atMs'>): void;
  /** Whether a task (by id) still runs or will run: its log may grow. */
  isLive(taskId: string): boolean;
  /** The log streams of these tasks, one after the other; tasks may start and end meanwhile. */
  liveLogs(): Iterable<StreamName>;
  /** How many tasks still run or will run, and of how many Jobs. */
  live(): { readonly tasks: number; readonly jobs: number };
  /** What tasks read of stored Secrets when they start. */
  readonly secretCopies: SecretCopies;
  /** Why tasks that were accepted have not started. */
  readonly startDelays: StartDelays;
  /** Programs, output, and ports of containers that run, for people. */
  readonly sessions: TaskSessions;
  /** What containers that run have used; null: nothing here measures it. */
  readonly usage: ReadUsage | null;
  /** What a container engine keeps that no task needs. */
  leftovers(): Promise<readonly EngineLeftover[]>;
  /** Resolves when every event has been delivered. */
  idle(): Promise<void>;
  /**
   * Ends all tasks (SIGTERM, then SIGKILL after `graceMs`, 3 s by default) and leaves no process behind. Waits `goneMs` more for
   * killed tasks to be gone, 5 s by default.
   */
  stopAll(graceMs?: number, goneMs?: number): Promise<void>;
};

const STOP_ALL_GRACE_MS = 3_000;
const KILLED_GONE_MS = 5_000;

/** The embedded ECS. With the process driver, its tasks outlive it, and the next instance on the same folder adopts them. */
export function createEcs(options: EcsOptions): Ecs {
  const { driver, onEvent, events = {}, log = () => undefined } = options;
  const timers = options.timers ?? wallTimers();
  const place = { region: options.region ?? 'us-east-1', account: options.account ?? '000000000000' };
  const dataDir = driver.dataDir === undefined ? null : makeDir(driver.dataDir);
  const files =
    dataDir === null || driver.kind === 'simulated'
      ? null
      : new TaskFiles(join(dataDir, 'ecs', 'tasks'), () => timers.now());
  const definitions = new Definitions(dataDir === null ? null : join(dataDir, 'ecs', 'definitions'), (text) =>
    log(text, {}),
  );
  const outbox = new Outbox({ ...events, timers, log, deliver: async (event) => onEvent?.(event) });
  const tokens = new ClientTokens();
  const wanted = new Set<string>(events.statuses ?? ALL_STATUSES);
  const room = options.room ?? NO_LIMIT;
  const secretCopies = dataDir === null ? memorySecretCopies() : openSecretCopies(dataDir);
  let open = true;

  const makeDriver = (reports: Reports): Driver => {
    if (driver.kind === 'simulated') return simulatedDriver(driver.script ?? {}, timers, reports);
    if (files === null || dataDir === null) throw new Error('this driver needs a folder');
    const volumes = new VolumeFolders(join(dataDir, 'ecs', 'volumes'));
    const signing = options.tokens;
    const common = {
      files,
      volumes,
      tokens: signing === undefined ? null : new TokenFiles({ tokens: signing, files, volumes, timers, log }),
      logsDir: join(dataDir, 'logs'),
      workspaceDir: makeDir(driver.workspaceDir),
      environment: driver.environment ?? {},
      secrets: { dir: dataDir, copies: secretCopies },
      hosts: {
        folders: driver.hostFolders ?? [],
        claims: { given: join(driver.dataDir, 'volumes'), real: join(dataDir, 'volumes') },
      },
      timers,
      reports,
    };
    if (driver.kind === 'process')
      return new FilesDriver(
        new ProcessDriver({ ...common, network: driver.network ?? { addresses: null, dns: null } }),
        common,
      );
    const { engine, images, cpus, names } = driver;
    const installation = installationOf(dataDir);
    return new FilesDriver(
      new DockerDriver({ ...common, engine, images, cpus, names, dataDir, installation, log }),
      common,
    );
  };
  const engine = new TaskEngine({
    makeDriver,
    files,
    definitions,
    timers,
    room,
    log,
    publish(task, definition, onDelivered) {
      if (onEvent === undefined || !wanted.has(task.lastStatus)) onDelivered();
      else {
        const delayMs = task.lastStatus === 'STOPPED' ? (events.deprovisionMs ?? 0) : 0;
        outbox.put(taskEvent(task, definition, place, timers.now()), onDelivered, delayMs);
      }
    },
  });
  const api = ecsApi({
    engine,
    definitions,
    tokens,
    throttle: new Throttle(options.limits ?? {}),
    clusters: options.clusters ?? ['default'],
    place,
    quota: options.quota ?? {},
    now: () => timers.now(),
    isOpen: () => open,
  });
  const pruneTokens = (): void => {
    timers.after(TOKENS_PRUNED_EVERY_MS, pruneTokens);
    tokens.prune((id) => engine.find(id), timers.now());
  };

  return {
    api,
    async start() {
      for (const task of await engine.adopt()) tokens.remember(task.cluster, task.launch, task.createdAtMs);
      pruneTokens();
    },
    interrupt: (taskArn, cause = SPOT) => engine.stop(taskArn.slice(taskArn.lastIndexOf('/') + 1), cause),
    isLive: (taskId) => engine.get(taskId)?.stoppedAtMs === null,
    *liveLogs() {
      for (const { taskId, container } of engine.liveContainers()) {
        const stream = logStream(container, taskId);
        if (stream !== null) yield stream;
      }
    },
    live() {
      const tasks = [...engine.all()].filter(({ stoppedAtMs }) => stoppedAtMs === null);
      return { tasks: tasks.length, jobs: new Set(tasks.map(({ launch, startedBy }) => startedBy ?? launch)).size };
    },
    secretCopies,
    startDelays: startDelaysOf(engine, driver.kind === 'docker' ? driver.images : null),
    sessions: taskSessions(engine),
    usage: taskUsage(engine),
    leftovers: async () => engine.driver.leftovers?.() ?? [],
    idle: async () => outbox.idle(),
    async stopAll(graceMs = STOP_ALL_GRACE_MS, goneMs = KILLED_GONE_MS) {
      open = false;
      // undelivered events are sent again at the next start, when the queue exists
      const settled = Promise.race([
        outbox.close(),
        new Promise<void>((resolve) => timers.after(LISTENERS_WAITED_FOR_MS, resolve)),
      ]);
      await engine.stopAll(graceMs, goneMs);
      await settled;
      timers.close();
    },
  };
}

/** A delivery that hangs because its queue is gone must not keep the runtime from ending. */
const LISTENERS_WAITED_FOR_MS = 500;
const TOKENS_PRUNED_EVERY_MS = 60_000;
const SPOT = { code: 'SpotInterruption', reason: 'Your Spot Task was interrupted.' } as const;
const ALL_STATUSES: readonly LastStatus[] = [
  'PROVISIONING',
  'PENDING',
  'ACTIVATING',
  'RUNNING',
  'DEPROVISIONING',
  'STOPPED',
];

/** Real paths, so that files match the names that the system reports. */
function makeDir(path: string): string {
  mkdirSync(path, { recursive: true });
  return realpathSync(path);
}
