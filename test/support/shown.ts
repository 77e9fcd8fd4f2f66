import { WorkingBoard } from '../../shared/domain/scoreboard/working-board.ts';
import { type JobObject, renderJob } from '../../shared/kube/jobs/render-job.ts';
import type { Situation } from './a-board.ts';
import { aJob } from './a-job.ts';

/** The `batch/v1` status that a user sees of a Job in this situation. */
export function shown({ job, status, stored }: Situation): JobObject['status'] {
  const { completionMode, completions, parallelism, backoffLimitPerIndex } = job.spec;
  const spec = aJob({ uid: job.uid, name: job.name, completionMode, completions, parallelism });
  const { manifest } = spec;
  const perIndex = backoffLimitPerIndex === null ? {} : { backoffLimitPerIndex };
  return renderJob({
    spec: { ...spec, manifest: { ...manifest, spec: { ...manifest.spec, ...perIndex } } },
    status,
    version: status.version,
    isPublished: true,
    board: new WorkingBoard(status, stored),
  }).status;
}

/** Conditions as words, in their order: `FailureTarget`, or `Suspended=False` where it is not True. */
export const conditionsOf = (situation: Situation): string =>
  (shown(situation).conditions ?? [])
    .map(({ type, status }) => (status === 'True' ? type : `${type}=${status}`))
    .join(' ');
