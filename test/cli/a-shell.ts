import type { Output, Shell, Signal } from '../../cli/shell.ts';
import { START } from '../kube/a-world.ts';

/** A shell that notes what is written, with hands for its Ctrl-C and its terminal's size. */
export function aShell(wish: {
  readonly cwd: string;
  readonly env?: Shell['env'];
  readonly stdin?: string;
  readonly now?: () => number;
  /** Standard output is a terminal. */
  readonly terminal?: { columns: number; rows: number };
}) {
  const listeners = new Set<(signal: Signal) => void>();
  const resized = new Set<() => void>();
  const texts = { out: '', err: '' };
  const { terminal } = wish;
  const outputOf = (name: 'out' | 'err'): Output => ({
    write(text) {
      texts[name] += text;
    },
    terminal:
      terminal === undefined || name === 'err'
        ? null
        : {
            size: () => terminal,
            onResize(then) {
              resized.add(then);
              return () => resized.delete(then);
            },
          },
  });
  const shell: Shell = {
    out: outputOf('out'),
    err: outputOf('err'),
    env: wish.env ?? {},
    cwd: wish.cwd,
    now: wish.now ?? (() => START + 65_000),
    readStdin: async () => wish.stdin ?? '',
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
    out: () => texts.out,
    err: () => texts.err,
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
