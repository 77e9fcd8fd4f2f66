import type { Option } from 'commander';
import type { Shell } from '../shell/shell.ts';
import type { JobOfCommand } from './job-of-command.ts';

/** What the command line says, by the names that commander gives to its options. */
export type Given = Readonly<Record<string, unknown>>;

/** An object that `muster run NAME … -- COMMAND` creates in place of a Job, if an option asks for it. It keeps the line's list. */
export type LineForm = {
  /** Those that ask for it, and its own. */
  readonly options: () => readonly Option[];
  readonly isAsked: (given: Given) => boolean;
  /** @throws Failure (invalid command line) for options that mean nothing together */
  readonly refuse: (given: Given) => void;
  /** `cronjob.batch` */
  readonly resource: string;
  /** The object that makes such Jobs. */
  readonly objectOf: (job: JobOfCommand['manifest'], given: Given) => LineObject;
  /** @returns the exit code */
  readonly create: (
    object: LineObject,
    flags: {
      readonly namespace: string | null;
      readonly output: 'json' | 'yaml' | 'name' | null;
      readonly kubeconfig: string | null;
    },
    shell: Shell,
  ) => Promise<number>;
};

/** An object of a command line. */
export type LineObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: object;
};
