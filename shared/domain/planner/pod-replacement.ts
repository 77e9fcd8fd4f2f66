import type { FactOf } from '../base/fact.ts';
import type { TaskArn } from '../base/ids.ts';
import { REPLACED_TASKS_MAX } from '../base/timing.ts';
import type { IndexRecord } from '../scoreboard/index-record.ts';
import { type Phase, isEnding } from '../scoreboard/status.ts';
import { type JobSpec, isOutOfRange } from '../manifests/job.ts';

/** What happens to an attempt whose Pod a user has deleted or evicted. */
export type Deletion =
  /** It is already being stopped. */
  | { readonly kind: 'stopping' }
  /** It waits between two tasks, for an index that the Job no longer has: it counts for nothing. */
  | { readonly kind: 'released' }
  /** It waits between two tasks: there is nothing to stop, so it ends now. */
  | { readonly kind: 'ended' }
  /** It counts as failed now, and its index may be retried while its task is still stopping. */
  | { readonly kind: 'replaced'; readonly taskArn: TaskArn }
  /** It keeps its place until its task has stopped, and counts then. */
  | { readonly kind: 'stopped' };

/**
 * podReplacementPolicy (kubernetes-job.md 3, step 8): under TerminatingOrFailed, a Pod that is being deleted has failed and is
 * replaced at once; under Failed, when it has ended. A podFailurePolicy has to see the end first.
 *
 * @param record the attempt on the board that the Pod belongs to
 * @param replacedTasks attempts that were replaced and are still stopping
 */
export function deletionOf(
  fact: FactOf<'deleted'>,
  record: IndexRecord,
  { spec, phase, replacedTasks }: { readonly spec: JobSpec; readonly phase: Phase; readonly replacedTasks: number },
): Deletion {
  if (isEnding(phase) || record.podDeleted || record.stopping) return { kind: 'stopping' };
  const outOfRange = isOutOfRange(spec, fact.index);
  if (record.state === 'waiting') return { kind: outOfRange ? 'released' : 'ended' };
  if (record.late !== null) return { kind: 'stopped' }; // why it ends is decided; it disappears as well
  const { taskArn } = fact;
  // The task that the user saw belongs to the attempt: with restartPolicy OnFailure there is more than one.
  const isOfTask = taskArn !== null && fact.nonce === record.nonce && record.state !== 'claimed';
  return isOfTask && replacesAtOnce(spec) && !outOfRange && replacedTasks < REPLACED_TASKS_MAX
    ? { kind: 'replaced', taskArn }
    : { kind: 'stopped' };
}

const replacesAtOnce = ({ podReplacementPolicy, podFailurePolicy }: JobSpec): boolean =>
  podReplacementPolicy === 'TerminatingOrFailed' && podFailurePolicy === null;
