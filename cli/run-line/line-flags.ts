import type { EnvFlag } from '../shell/env-flags.ts';
import type { ListFormat } from '../../shared/schema/items/list-formats.ts';

/** What `muster run NAME [options] -- COMMAND` says about the Job, as commander reads it. */
export type LineFlags = ListFlags & {
  readonly image?: string;
  readonly completions?: number;
  readonly completionIndexVarName?: string;
  readonly parallelism?: number;
  readonly retries?: number;
  readonly maxFailed?: number;
  readonly restart?: RestartPolicy;
  readonly cpu?: string;
  readonly memory?: string;
  readonly env?: readonly EnvFlag[];
  /** Absolute path of the tasks' working directory. */
  readonly chdir?: string;
  readonly serviceAccount?: string;
  readonly spot?: true;
  readonly resourcesFromItems?: true;
  readonly imageFromItems?: true;
  readonly failedOf?: string;
  readonly after?: string;
  readonly afterIndexes?: string;
};

/** What says the items. */
export type ListFlags = {
  readonly perCompletionEnv?: readonly string[];
  readonly items?: string;
  readonly matrix?: readonly string[];
  readonly array?: string;
  readonly header?: true;
  readonly columns?: readonly string[];
  readonly format?: ListFormat;
  readonly skipEmpty?: true;
  /** A list without items is fine. */
  readonly allowEmpty?: true;
  readonly colsep?: string;
  readonly batch?: number;
};

export const RESTART_POLICIES = ['OnFailure', 'Never'] as const;
export type RestartPolicy = (typeof RESTART_POLICIES)[number];

/**
 * Reads a file of the command line whole; `-` is standard input.
 *
 * @throws Failure (invalid command line) when it cannot be read
 */
export type ReadFile = (name: string) => Uint8Array;
