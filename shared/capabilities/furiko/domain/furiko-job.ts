import type { Labels } from '../../../domain/manifests/manifest.ts';
import { FURIKO_KINDS } from '../kinds/index.ts';

/** The API group of Furiko, https://furiko.io: Jobs and JobConfigs. */
export const FURIKO_GROUP = FURIKO_KINDS.JobConfig.group;
export const FURIKO_API_VERSION = `${FURIKO_GROUP}/${FURIKO_KINDS.JobConfig.version}` as const;

/** When a Job starts, if its JobConfig has as many active ones as it allows. */
export type ConcurrencyPolicy = 'Allow' | 'Forbid' | 'Enqueue';

/**
 * A Job of Furiko's as its users see it, with every default filled in. It is stored beside the `batch/v1` manifest that runs it,
 * which is made of it when it is created or changed.
 */
export type FurikoPart = {
  /** What its users have written; the manifest has more labels and annotations. */
  readonly metadata: { readonly labels?: Labels; readonly annotations?: Labels };
  readonly spec: FurikoJobSpec;
  /** The JobConfig that it was made from, as it was then; null: it is independent. */
  readonly config: { readonly name: string; readonly uid: string } | null;
  /** Why it was never started; omitted: it may be. */
  readonly admissionError?: string;
};

export type FurikoJobSpec = {
  readonly type: 'Adhoc' | 'Scheduled';
  readonly startPolicy?: { readonly concurrencyPolicy?: ConcurrencyPolicy; readonly startAfter?: string };
  readonly template: FurikoTemplate;
  /** JSON: what was given for the options of the JobConfig. */
  readonly optionValues?: string;
  /** Beside what was given: the evaluated options and `jobconfig.*`. */
  readonly substitutions?: Labels;
  /** RFC 3339, like all times. */
  readonly killTimestamp?: string;
  readonly ttlSecondsAfterFinished: number;
};

export type FurikoTemplate = {
  /** A Pod template as it was written. `batch/v1`'s defaults are in the manifest. */
  readonly taskTemplate: { readonly pod: { readonly [field: string]: unknown } };
  readonly parallelism?: Parallelism;
  readonly maxAttempts: number;
  readonly retryDelaySeconds?: number;
  readonly taskPendingTimeoutSeconds?: number;
  readonly forbidTaskForceDeletion?: boolean;
};

export type Parallelism = IndexNames & { readonly completionStrategy: 'AllSuccessful' | 'AnySuccessful' };

/** How a Job's indexes are named. Exactly one of the three is set. */
export type IndexNames = {
  readonly withCount?: number;
  readonly withKeys?: readonly string[];
  readonly withMatrix?: { readonly [name: string]: readonly string[] };
};
