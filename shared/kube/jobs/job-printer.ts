import type { EpochMs } from '../../domain/base/time.ts';
import { ANNOTATIONS, HELD_CONDITION } from '../../domain/manifests/annotations.ts';
import { indexesToSucceed } from '../../domain/manifests/selection.ts';
import type { JobObject } from './render-job.ts';
import { ageOf, humanDuration, msOf } from '../list/ages.ts';
import { CONTAINER_COLUMNS, containerCells } from '../list/container-cells.ts';
import { AGE, NAME, type Printer, text } from '../list/printer.ts';

/** Jobs as rows (Kubernetes 1.34's printJob). */
export const JOB_PRINTER: Printer<JobObject> = {
  columns: [
    NAME,
    text('Status', 'Where the Job stands, in one word.'),
    text('Completions', 'How many have succeeded, and how many have to.'),
    text('Duration', 'Time from its start to its end, or until now.'),
    AGE,
    ...CONTAINER_COLUMNS,
  ],
  cells: (job, now) => [
    job.metadata.name,
    statusWord(job),
    completions(job),
    duration(job, now),
    ageOf(job.metadata.creationTimestamp, now),
    ...containerCells(job.spec.template.spec.containers, job.spec.selector),
  ],
};

const is = ({ status }: JobObject, type: string): boolean =>
  status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

/** Nothing more will happen to this Job. */
export const isJobOver = (job: JobObject): boolean => is(job, 'Complete') || is(job, 'Failed');

/** The first that applies. */
function statusWord(job: JobObject): string {
  if (is(job, 'Complete')) return 'Complete';
  if (is(job, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (is(job, HELD_CONDITION)) return 'Held';
  const conditions = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];
  return conditions.find((type) => is(job, type)) ?? 'Running';
}

/** Excluded indexes do not have to succeed. A work queue is complete once one Pod has succeeded and all have ended. */
function completions({ metadata, spec, status: { succeeded = 0, completedIndexes } }: JobObject): string {
  if (spec.completions !== undefined) {
    const chosen = metadata.annotations?.[ANNOTATIONS.indexes];
    return `${succeeded}/${indexesToSucceed(spec.completions, chosen, completedIndexes)}`;
  }
  const { parallelism } = spec;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration({ status: { startTime, completionTime } }: JobObject, now: EpochMs): string {
  const start = msOf(startTime);
  return start === null ? '' : humanDuration((msOf(completionTime) ?? now) - start);
}
