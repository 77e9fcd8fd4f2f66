import { type Job, conditionOf } from './api-objects.ts';

export type Verdict = 'complete' | 'failed';

/** A Job's verdict; null if it is not over. */
export function verdictOf(job: Job): Verdict | null {
  if (conditionOf(job, 'Complete') !== undefined) return 'complete';
  return conditionOf(job, 'Failed') === undefined ? null : 'failed';
}

/** Why a Job failed or is about to fail, in the server's words. */
export function failureOf(job: Job): string {
  const why = conditionOf(job, 'Failed') ?? conditionOf(job, 'FailureTarget');
  if (why === undefined) return '';
  return why.reason === '' ? why.message : `${why.reason}: ${why.message}`;
}

/** When a Job ended; null if it has not. A failed Job has no completionTime. */
export const endOf = (job: Job): number | null =>
  job.status.completionTime ?? conditionOf(job, 'Failed')?.lastTransitionTime ?? null;
