import type { IncomingMessage } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import type { Deps, Settings } from '../shared/control/process/deps.ts';
import type { ObjectKey, StoredObject } from '../shared/ports/object-store.ts';
import type { CapabilityPorts } from '../shared/ports/capability-ports.ts';
import type { TaskSessions } from './container-sessions.ts';
import type { TaskTokens } from './tokens/task-tokens.ts';
import type { Warn } from './warnings.ts';

/** Who hears of changes; each may be left out. */
export type ListenerOptions = {
  /** A command of the shell, run in the workspace. */
  readonly command?: string;
  readonly url?: string;
  /** Signs what is posted to `url`. */
  readonly signingKey?: string;
};

/** What `muster local` has of a capability. */
export type LocalPart = {
  readonly ports: Partial<CapabilityPorts>;
  readonly settings: Pick<Settings, 'announced'>;
  /** Ends what is under way, in `ms` at most. */
  close(ms: number): Promise<void>;
};

/** Opens it. null: nobody has asked for it. `deps`: of the runtime, once it has one. */
export type OpenLocalPart = (
  options: { readonly listeners?: ListenerOptions; readonly workspaceDir: string },
  deps: () => Deps,
  warn: Warn,
) => LocalPart | null;

/** Opens what capabilities keep in the data folder, whatever the flags are. */
export type OpenKeptPorts = (dataDir: string) => Partial<CapabilityPorts>;

/** An API, as the transport asks it; `env` is what the transport offers to its routes. */
export type AskApi = (request: Request, env: Readonly<Record<string, unknown>>) => Promise<Response> | Response;

/**
 * How long the head of a request may be. The command of an exec is a part of its path: Linux gives a program words of 128 KiB at most,
 * and an encoded word is up to three times as long.
 */
export const HEAD_BYTES_MAX = 512 * 1024;

/** What does something with requests that want another protocol. */
export type Upgrades = {
  /** Whether it speaks the protocol that the request wants. */
  wants(request: IncomingMessage): boolean;
  /** Answers the request, or takes its connection over. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends what goes on. */
  close(): void;
};

/** Asks an API somewhere else, with this user's credentials; resolves when the answer begins. */
export type AskUpstream = (request: {
  readonly method: string;
  /** Path and query, as this process's clients have it. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}) => Promise<{ readonly status: number; readonly body: Readable }>;

/** Opens what holds connections for an API that cannot. `guard`: what is asked of every request before anything else. */
export type OpenProxied = (upstream: AskUpstream, guard: (ask: AskApi) => AskApi, warn: Warn) => Upgrades;

/** Signs tokens of ServiceAccounts for tasks, and lets containers call the API with them. */
export type OpenTokens = {
  readonly tokens: TaskTokens;
  /** Serves the API to containers from now on, if there is a door for them. */
  serve(ask: AskApi, upgrades: Upgrades | null): void;
  close(): Promise<void>;
};

/** Opens it. `gateway`: the address at which containers reach this machine; null: tasks are not meant to call the API. */
export type OpenTaskTokens = (place: {
  readonly dataDir: string;
  readonly deps: Promise<Deps>;
  /** A ServiceAccount, stored or not; null: there is none. */
  readonly readAccount: (key: ObjectKey) => Promise<StoredObject | null>;
  readonly gateway: string | null;
  readonly warn: Warn;
}) => Promise<OpenTokens>;

/** Opens it for an API and the tasks of this process. */
export type OpenUpgrades = (ask: AskApi, sessions: TaskSessions, warn: Warn) => Upgrades;

/**
 * Puts pages for browsers beside an API. `asksWho`: the API wants to know who asks; a page that knows it gives the API the header
 * `authorization` of its user as `credentials` in `env`, which no client can.
 */
export type OpenPage = (
  ask: AskApi,
  options: {
    readonly asksWho: boolean;
    readonly guard: (ask: AskApi) => AskApi;
    /** Milliseconds since 1970. */
    readonly now: () => number;
  },
) => AskApi;
