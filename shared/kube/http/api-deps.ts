import type { HostFolders } from '../../domain/task/volumes/host-folders.ts';
import type { Context, Hono } from 'hono';
import type { AuthorizationMode, User } from '../../domain/callers/user.ts';
import type { Formats } from '../../domain/manifests/new-in-release.ts';
import type { TaskRoles } from '../../domain/task/task-roles.ts';
import type { LaunchPace } from '../../domain/pending/waits.ts';
import type { CapabilityPorts } from '../../ports/capability-ports.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CronStore } from '../../ports/cron-store.ts';
import type { DeadLetterStore } from '../../ports/dead-letters.ts';
import type { Feed } from '../../ports/feed.ts';
import type { FeedNotifications } from '../../ports/feed-notifications.ts';
import type { HostStore } from '../../ports/host-store.ts';
import type { StartDelays } from '../../ports/gathered/start-delays.ts';
import type { ReadFailures } from '../../ports/gathered/job-failures.ts';
import type { JobStore } from '../../ports/job-store.ts';
import type { LogReader } from '../../ports/log-reader.ts';
import type { ObjectGuard } from '../../ports/object-guard.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Submissions } from '../../ports/submissions.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { HostsOffer } from '../../schema/job/host-name-rules.ts';
import type { Audit } from '../../ports/callers/audit.ts';
import type { CapabilityCommands } from '../../ports/extra-commands.ts';
import type { OwnerKind } from '../../domain/kinds/api-kinds.ts';
import type { OwnerCommands } from '../../ports/owner-commands.ts';
import type { JobCommands } from '../../ports/job-commands.ts';
import type { ItemSource } from '../../store/read-items.ts';
import type { Authorizers } from './open-authorizer.ts';
import type { Asked } from './authorizer.ts';
import type { Authenticated } from './authentication.ts';
import type { Origin } from './request-notes.ts';
import type { OpenStreams } from './streams.ts';
import type { Tails } from '../feed/watched.ts';

/** Everything outside itself that the API uses. */
export type ApiPorts = ItemSource & {
  readonly jobs: JobStore;
  readonly feed: Feed;
  /** Which tasks have names, and their addresses. */
  readonly taskNames: Pick<HostStore, 'readHosts'>;
  /** As they are stored: {@link OBJECT_VIEWS} open what is sealed. */
  readonly objects: ObjectStore;
  /** What only capabilities ask; omitted: nothing. */
  readonly ports?: Partial<CapabilityPorts>;
  /** What schedulers know of objects that make Jobs. */
  readonly crons: Pick<CronStore, 'read'>;
  /** Announces rows that this process appends to feeds; omitted: watches find them by polling, like all others. */
  readonly notifications?: FeedNotifications;
  readonly logs: LogReader;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'warn'>;
  /** What capabilities serve under /muster/v1. */
  readonly capabilityRoutes: readonly Hono[];
  readonly readFailures: ReadFailures;
  /** Names for tasks; omitted: the usual number. */
  readonly hosts?: HostsOffer;
  /** Formats that this installation writes; omitted: all of this release. */
  readonly formats?: Formats;
  /** Roles that ServiceAccounts may name; omitted or null: there are none here, and any will do. */
  readonly taskRoles?: TaskRoles | null;
  /** A hex digest of a text, at least 128 bits. */
  readonly hash: (text: string) => string;
  /** A random UUID. */
  readonly newUid: () => string;
  /** null: this installation takes no submissions. */
  readonly submissions: Submissions | null;
  /** Refused submissions are among them. */
  readonly deadLetters: Pick<DeadLetterStore, 'newest'>;
  readonly jobCommands: JobCommands;
  readonly owners: (kind: OwnerKind) => OwnerCommands;
  readonly commands: CapabilityCommands;
  /** What may speak against a new object, in the order in which it is asked. */
  readonly objectGuards: readonly ObjectGuard[];
  /** How fast launches are granted now. Read only when a request asks what waits. */
  readonly launchPace: () => Promise<LaunchPace>;
  /** Why accepted tasks have not started; omitted: nobody knows. */
  readonly startDelays?: StartDelays | undefined;
  /** Hears who changes what, and what is forbidden; omitted: nobody does. */
  readonly audit?: Audit | undefined;
  /** Deletes what is in a namespace that is being deleted, as far as that is quick, and the namespace once it is empty. */
  readonly emptyNamespace: (name: string) => Promise<unknown>;
};

export type ApiDeps = ApiPorts &
  Asked & {
    /** The watches and followed logs of this process. */
    readonly streams: OpenStreams;
    /** What the watches of this process follow. */
    readonly tails: Tails;
    /** See {@link ApiOptions}. */
    readonly needsCommand: boolean;
    readonly hostFolders: HostFolders;
  };

/** Says who sent a request: by its headers, or by what the transport knows. */
export type Authenticate = (c: Context, deps: ApiDeps) => Promise<Authenticated>;

/** Who a token stands for; null: it is none that this knows, or it does not hold. */
export type ReadTokenUser = (token: string, deps: ApiDeps) => Promise<User | null>;

export type ApiOptions = {
  /** The caller, as far as the transport knows it. */
  readonly userOf?: (c: Context) => User;
  /** Where a request comes from, as far as the transport knows it. */
  readonly originOf?: (c: Context) => Origin;
  /** Whether roles decide what callers may do. Default: `AlwaysAllow`. */
  readonly authorization?: AuthorizationMode;
  /** What decides by roles. Default: what capabilities have. */
  readonly authorizers?: Authorizers;
  /** Refuses unknown callers, and takes the place of `userOf`; omitted: the transport has let the caller in. */
  readonly authenticate?: Authenticate;
  /** Runs on a user's own machine: only loopback is answered, and no page of another site. */
  readonly embedded?: boolean;
  /** Tasks are processes, and images are not pulled: a container without a command or args is refused. */
  readonly needsCommand?: boolean;
  /** What takes over connections to Pods. Default: nothing does, and such requests are refused. */
  readonly sessionRoutes?: readonly ((app: Hono, deps: ApiDeps) => void)[];
  /** What says how much Pods use. Default: nothing, and there is no such group. */
  readonly metricRoutes?: readonly ((app: Hono, deps: ApiDeps) => void)[];
  /** What Pods may mount of this machine. Default: nothing, as on AWS. */
  readonly hostFolders?: HostFolders;
  /** A watch, or a followed log, ends after this at the latest; the transport may have less time. */
  readonly streamMaxSec?: number;
  /** How often watched feeds are read for rows that other processes have appended. */
  readonly pollMs?: number;
  /** A quiet watch sends a space this often. */
  readonly heartbeatMs?: number;
  /**
   * `buffered`: the transport sends whole answers only, and cuts them off after half a minute. Watches are then short: they end
   * as soon as they have something to send. Default: `stream`.
   */
  readonly watchMode?: 'stream' | 'buffered';
  /**
   * Why nothing can be stored at the moment, as text for the client, from what a call has thrown; null: it was something else.
   */
  readonly outageOf?: (error: unknown) => string | null;
  /** Watches and followed logs that may be open at the same time; others are answered with 429. */
  readonly openStreamsMax?: number;
};

/** Well below Lambda's 15 minutes. */
export const STREAM_MAX_SEC = 840;
export const POLL_MS = 1000;
/** Gateways and proxies cut quiet connections: many after a minute, API Gateway after five. */
export const HEARTBEAT_MS = 30_000;
/** For a watch whose answer is sent as a whole: below the 29 s of a gateway. */
export const BUFFERED_MAX_SEC = 25;
