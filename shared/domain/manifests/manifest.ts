import type { PodSpec } from './pod-spec.ts';

/** A Job as it was admitted: `batch/v1`, every default filled in, without any field that Muster would ignore. Stored whole. */
export type JobManifest = {
  readonly apiVersion: 'batch/v1';
  readonly kind: 'Job';
  readonly metadata: ObjectMeta;
  readonly spec: JobManifestSpec;
};

export type JobManifestSpec = {
  readonly parallelism: number;
  readonly completions?: number;
  readonly completionMode: 'Indexed' | 'NonIndexed';
  readonly backoffLimit: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly successPolicy?: SuccessPolicy;
  readonly activeDeadlineSeconds?: number;
  readonly ttlSecondsAfterFinished?: number;
  readonly suspend: boolean;
  readonly manualSelector?: boolean;
  readonly podReplacementPolicy: 'TerminatingOrFailed' | 'Failed';
  /** Another controller's name: that controller runs the Job, and Muster only stores it. */
  readonly managedBy?: string;
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
};

/** A Job's status as `batch/v1` writes it. Zeroes are omitted where Go omits them. */
export type JobStatusDocument = {
  readonly conditions?: readonly JobCondition[];
  /** RFC 3339, like all times. */
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
  readonly ready?: number;
};

export type JobCondition = {
  readonly type: string;
  readonly status: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
};

export type LabelSelector = {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
};

export type PodFailurePolicy = { readonly rules: readonly PodFailureRule[] };

/** In the order in which Kubernetes lists them. */
export const POLICY_ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

/** Exactly one of `onExitCodes` and `onPodConditions` is set. */
export type PodFailureRule = {
  readonly action: PolicyAction;
  readonly onExitCodes?: {
    readonly containerName?: string;
    readonly operator: 'In' | 'NotIn';
    readonly values: readonly number[];
  };
  readonly onPodConditions?: readonly { readonly type: string; readonly status: 'True' | 'False' | 'Unknown' }[];
};

/** At least one of the two is set. */
export type SuccessPolicy = {
  readonly rules: readonly { readonly succeededIndexes?: string; readonly succeededCount?: number }[];
};

export type Labels = { readonly [name: string]: string };

export type ObjectMeta = {
  readonly name: string;
  readonly namespace: string;
  /** The prefix that the name was generated from. */
  readonly generateName?: string;
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly ownerReferences?: readonly OwnerReference[];
  /** A deleted object stays until they are removed. */
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
};

export type OwnerReference = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
};

/** Which manager has set which fields of an object (Kubernetes' `managedFields`). */
export type ManagedFieldsEntry = {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: FieldsV1;
  readonly subresource?: string;
};

/** Paths as a tree: `f:name` a field, `k:{"name":"x"}` an item by its keys, `v:"x"` one by its value, `.` the node itself. */
export type FieldsV1 = { readonly [step: string]: FieldsV1 };

export type PodTemplate = {
  readonly metadata: { readonly labels: Labels; readonly annotations?: Labels };
  readonly spec: PodSpec;
};
