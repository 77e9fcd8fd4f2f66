import type { EpochMs } from '../../domain/base/time.ts';
import type { Program } from '../rows/program.ts';

/** What the ports' programs are run with. */
export type Context = {
  readonly run: <T>(program: Program<T>) => Promise<T>;
  /** The clock by which rows expire. */
  readonly now: () => EpochMs;
  /** Text of 8 to 36 characters that is used only once: names one write, to recognize it. */
  readonly newToken: () => string;
  /** How many bytes a body takes as it is stored. */
  readonly storedBytes: (body: Uint8Array) => number;
};
