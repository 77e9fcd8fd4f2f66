import { type EpochMs, asEpochMs, soonest } from '../base/time.ts';
import { STOPS_PER_PASS_MAX } from '../base/timing.ts';
import type { FactOf } from '../base/fact.ts';
import type { ChunkSummary } from './board.ts';
import type { WorkingBoard } from './working-board.ts';
import type { Phase } from './status.ts';
import type { JobSpec } from '../manifests/job.ts';

// A Job may say how long a Pod may take from its claim until it runs, whatever it waits for (muster.run/start-timeout-seconds).
// Its claims record when their Pods were created, in whole seconds, so a Pod gets up to a second more.

type Limited = Pick<JobSpec, 'startTimeoutSec'>;

/** Pods that were created before this second and have not run are overdue; null: none ever is. */
const overdueBefore = ({ startTimeoutSec }: Limited, now: EpochMs): number | null =>
  startTimeoutSec === null ? null : Math.floor(now / 1000) - startTimeoutSec;

/** From this moment on a Pod that was created in this second, and has not run, is overdue. */
export const startDueMs = (podCreatedSec: number, { startTimeoutSec }: Limited): number =>
  startTimeoutSec === null ? Number.POSITIVE_INFINITY : (podCreatedSec + startTimeoutSec + 1) * 1000;

/** Whether a chunk may have an overdue Pod. */
export function mayBeOverdue({ startingSince }: ChunkSummary, spec: Limited, now: EpochMs): boolean {
  const before = overdueBefore(spec, now);
  return before !== null && startingSince !== null && startingSince < before;
}

/** The earliest moment at which a Pod may be overdue; null: none waits for its start. */
export function startDueAt(chunks: readonly ChunkSummary[], { startTimeoutSec }: Limited): EpochMs | null {
  if (startTimeoutSec === null) return null;
  return chunks.reduce<EpochMs | null>(
    (at, { startingSince }) =>
      startingSince === null ? at : soonest(at, asEpochMs(startDueMs(startingSince, { startTimeoutSec }))),
    null,
  );
}

/**
 * The deletions of overdue Pods, as if a user had deleted them: what is running is stopped, what is claimed is cancelled, and
 * the end of each counts. Only a running Job has any; one pass takes as many as it can stop.
 */
export function overduePods(
  board: WorkingBoard,
  { managed, ...spec }: Limited & Pick<JobSpec, 'managed'>,
  phase: Phase,
  now: EpochMs,
): readonly FactOf<'deleted'>[] {
  const before = overdueBefore(spec, now);
  if (before === null || !managed || phase.kind !== 'running') return [];
  return board.unstarted(STOPS_PER_PASS_MAX, before, Math.floor(now / 1000)).flatMap((index) => {
    const record = board.record(index);
    if (record === null) return [];
    const { attempt, nonce } = record;
    return [{ kind: 'deleted', index, attempt, nonce, taskArn: null, at: now, overdue: true }];
  });
}
