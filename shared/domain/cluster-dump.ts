import type { EpochMs } from './brand.ts';
import type { Job } from './job.ts';
import type { JobEvent } from './status.ts';

/** What `kubectl get jobs,pods -o json` shows of one Job, read and with upstream's defaults filled in. */
export type ClusterDump = { readonly job: DumpedJob; readonly pods: readonly DumpedPod[] };

export type DumpedJob = Job & {
  /** It has a deletionTimestamp. */
  readonly deleting: boolean;
  /** false: `completionMode` is none that upstream knows; `spec.completionMode` then says NonIndexed. */
  readonly completionModeKnown: boolean;
  readonly status: DumpedStatus;
};

/** A JobStatus so far; counters that are absent are 0. */
export type DumpedStatus = {
  /** In their order, with those of foreign types. */
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
  /** null: absent, as it is without backoffLimitPerIndex. */
  readonly failedIndexes: string | null;
  /** UIDs of finished Pods that are counted but may still carry the finalizer. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
};

export type DumpedCondition = {
  readonly type: string;
  /** `True`, `False` or `Unknown`; as it was given. */
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
  /** Its deletionTimestamp: when its grace period ends. null: nobody deletes it. */
  readonly deletedAt: EpochMs | null;
  /** Its deletionGracePeriodSeconds, 0 when absent. */
  readonly graceSec: number;
  /** It carries `batch.kubernetes.io/job-tracking`: its outcome is not counted for good. */
  readonly hasFinalizer: boolean;
  /** null: it has none, or what it has is no plain integer. It may lie outside of the Job's indexes. */
  readonly index: number | null;
  readonly phase: PodPhase;
  readonly ready: boolean;
  /** When the condition Ready last changed; null: there is none, or it has no time. */
  readonly readyChangedAt: EpochMs | null;
  /** It has a node. */
  readonly scheduled: boolean;
  /** Restarts of all containers, init containers included. */
  readonly restarts: number;
  readonly conditions: readonly DumpedPodCondition[];
  /** Containers first, init containers after them. */
  readonly containers: readonly DumpedContainer[];
  /** Failed attempts of its index before it that count against backoffLimitPerIndex. */
  readonly failureCount: number;
  /** Those that a podFailurePolicy ignored. */
  readonly ignoredFailureCount: number;
};

export type DumpedPodCondition = { readonly type: string; readonly status: string };

export type DumpedContainer = {
  readonly name: string;
  readonly init: boolean;
  /** An init container that runs along (restartPolicy Always). */
  readonly sidecar: boolean;
  /** null: it has not ended, or not for good. */
  readonly terminated: { readonly exitCode: number; readonly finishedAt: EpochMs | null } | null;
};

/** What the controller would do next. */
export type DumpPlan = {
  readonly status: JobStatusObject;
  /** Pods to create; `afterSec` above 0: back-off holds it so long. */
  readonly create: readonly { readonly index: number | null; readonly afterSec: number }[];
  /** Names of Pods to delete. */
  readonly delete: readonly string[];
  /** Names of Pods that have ended, or that count as failed: this pass accounts for them, and their finalizer goes. */
  readonly account: readonly string[];
  /** Names of all others whose finalizer goes: they never count. Some of them are deleted in the same pass. */
  readonly release: readonly string[];
  /** null: nothing but a change of the Job or of a Pod makes it look again. */
  readonly requeueAfterSec: number | null;
  readonly events: readonly JobEvent[];
  /** Why, in sentences for people. */
  readonly because: readonly string[];
};

/** A JobStatus as `batch/v1` has it in JSON; what is empty is left out as upstream does. */
export type JobStatusObject = {
  readonly conditions?: readonly JobConditionObject[];
  /** RFC 3339, as all times. */
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
