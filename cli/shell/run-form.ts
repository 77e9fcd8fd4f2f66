import type { Option } from 'commander';

import type { Shell } from './shell.ts';

/** The options that all forms of `muster run` have. */
export type CommonRunFlags = {
  readonly wait: boolean;
  readonly output: 'json' | 'yaml' | 'name' | null;
  readonly timeoutMs: number | null;
  readonly namespace: string | null;
  readonly kubeconfig: string | null;
};

/** A form of `muster run NAME` that makes a Job of an object. */
export type RunForm = {
  /** As the help writes its argument: `JOBCONFIG`. */
  readonly argument: string;
  /** `a JobConfig` */
  readonly object: string;
  /** Its own, beside the common ones and `--after`. */
  readonly options: () => readonly Option[];
  /** What `--after` is here. */
  readonly after: string;
  readonly examples: readonly string[];
  /**
   * @param given the values of all options that are given, by their names in the program
   * @throws Failure for an option of another form
   * @returns the exit code
   */
  readonly run: (
    name: string,
    given: Readonly<Record<string, unknown>>,
    flags: CommonRunFlags,
    shell: Shell,
  ) => Promise<number>;
};
