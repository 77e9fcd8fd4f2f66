import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { AwsService } from '../wire/aws-json.ts';
import { ecsService, type EcsApi } from '../wire/ecs-wire.ts';
import { ClientTokens } from './client-tokens.ts';
import { Definitions } from './definitions.ts';
import type { Driver, Reports } from './driver.ts';
import { ecsApi, type Quota } from './ecs-api.ts';
import { Outbox, type Weather } from './outbox.ts';
import { ProcessDriver } from './process-driver.ts';
import { simulatedDriver, type Script } from './simulated-driver.ts';
import { TaskEngine } from './task-engine.ts';
import { taskEvent, type EcsTaskEvent } from './task-event.ts';
import { TaskFiles } from './task-files.ts';
import type { TaskNetwork } from './task-network.ts';
import type { LastStatus, StopCause } from './task-record.ts';
import { Throttle, type Limits } from './throttle.ts';
import { wallTimers, type Timers } from './timers.ts';

export type EcsOptions = {
  readonly driver: DriverChoice;
  /** Takes every "ECS Task State Change"; called again until it resolves. Without it no event is made. */
  readonly onEvent?: (event: EcsTaskEvent) => Promise<void>;
  readonly events?: Weather & {
    /** only these, as an EventBridge rule on detail.lastStatus would pick; all if left out */
    readonly statuses?: readonly LastStatus[];
  };
  /** `['default']` if left out */
  readonly clusters?: readonly string[];
  /** us-east-1 if left out */
  readonly region?: string;
  /** 000000000000 if left out */
  readonly account?: string;
  /** Throttles calls, e.g. by AWS_LIMITS; nothing is throttled if left out. */
  readonly limits?: Partial<Limits>;
  /** no quota if left out */
  readonly quota?: Quota;
  /** For tests with a clock of their own. */
  readonly timers?: Timers;
  readonly log?: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
};

export type DriverChoice =
  | {
      readonly kind: 'process';
      /** `ecs/` and `logs/` are made in it, `secrets/` and `configmaps/` are read; whoever calls holds the lock on it */
      readonly dataDir: string;
      /** where commands run, and what MUSTER_WORKSPACE names */
      readonly workspaceDir: string;
      /** variables that every container gets unless it says otherwise; none but a PATH if left out */
      readonly environment?: Readonly<Record<string, string>>;
      /** tasks share 127.0.0.1 and know no names if left out */
      readonly network?: TaskNetwork;
    }
  | {
      readonly kind: 'simulated';
      readonly script?: Script;
      /** Definitions are kept in it, so that Jobs of an earlier life go on; tasks end with this one. Nothing is kept if left out. */
      readonly dataDir?: string;
    };

export type Ecs = {
  /** To be served by serveAwsJson. Calls that come before `start` has resolved would miss earlier tasks. */
  readonly service: AwsService;
  /** The same operations without HTTP. */
  readonly api: EcsApi;
  /** Adopts what an earlier life left. Call it once, before anything else. */
  start(): Promise<void>;
  /** Takes the ground from under a task, as Spot does. */
  interrupt(taskArn: string, cause?: Omit<StopCause, 'atMs'>): void;
  /** Whether a task (by id) still runs or will: its log may grow. */
  isLive(taskId: string): boolean;
  /** Resolves when every event has been handed over. */
  idle(): Promise<void>;
  /** Ends all tasks (SIGTERM, SIGKILL after `graceMs`, 3 s unless given) and leaves no process behind. */
  stopAll(graceMs?: number): Promise<void>;
};

const STOP_ALL_GRACE_MS = 3_000;

/** The embedded ECS. With the process driver its tasks outlive it, and the next one on the same folder adopts them. */
export function createEcs(options: EcsOptions): Ecs {
  const { driver, onEvent, events = {}, log = () => undefined } = options;
  const timers = options.timers ?? wallTimers();
  const place = { region: options.region ?? 'us-east-1', account: options.account ?? '000000000000' };
  const dataDir = driver.dataDir === undefined ? null : makeDir(driver.dataDir);
  const files = dataDir === null || driver.kind === 'simulated' ? null : new TaskFiles(join(dataDir, 'ecs', 'tasks'));
  const definitions = new Definitions(dataDir === null ? null : join(dataDir, 'ecs', 'definitions'), (text) =>
    log(text, {}),
  );
  const outbox = new Outbox({ ...events, timers, log, deliver: async (event) => onEvent?.(event) });
  const tokens = new ClientTokens();
  const wanted = new Set<string>(events.statuses ?? ALL_STATUSES);
  let open = true;

  const makeDriver = (reports: Reports): Driver => {
    if (driver.kind === 'simulated') return simulatedDriver(driver.script ?? {}, timers, reports);
    if (files === null || dataDir === null) throw new Error('the process driver needs a folder');
    return new ProcessDriver({
      files,
      logsDir: join(dataDir, 'logs'),
      workspaceDir: makeDir(driver.workspaceDir),
      environment: driver.environment ?? {},
      secretsDir: dataDir,
      network: driver.network ?? { addresses: null, dns: null },
      timers,
      reports,
    });
  };
  const engine = new TaskEngine({
    makeDriver,
    files,
    definitions,
    timers,
    log,
    publish(task, definition, onDelivered) {
      if (onEvent === undefined || !wanted.has(task.lastStatus)) onDelivered();
      else outbox.put(taskEvent(task, definition, place, timers.now()), onDelivered);
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
    tokens.prune((id) => engine.get(id), timers.now());
  };

  return {
    service: ecsService(api),
    api,
    async start() {
      for (const task of engine.adopt()) tokens.remember(task.cluster, task.launch, task.createdAtMs);
      pruneTokens();
      return Promise.resolve();
    },
    interrupt: (taskArn, cause = SPOT) => engine.stop(taskArn.slice(taskArn.lastIndexOf('/') + 1), cause),
    isLive: (taskId) => engine.get(taskId)?.stoppedAtMs === null,
    idle: async () => outbox.idle(),
    async stopAll(graceMs = STOP_ALL_GRACE_MS) {
      open = false;
      // what is not handed over now is said again at the next start, when somebody will listen
      const settled = outbox.close();
      await engine.stopAll(graceMs);
      await Promise.race([settled, new Promise<void>((resolve) => timers.after(LISTENERS_WAITED_FOR_MS, resolve))]);
      timers.close();
    },
  };
}

/** A delivery that hangs, since its queue is gone too, must not keep the runtime from ending. */
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

/** Real paths, so that files can be recognised by the names that the system has for them. */
function makeDir(path: string): string {
  mkdirSync(path, { recursive: true });
  return realpathSync(path);
}
