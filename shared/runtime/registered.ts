import type { Hono } from 'hono';
import type { Deps } from '../control/process/deps.ts';
import type { DeadLetterStore } from '../ports/dead-letters.ts';
import type { EngineLeftover } from '../ports/gathered/engine-leftovers.ts';
import type { DataFolderSize } from '../ports/gathered/folder-size.ts';
import type { StartDelays } from '../ports/gathered/start-delays.ts';
import type { LogReader } from '../ports/log-reader.ts';
import type { Runtime } from './runtime.ts';

// What the lists of shared/capabilities hold, for the API and for the sweep.

/** What a capability's routes are made of. */
export type Served = Pick<Runtime, 'logs' | 'queueDepths'> & {
  readonly deps: Deps;
  readonly deadLetters: Pick<DeadLetterStore, 'newest'>;
  /** Where Jobs are kept on this machine's disk; omitted: they are not. */
  readonly dataFolder?: (() => Promise<DataFolderSize>) | undefined;
  /** Why accepted tasks have not started; omitted: nobody knows. */
  readonly startDelays?: StartDelays | undefined;
  /** What a container engine of this machine keeps that nobody needs; omitted: no tasks run in one. */
  readonly engineLeftovers?: (() => Promise<readonly EngineLeftover[]>) | undefined;
};

/** Makes what a capability serves under /muster/v1. */
export type MusterRoutes = (served: Served) => Hono;

/** What a capability looks at every few minutes of the clock. `create` is called once in a process, which may remember something. */
export type PeriodicCheck = {
  readonly everyMin: number;
  readonly create: () => (deps: Deps, logs: LogReader) => Promise<unknown>;
};
