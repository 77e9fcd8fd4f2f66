import type { EpochMs, JobUid } from './brand.ts';
import type { JobManifest } from './manifest.ts';

export type CompletionMode = 'Indexed' | 'NonIndexed';

/** What planning needs of a Job's spec, with every default filled in. The manifest itself is kept beside it, whole. */
export type JobSpec = {
  readonly completionMode: CompletionMode;
  readonly parallelism: number;
  /** null: a work queue, done when one Pod has succeeded and none is left. */
  readonly completions: number | null;
  readonly backoffLimit: number;
  readonly suspend: boolean;
};

/** Who a Job is; nothing in it ever changes. */
export type JobIdentity = {
  readonly uid: JobUid;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: EpochMs;
};

/** A Job as a pass sees it: identity and the spec of one generation. */
export type Job = JobIdentity & {
  readonly generation: number;
  readonly spec: JobSpec;
};

/** The part of an admitted manifest that planning goes by. */
export const planningSpec = ({ spec }: JobManifest): JobSpec => ({
  completionMode: spec.completionMode,
  parallelism: spec.parallelism,
  completions: spec.completions ?? null,
  backoffLimit: spec.backoffLimit,
  suspend: spec.suspend,
});

/**
 * How many slots the board has for this spec: one for each completion index; a work queue has one for each Pod that
 * may run at once. It never shrinks below `sizeSoFar`, for attempt numbers outlive a resize.
 */
export function boardSize(spec: JobSpec, sizeSoFar: number): number {
  return Math.max(sizeSoFar, spec.completions ?? spec.parallelism);
}
