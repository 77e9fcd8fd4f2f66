import type { HostFolders } from '../../domain/task/volumes/host-folders.ts';
import type { HostLimits } from '../../domain/task/host-limits.ts';
import type { Formats } from '../../domain/manifests/new-in-release.ts';
import type { Timing } from '../../domain/base/timing.ts';
import type { CapabilityPorts } from '../../ports/capability-ports.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CronStore } from '../../ports/cron-store.ts';
import type { Feed } from '../../ports/feed.ts';
import type { HostStore } from '../../ports/host-store.ts';
import type { ItemStore } from '../../ports/item-store.ts';
import type { JobStore } from '../../ports/job-store.ts';
import type { Limits } from '../../ports/limits.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Queues } from '../../ports/queues.ts';
import type { Tasks } from '../../ports/tasks.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { Waiters } from '../../ports/waiters.ts';
import type { Cache } from './cache.ts';
import type { CapabilityState } from './capability-state.ts';
import type { Pacer } from './pacer.ts';
import type { Publisher } from './publisher.ts';

/** Everything that `control` uses: ports, and the settings. */
export type Deps = {
  readonly jobs: JobStore;
  readonly feed: Feed;
  readonly objects: ObjectStore;
  readonly tasks: Tasks;
  readonly queues: Queues;
  readonly limits: Limits;
  readonly hosts: HostStore;
  readonly items: ItemStore;
  readonly crons: CronStore;
  readonly waiters: Waiters;
  /** What only capabilities ask; one that is left out is not there. */
  readonly ports: Partial<CapabilityPorts>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  /** Each exists once per process. */
  readonly cache: Cache;
  readonly publisher: Publisher;
  readonly pacer: Pacer;
  readonly state: CapabilityState;
  readonly settings: Settings;
  /** A hex digest of a text, at least 128 bits. */
  readonly hash: (text: string) => string;
};

export type Settings = {
  readonly timing: Timing;
  /** RunTask calls per second, for all dispatchers together; null: no limit of ours. */
  readonly launchesPerSec: number | null;
  readonly stopsPerSec: number | null;
  /** Limits for the names of tasks. */
  readonly hosts: HostLimits;
  /** How long records of ended attempts and deleted Jobs are kept. */
  readonly historyMs: number;
  /** What users may say: all that this release knows (omitted), or only what the one before knows, too. */
  readonly formats?: Formats;
  /** How many Pods a new Job gets as it is stored; omitted: none, the first pass creates them. */
  readonly firstPodsMax?: number;
  /** Whose changes of state others hear of; null: nobody's. The same for all processes of an installation. */
  readonly announced: Announced | null;
  /** Images are not pulled: a Job without a command is refused. See {@link AdmissionContext.needsCommand}. */
  readonly needsCommand?: boolean;
  /** What Pods name outside of themselves is taken to be there, and is not looked at: nothing runs. Omitted: false. */
  readonly assumesSources?: boolean;
  /** What Pods may mount of this machine; omitted: nothing. See {@link AdmissionContext.hostFolders}. */
  readonly hostFolders?: HostFolders;
};

/** Which Jobs' changes others hear of: each Job's, or those of Jobs that somebody waits for with a task token. */
export type Announced = 'each' | 'awaited';
