import { outputTo } from '../../cli/shell/output.ts';
import type { Shell, Signal } from '../../cli/shell/shell.ts';
import { START } from '../kube/a-world.ts';

/** A shell that notes what is written, with hands for its Ctrl-C and its terminal's size. */
export function aShell(wish: {
  readonly cwd: string;
  readonly env?: Shell['env'];
  readonly stdin?: string;
  readonly now?: () => number;
  /** Standard output is a terminal. */
  readonly terminal?: { columns: number; rows: number };
  /** Standard error is one. */
  readonly errTerminal?: { columns: number; rows: number };
  /** Somebody answers questions. */
  readonly prompter?: Shell['prompter'];
}) {
  const listeners = new Set<(signal: Signal) => void>();
  const resized = new Set<() => void>();
  const written: Record<'out' | 'err', Buffer[]> = { out: [], err: [] };
  const textOf = (name: 'out' | 'err'): string => Buffer.concat(written[name]).toString();
  const { terminal } = wish;
  const outputOf = (name: 'out' | 'err', size: typeof terminal) =>
    outputTo(
      (data) => void written[name].push(Buffer.from(data)),
      size === undefined
        ? null
        : {
            size: () => size,
            onResize(then) {
              resized.add(then);
              return () => resized.delete(then);
            },
          },
    );
  const shell: Shell = {
    out: outputOf('out', terminal),
    err: outputOf('err', wish.errTerminal),
    env: wish.env ?? {},
    cwd: wish.cwd,
    now: wish.now ?? (() => START + 65_000),
    readStdin: async () => wish.stdin ?? '',
    prompter: wish.prompter ?? null,
    readStdinBytes: async () => Buffer.from(wish.stdin ?? ''),
    onInterrupt(then) {
      listeners.add(then);
      return () => listeners.delete(then);
    },
    startAgain: () => {
      throw new Error('nothing is started from this shell');
    },
    starter: null,
  };
  return {
    shell,
    out: () => textOf('out'),
    err: () => textOf('err'),
    /** Standard output, byte for byte. */
    outBytes: () => Buffer.concat(written.out),
    /** Whether anybody heard it. */
    interrupt(signal: Signal = 'SIGINT'): boolean {
      const heard = listeners.size > 0;
      for (const then of listeners) then(signal);
      return heard;
    },
    resize: (columns: number, rows: number): void => {
      if (terminal !== undefined) Object.assign(terminal, { columns, rows });
      for (const then of resized) then();
    },
    listeners: () => listeners.size + resized.size,
  };
}

export type AShell = ReturnType<typeof aShell>;
