import type { EpochMs } from '../../../domain/base/time.ts';
import type { Job } from '../../../domain/manifests/job.ts';
import type { JobEvent } from '../../../domain/scoreboard/status.ts';

/** What `kubectl get jobs,pods -o json` shows of one Job, parsed, with upstream's defaults filled in. */
export type ClusterDump = { readonly job: DumpedJob; readonly pods: readonly DumpedPod[] };

export type DumpedJob = Job & {
  /** It has a deletionTimestamp. */
  readonly deleting: boolean;
  /** false: upstream does not know its `completionMode`; `spec.completionMode` then says NonIndexed. */
  readonly completionModeKnown: boolean;
  /** Which of Muster's own annotations it has: a cluster's controller does not know them. */
  readonly ownAnnotations: readonly string[];
  readonly status: DumpedStatus;
};

/** A JobStatus; absent counters are 0. */
export type DumpedStatus = {
  /** In their order, including those of foreign types. */
  readonly conditions: readonly DumpedCondition[];
  readonly startTime: EpochMs | null;
  readonly completionTime: EpochMs | null;
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  /** As upstream's canonical text. */
  readonly completedIndexes: string;
  /** null: absent, as without backoffLimitPerIndex. */
  readonly failedIndexes: string | null;
  /** UIDs of finished Pods that are counted but may still have the finalizer. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
};

export type DumpedCondition = {
  readonly type: string;
  /** `True`, `False`, or `Unknown`, as given. */
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastProbeTime: EpochMs | null;
  readonly lastTransitionTime: EpochMs | null;
};

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export type DumpedPod = {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: EpochMs;
  /** Its deletionTimestamp: when its grace period ends. null: it is not being deleted. */
  readonly deletedAt: EpochMs | null;
  /** Its deletionGracePeriodSeconds; 0 if absent. */
  readonly graceSec: number;
  /** It has the finalizer `batch.kubernetes.io/job-tracking`: its outcome is not finally counted. */
  readonly hasFinalizer: boolean;
  /** null: it has none, or not a plain integer. It may lie outside the Job's indexes. */
  readonly index: number | null;
  readonly phase: PodPhase;
  readonly ready: boolean;
  /** When the condition Ready last changed; null: there is no such condition, or it has no time. */
  readonly readyChangedAt: EpochMs | null;
  /** It has a node. */
  readonly scheduled: boolean;
  /** Restarts of all containers, init containers included. */
  readonly restarts: number;
  readonly conditions: readonly DumpedPodCondition[];
  /** Containers first, then init containers. */
  readonly containers: readonly DumpedContainer[];
  /** Earlier failed attempts of its index that count against backoffLimitPerIndex. */
  readonly failureCount: number;
  /** Those that podFailurePolicy ignored. */
  readonly ignoredFailureCount: number;
};

export type DumpedPodCondition = { readonly type: string; readonly status: string };

export type DumpedContainer = {
  readonly name: string;
  readonly init: boolean;
  /** A sidecar: an init container with restartPolicy Always. */
  readonly sidecar: boolean;
  /** null: it has not ended, or not permanently. */
  readonly terminated: { readonly exitCode: number; readonly finishedAt: EpochMs | null } | null;
};

/** What the controller would do next. */
export type DumpPlan = {
  readonly status: JobStatusObject;
  /** Pods to create; `afterSec` above 0: back-off delays it this long. */
  readonly create: readonly { readonly index: number | null; readonly afterSec: number }[];
  /** Names of Pods to delete. */
  readonly delete: readonly string[];
  /** Names of Pods that have ended, or that count as failed: this pass counts them and removes their finalizer. */
  readonly account: readonly string[];
  /** Names of all other Pods that lose their finalizer: they never count. Some of them are deleted in the same pass. */
  readonly release: readonly string[];
  /** null: only a change of the Job or of a Pod triggers the next pass. */
  readonly requeueAfterSec: number | null;
  readonly events: readonly JobEvent[];
  /** Why, in sentences for people. */
  readonly because: readonly string[];
};

/** A JobStatus as `batch/v1` has it in JSON; empty fields are omitted as upstream omits them. */
export type JobStatusObject = {
  readonly conditions?: readonly JobConditionObject[];
  /** RFC 3339, like all times. */
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly ready?: number;
  readonly terminating?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: {
    readonly succeeded?: readonly string[];
    readonly failed?: readonly string[];
  };
};

export type JobConditionObject = {
  readonly type: string;
  readonly status: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
};
