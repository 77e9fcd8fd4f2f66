import type { Option } from 'commander';
import type { Shell } from './shell.ts';

/** Objects beside Jobs that `muster simulate` takes. */
export type SimulatedKind = {
  /** `CronJob` */
  readonly kind: string;
  /** Its own, beside those for Jobs. */
  readonly options: () => readonly Option[];
  /** What its simulation shows, as the command's help says it. */
  readonly shows: string;
  readonly examples: readonly string[];
  /**
   * @param given the values of all options, by their names in the program
   * @param isAsked the file holds such an object
   * @throws Failure for options that mean nothing, or nothing together
   */
  readonly refuse: (given: Readonly<Record<string, unknown>>, isAsked: boolean) => void;
  /** @returns the exit code */
  readonly run: (simulated: Simulated, given: Readonly<Record<string, unknown>>, shell: Shell) => Promise<number>;
};

/** One object, and what is known of its Jobs. */
export type Simulated = {
  readonly document: unknown;
  readonly file: string;
  /** When it is created, in milliseconds since 1970. */
  readonly startMs: number;
  readonly output: 'json' | 'yaml' | 'text';
  /** How a Job ends by the script; null: there is no script. Throws Failure when the Job or the script is refused. */
  readonly endOf: ((job: object) => Promise<JobEnding>) | null;
};

/** How a simulated Job ends. */
export type JobEnding =
  /** `takesMs`: from its creation; null: it never ends. */
  | { readonly kind: 'complete' | 'failed'; readonly takesMs: number | null }
  /** A user has deleted it. */
  | { readonly kind: 'deleted' };
