import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** What a command has of the process that it runs in; tests give their own. */
export type Shell = {
  readonly out: Output;
  readonly err: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths begin. */
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** All of standard input. */
  readonly readStdin: () => Promise<string>;
  /** Calls `then` at every Ctrl-C and the like, which then do nothing else, until what it returns is called. */
  readonly onInterrupt: (then: (signal: Signal) => void) => () => void;
  /**
   * Starts this very command line again, in a session of its own that outlives this process. It prints into the open file
   * `output`, reads nothing, and has a `starter`.
   */
  readonly startAgain: (output: number) => ChildProcess;
  /** The process that started this one by `startAgain`; null: somebody else did. */
  readonly starter: Starter | null;
};

export type Starter = {
  /** Sends one message that JSON can hold; the two know nothing of each other from then on. */
  readonly tell: (message: object) => void;
};

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export type Output = {
  readonly write: (text: string) => void;
  /** null: a pipe, a file, or a terminal that cannot move its cursor */
  readonly terminal: Terminal | null;
};

export type Terminal = {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Calls back when the size has changed, until what it returns is called. */
  readonly onResize: (then: () => void) => () => void;
};

/** Set for a process that was started by `startAgain`. */
export const STARTED_AGAIN = 'MUSTER_STARTED_AGAIN';

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The shell of this very process. */
export function processShell(): Shell {
  return {
    out: outputOf(process.stdout),
    err: outputOf(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    now: () => Date.now(),
    readStdin: async () => text(process.stdin),
    onInterrupt(then) {
      for (const signal of SIGNALS) process.on(signal, then);
      return () => {
        for (const signal of SIGNALS) process.off(signal, then);
      };
    },
    startAgain: (output) =>
      spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
        detached: true,
        stdio: ['ignore', output, output, 'ipc'],
        env: { ...process.env, [STARTED_AGAIN]: '1' },
      }),
    starter: process.env[STARTED_AGAIN] === '1' && process.connected ? { tell: tellStarter } : null,
  };
}

function tellStarter(message: object): void {
  process.send?.(message, undefined, undefined, () => {
    if (process.connected) process.disconnect();
  });
}

function outputOf(stream: NodeJS.WriteStream): Output {
  const canMove = stream.isTTY && process.env['TERM'] !== 'dumb';
  return {
    write: (text) => void stream.write(text),
    terminal: canMove
      ? {
          size: () => ({ columns: stream.columns, rows: stream.rows }),
          onResize(then) {
            stream.on('resize', then);
            return () => stream.off('resize', then);
          },
        }
      : null,
  };
}
