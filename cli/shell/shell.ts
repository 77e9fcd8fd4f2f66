import { type ChildProcess, spawn } from 'node:child_process';
import { buffer, text } from 'node:stream/consumers';
import { type Prompter, terminalPrompter } from './prompter.ts';
import { type Output, outputTo } from './output.ts';

/** What a command uses of its process; tests pass their own. */
export type Shell = {
  readonly out: Output;
  readonly err: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Reads all of standard input. */
  readonly readStdin: () => Promise<string>;
  /** The same, as it is. */
  readonly readStdinBytes: () => Promise<Uint8Array>;
  /** Asks who sits at the terminal; null: nobody does, or answers would not come from there. */
  readonly prompter: Prompter | null;
  /** Calls `then` at every Ctrl-C and similar signal, which then have no other effect. Returns a function that ends this. */
  readonly onInterrupt: (then: (signal: Signal) => void) => () => void;
  /**
   * Starts the same command line again, in a session of its own that outlives this process. The new process prints into the
   * open file `output`, has no input, and has a `starter`.
   */
  readonly startAgain: (output: number) => ChildProcess;
  /** The process that started this one with `startAgain`; null if it was started otherwise. */
  readonly starter: Starter | null;
};

export type Starter = {
  /** Sends one message (JSON). After it, the two processes are independent. */
  readonly tell: (message: object) => void;
};

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** Set for a process started by `startAgain`. */
export const STARTED_AGAIN = 'MUSTER_STARTED_AGAIN';

const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The shell of this process. */
export function processShell(): Shell {
  return {
    out: outputOf(process.stdout),
    err: outputOf(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    now: () => Date.now(),
    readStdin: async () => text(process.stdin),
    readStdinBytes: async () => buffer(process.stdin),
    prompter: process.stdin.isTTY && process.stderr.isTTY ? terminalPrompter() : null,
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
  const terminal = {
    size: () => ({ columns: stream.columns, rows: stream.rows }),
    onResize(then: () => void) {
      stream.on('resize', then);
      return () => stream.off('resize', then);
    },
  };
  return outputTo((data) => void stream.write(data), canMove ? terminal : null, stream.isTTY);
}
