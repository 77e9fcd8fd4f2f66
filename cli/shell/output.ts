import { visible } from '../text/visible.ts';

/** Where a command prints. */
export type Output = {
  /** Prints text; what others wrote in it cannot control the terminal. */
  readonly write: (text: string) => void;
  /** Prints bytes as they are: the output of tasks, data for programs, moves of the cursor. */
  readonly writeRaw: (data: string | Uint8Array) => void;
  /** null for a pipe, a file, or a terminal that cannot move its cursor */
  readonly terminal: Terminal | null;
  /** Somebody looks at it: a terminal, whatever it can do. */
  readonly isTerminal: boolean;
};

export type Terminal = {
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** Calls back when the size changes. Returns a function that ends this. */
  readonly onResize: (then: () => void) => () => void;
};

/** The output behind a way to write. */
export const outputTo = (
  writeRaw: Output['writeRaw'],
  terminal: Terminal | null,
  isTerminal: boolean = terminal !== null,
): Output => ({ write: (text) => writeRaw(visible(text)), writeRaw, terminal, isTerminal });
