import type { JobUid } from '../../../domain/base/ids.ts';
import type { Labels } from '../../../domain/manifests/manifest.ts';
import { FURIKO_GROUP, type FurikoPart } from './furiko-job.ts';
import { indexHash } from './index-hash.ts';
import { parallelIndexAt } from './parallel-index.ts';

/** On a Job: the uid of the JobConfig that it was made from. */
export const CONFIG_UID_LABEL = `${FURIKO_GROUP}/job-config-uid`;
/** On a Job, an annotation: the hash of the options that its values were given for. */
export const OPTION_SPEC_HASH = `${FURIKO_GROUP}/option-spec-hash`;
/** On a Job, an annotation: the slot that it was created for, in seconds since 1970. */
export const SCHEDULE_TIME = `${FURIKO_GROUP}/schedule-time`;
/** A finalizer with which Furiko deletes a Job's tasks before the Job. Muster stops them anyway. */
export const DEPENDENTS_FINALIZER = `${FURIKO_GROUP}/delete-dependents-finalizer`;
/** On a Pod: the uid of its Job. */
export const JOB_UID_LABEL = `${FURIKO_GROUP}/job-uid`;

/**
 * What Furiko writes on the Pod of a task, for those who select Pods by it (furiko.md 1).
 *
 * @param attempt from 1 up
 */
export function taskMetadata(
  { spec }: FurikoPart,
  uid: JobUid,
  index: number,
  attempt: number,
): { readonly labels: Labels; readonly annotations: Labels } {
  const parallelIndex = parallelIndexAt(spec.template.parallelism, index);
  return {
    labels: {
      [JOB_UID_LABEL]: uid,
      [`${FURIKO_GROUP}/task-retry-index`]: String(attempt - 1),
      [`${FURIKO_GROUP}/task-parallel-index-hash`]: indexHash(parallelIndex),
    },
    annotations: { [`${FURIKO_GROUP}/task-parallel-index`]: JSON.stringify(parallelIndex) },
  };
}
