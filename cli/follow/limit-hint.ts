import { type Job, type JobFailures, conditionOf } from '../client/api-objects.ts';

/** A Job that failed by a limit which users may not have known: which limit it was, and what raises it; null: another reason. */
export function limitHint(job: Job): string | null {
  const { spec } = job;
  const reason = conditionOf(job, 'Failed')?.reason;
  if (reason === 'BackoffLimitExceeded')
    return spec.completionMode === 'Indexed' && spec.completions !== 1 && spec.backoffLimitPerIndex === undefined
      ? 'spec.backoffLimit counts the failures of all indexes; with --retries N (spec.backoffLimitPerIndex, restartPolicy Never) one that fails leaves the others alone'
      : null;
  return reason === 'MaxFailedIndexesExceeded' && spec.maxFailedIndexes !== undefined
    ? `more than ${spec.maxFailedIndexes} indexes have failed; --max-failed N (spec.maxFailedIndexes) lets more fail`
    : null;
}

/**
 * How many attempts have failed, those that the Job's own failure stopped apart: `3 attempts failed, 5 stopped`. Empty: none.
 *
 * @param failures null: they are not known
 */
export function failedAttemptsText({ spec, status: { failed } }: Job, failures: JobFailures | null): string {
  if (failed === 0) return '';
  // Where containers are started again in their Pod, it fails once, however often they did.
  const word = spec.template.spec.restartPolicy === 'OnFailure' ? 'Pod' : 'attempt';
  const groups = failures === null || failures.more ? [] : failures.groups;
  const stopped = groups.reduce((sum, group) => sum + (group.stoppedWithJob ? group.count : 0), 0);
  const own = Math.max(failed - stopped, 0);
  const parts = [
    ...(own === 0 ? [] : [`${own} ${word}${own === 1 ? '' : 's'} failed`]),
    ...(stopped === 0 ? [] : [`${stopped} stopped`]),
  ];
  return parts.join(', ');
}
