import type { Labels, ObjectMeta } from '../../../domain/manifests/manifest.ts';
import type { FURIKO_API_VERSION, ConcurrencyPolicy } from './furiko-job.ts';

/** A JobConfig as it was admitted, its defaults filled in. Stored whole, as a document. */
export type JobConfigManifest = {
  readonly apiVersion: typeof FURIKO_API_VERSION;
  readonly kind: 'JobConfig';
  readonly metadata: ObjectMeta;
  readonly spec: JobConfigSpec;
};

export type JobConfigSpec = {
  /** `spec` as its author wrote it: a Job's defaults are filled in when it is created. */
  readonly template: {
    readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
    readonly spec: { readonly [field: string]: unknown };
  };
  /** `maxConcurrency` is set unless the policy is Allow. */
  readonly concurrency: { readonly policy: ConcurrencyPolicy; readonly maxConcurrency?: number };
  readonly schedule?: ConfigSchedule;
  readonly option?: { readonly options: readonly JobOption[] };
};

export type ConfigSchedule = {
  /** Exactly one of `expression` and `expressions` is set. */
  readonly cron?: {
    readonly expression?: string;
    readonly expressions?: readonly string[];
    readonly timezone?: string;
  };
  readonly disabled?: boolean;
  /** RFC 3339; a slot at one of them fires. */
  readonly constraints?: { readonly notBefore?: string; readonly notAfter?: string };
  /** When the schedule changed last: no slot before it is made up for. */
  readonly lastUpdated?: string;
};

/** An option of a JobConfig. Only the block of its own type is set. */
export type JobOption = {
  readonly type: 'Bool' | 'String' | 'Select' | 'Multi' | 'Date';
  readonly name: string;
  readonly label?: string;
  readonly required?: boolean;
  readonly bool?: {
    readonly default: boolean;
    readonly format: 'TrueFalse' | 'OneZero' | 'YesNo' | 'Custom';
    readonly trueVal?: string;
    readonly falseVal?: string;
  };
  readonly string?: { readonly default?: string; readonly trimSpaces?: boolean };
  readonly select?: {
    readonly default?: string;
    readonly values: readonly string[];
    readonly allowCustom?: boolean;
  };
  readonly multi?: {
    readonly default?: readonly string[];
    readonly values: readonly string[];
    readonly delimiter: string;
    readonly allowCustom?: boolean;
  };
  readonly date?: { readonly format?: string };
};

/** A JobConfig's status, as Furiko writes it. */
export type JobConfigStatusDocument = {
  readonly state: 'Ready' | 'ReadyEnabled' | 'ReadyDisabled' | 'JobQueued' | 'Executing';
  readonly queued: number;
  readonly queuedJobs?: readonly JobReference[];
  readonly active: number;
  readonly activeJobs?: readonly JobReference[];
  readonly lastScheduled?: string;
  readonly lastExecuted?: string;
};

export type JobReference = {
  readonly uid: string;
  readonly name: string;
  readonly creationTimestamp: string;
  readonly startTime?: string;
  readonly phase?: string;
};
