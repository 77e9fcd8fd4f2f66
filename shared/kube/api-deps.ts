import type { Context } from 'hono';
import type { LaunchPace } from '../domain/waits.ts';
import type { Clock } from '../ports/clock.ts';
import type { Doctor } from '../ports/doctor.ts';
import type { Feed } from '../ports/feed.ts';
import type { FeedNews } from '../ports/feed-news.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { LogReader } from '../ports/log-reader.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { HostsOffer } from '../schema/host-name-rules.ts';
import type { CronJobChanges } from './cronjob-changes.ts';
import type { JobChanges } from './job-changes.ts';
import type { OpenStreams } from './streams.ts';
import type { Tails } from './watched.ts';

/** Everything outside itself that the API may touch. */
export type ApiPorts = {
  readonly jobs: JobStore;
  readonly feed: Feed;
  readonly objects: ObjectStore;
  /** Rows of feeds that this process appends; left out: watches learn of them by looking, as of all others. */
  readonly news?: FeedNews;
  readonly logs: LogReader;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'warn'>;
  readonly doctor: Doctor;
  /** Names for tasks; left out: as many as usual. */
  readonly hosts?: HostsOffer;
  /** A random UUID. */
  readonly newUid: () => string;
  readonly changes: JobChanges;
  readonly cronJobs: CronJobChanges;
  /** How fast launches are given out now. Asked only where somebody asks what waits. */
  readonly launchPace: () => Promise<LaunchPace>;
  /** Deletes what is in a namespace that is being deleted, as far as that goes quickly, and itself once it is empty. */
  readonly emptyNamespace: (name: string) => Promise<unknown>;
};

export type ApiDeps = ApiPorts & {
  /** The watches and followed logs of this process. */
  readonly streams: OpenStreams;
  /** What the watches of this process follow. */
  readonly tails: Tails;
  /** See {@link ApiOptions.needsCommand}. */
  readonly needsCommand: boolean;
};

export type ApiOptions = {
  /** Who asks, as far as whoever carries the API knows it; it is only shown. */
  readonly userOf?: (c: Context) => Caller;
  /** Runs on a person's own machine: only loopback is answered, and no page of another site. */
  readonly embedded?: boolean;
  /** Tasks are processes, and no image is pulled: a container without a command is refused. */
  readonly needsCommand?: boolean;
  /** A watch, or a log that is followed, ends after this at the latest; whoever carries the API may have less time. */
  readonly streamMaxSec?: number;
  /** How often the feeds that somebody watches are looked at for what other processes have appended. */
  readonly pollMs?: number;
  /** A quiet watch sends a space this often. */
  readonly heartbeatMs?: number;
  /**
   * `buffered`: whatever carries the API sends answers as a whole only, and cuts them after half a minute. Watches then
   * are short: they end as soon as they have something to tell. Default: `stream`.
   */
  readonly watchMode?: 'stream' | 'buffered';
  /** Why nothing can be stored for the moment, by what a call has thrown, for whoever asked; null: it was something else. */
  readonly outageOf?: (error: unknown) => string | null;
  /** Watches and followed logs that may be open at a time; more are answered with 429. */
  readonly openStreamsMax?: number;
};

type Caller = { readonly username: string; readonly groups: readonly string[] };

/** Well below Lambda's 15 minutes. */
export const STREAM_MAX_SEC = 840;
export const POLL_MS = 1000;
/** Gateways and proxies cut connections that are quiet: many after a minute, API Gateway after five. */
export const HEARTBEAT_MS = 30_000;
/** Of a watch whose answer is sent as a whole: below the 29 s of a gateway. */
export const BUFFERED_MAX_SEC = 25;
