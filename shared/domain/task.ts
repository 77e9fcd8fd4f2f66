import type { JobUid, TaskArn } from './brand.ts';
import type { AttemptId, AttemptTimes, Ending } from './fact.ts';

/** What a pod template becomes: the same for all indexes and attempts, so it is registered once per content hash. */
export type TaskDefinition = {
  /** `muster-<hash of all below>`: equal templates share one family. */
  readonly family: string;
  /** Fargate size in ECS's units: 1024 a vCPU, and MiB. */
  readonly cpu: number;
  readonly memoryMib: number;
  readonly containers: readonly TaskContainer[];
};

export type TaskContainer = {
  readonly name: string;
  readonly image: string;
  /** Kubernetes' `command`. */
  readonly entryPoint: readonly string[];
  /** Kubernetes' `args`. */
  readonly command: readonly string[];
  readonly workingDirectory: string | null;
  readonly environment: readonly { readonly name: string; readonly value: string }[];
  readonly essential: boolean;
  /** Names of containers that must have ended with 0 before this one starts (init containers). */
  readonly dependsOnSuccess: readonly string[];
  readonly stopTimeoutSec: number;
};

/** What one Job's RunTask calls have in common, frozen at its first launch so that a repeated call is the same byte for byte. */
export type LaunchTemplate = {
  /** ARN with revision. */
  readonly taskDefinition: string;
  /** Containers that are told their index. */
  readonly containers: readonly string[];
  /** Set by the adapter: cluster, subnets, and what else one RunTask needs. */
  readonly placement: string;
};

/** An ECS task as an event or DescribeTasks shows it, as far as we look at it. */
export type TaskView = {
  readonly arn: TaskArn;
  readonly job: JobUid;
  readonly id: AttemptId;
  /** Compares views of this ARN only. */
  readonly version: number;
  readonly stage: 'starting' | 'running' | 'stopping' | 'stopped';
  /** null before STOPPED. */
  readonly ending: Ending | null;
  readonly times: AttemptTimes;
  readonly privateIp: string | null;
};
