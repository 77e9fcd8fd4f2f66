// Objects of the API, as far as the page reads them. What is not written here is kept and not looked at.

export type Labels = Readonly<Record<string, string>>;

export type Meta = {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid?: string }[];
};

/** What all objects have. */
export type KubeObject = { readonly apiVersion?: string; readonly kind?: string; readonly metadata: Meta };

export type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
};

export type Container = {
  readonly name: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
};

export type PodTemplate = {
  readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
  readonly spec: { readonly containers: readonly Container[]; readonly restartPolicy?: string };
};

export type FailureRule = {
  readonly action: string;
  readonly onExitCodes?: {
    readonly containerName?: string | null;
    readonly operator: string;
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
};

export type JobSpec = {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly completionMode?: string;
  readonly suspend?: boolean;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly podReplacementPolicy?: string;
  readonly managedBy?: string;
  readonly selector?: object;
  readonly manualSelector?: boolean;
  readonly podFailurePolicy?: { readonly rules: readonly FailureRule[] };
  readonly successPolicy?: {
    readonly rules: readonly { readonly succeededIndexes?: string; readonly succeededCount?: number }[];
  };
  readonly template: PodTemplate;
};

export type JobStatus = {
  readonly active?: number;
  readonly ready?: number | null;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly conditions?: readonly Condition[];
};

export type Job = KubeObject & { readonly spec: JobSpec; readonly status?: JobStatus };

export type CronJob = KubeObject & {
  readonly spec: {
    readonly schedule: string;
    readonly timeZone?: string;
    readonly suspend?: boolean;
    readonly concurrencyPolicy?: string;
    readonly startingDeadlineSeconds?: number;
    readonly jobTemplate: {
      readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
      readonly spec: JobSpec;
    };
  };
  readonly status?: {
    readonly lastScheduleTime?: string;
    readonly lastSuccessfulTime?: string;
    readonly active?: readonly { readonly name: string }[];
  };
};

export type WorkList = KubeObject & {
  readonly spec?: { readonly items?: string; readonly matrix?: Readonly<Record<string, readonly string[]>> };
  readonly status?: {
    readonly sealed?: boolean;
    readonly items?: number;
    readonly bytes?: number;
    readonly sha256?: string;
    readonly longestItem?: number;
  };
};

export type ResourceQuota = KubeObject & { readonly status?: { readonly hard?: Labels; readonly used?: Labels } };

export type KubeEvent = KubeObject & {
  readonly involvedObject: { readonly kind: string; readonly namespace?: string; readonly name: string };
  readonly reason?: string;
  readonly message?: string;
  readonly type?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly source?: { readonly component?: string };
};

export type Pod = KubeObject & {
  readonly spec: { readonly nodeName?: string; readonly containers: readonly Container[] };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly startTime?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly restartCount?: number;
      readonly state?: {
        readonly waiting?: { readonly reason?: string; readonly message?: string };
        readonly running?: { readonly startedAt?: string };
        readonly terminated?: {
          readonly exitCode?: number;
          readonly reason?: string;
          readonly startedAt?: string;
          readonly finishedAt?: string;
        };
      };
    }[];
  };
};

export type JobConfig = KubeObject & {
  readonly spec: {
    readonly concurrency?: { readonly policy?: string; readonly maxConcurrency?: number };
    readonly schedule?: {
      readonly cron?: {
        readonly expression?: string;
        readonly expressions?: readonly string[];
        readonly timezone?: string;
      };
      readonly disabled?: boolean;
    };
  };
  readonly status?: {
    readonly state?: string;
    readonly queued?: number;
    readonly active?: number;
    readonly lastScheduled?: string;
  };
};

export type FurikoJob = KubeObject & {
  readonly status?: {
    readonly phase?: string;
    readonly createdTasks?: number;
    readonly runningTasks?: number;
    readonly startTime?: string;
  };
};

/** Tells objects of one kind apart. */
export const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;
