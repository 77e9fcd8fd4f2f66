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
  };
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
