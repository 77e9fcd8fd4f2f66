import type { Duplex, Readable, Writable } from 'node:stream';

/** A container of a task, by its name in the task. */
export type SessionTarget = { readonly taskId: string; readonly container: string };

/** In characters. */
export type TerminalSize = { readonly width: number; readonly height: number };

export type ExecRequest = {
  readonly command: readonly string[];
  /** It has a terminal: all that it prints comes as one stream. */
  readonly tty: boolean;
  /** Whether anything may be sent to it. */
  readonly stdin: boolean;
};

/** A program in a container that somebody is connected to. */
export type ContainerSession = {
  /** null: it takes nothing */
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  /** null: there is one stream only */
  readonly stderr: Readable | null;
  /** Of no effect without a terminal. */
  resize(size: TerminalSize): void;
  /**
   * Resolves when it has ended, with its exit code; null: nobody asks for one. What it has printed may still be on its way.
   * Rejects if that cannot be known.
   */
  readonly ended: Promise<number | null>;
  /** Nobody is there any more. A program that was started for the session gets SIGHUP, and SIGKILL if it goes on. */
  hangUp(): void;
};

/** What a driver can do in a container that runs. All throw a {@link SessionError} that says why they cannot. */
export type ContainerSessions<Target = SessionTarget> = {
  exec(target: Target, request: ExecRequest): Promise<ContainerSession>;
  /**
   * What the container's own program prints from now on.
   *
   * @param request whether something may be sent to it, if it takes any
   */
  attach(target: Target, request: Pick<ExecRequest, 'stdin'>): Promise<ContainerSession>;
  /** A connection to a port of its task. */
  connect(target: Target, port: number): Promise<Duplex>;
};

/** Sessions with the containers of this process's tasks. */
export type TaskSessions = Pick<ContainerSessions, 'exec' | 'attach'> & {
  connect(taskId: string, port: number): Promise<Duplex>;
  /** Why there can be no session; null: the container runs, or, without one, its task. */
  refusal(target: { readonly taskId: string; readonly container: string | null }): string | null;
};

/** Why a session cannot be had, as a sentence for its user. */
export class SessionError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SessionError';
  }
}
