import type { Readable, Writable } from 'node:stream';
import type { SessionEnd } from '../domain/session-end.ts';
import type { Size } from '../domain/channels.ts';

/** The client's side of a session: its streams, whatever carries them. null: the client has not asked for that one. */
export type Carried = {
  readonly stdin: Readable | null;
  readonly stdout: Writable | null;
  readonly stderr: Writable | null;
  /** Calls with each size of the client's terminal, the last one at once. */
  onSize(listener: (size: Size) => void): void;
  /** Says how it has ended, once all output is sent, and ends the connection. */
  finish(end: SessionEnd): Promise<void>;
};

/** How much a session has carried, both ways. */
export type Traffic = { bytes: number };
