import { type EpochMs, asEpochMs, soonest } from '../base/time.ts';
import type { ChunkSummary } from './board.ts';
import { type LateBefore, mayHaveLate } from './working-board.ts';
import type { JobSpec } from '../manifests/job.ts';

// A Pod may say how long it may run (activeDeadlineSeconds of the template), and a Job how long all attempts of an index may take
// together (muster.run/index-deadline). The board records when each began, in whole seconds, so none gets less than its time, and
// up to a second more. STATUS has the earliest of each chunk, so a pass loads only chunks that are due.

type Limited = Pick<JobSpec, 'podDeadlineSec' | 'indexDeadlineSec'>;

/** What began before these seconds is late. */
export const lateBefore = ({ podDeadlineSec, indexDeadlineSec }: Limited, now: EpochMs): LateBefore => {
  const nowSec = Math.floor(now / 1000);
  return {
    ran: podDeadlineSec === null ? null : nowSec - podDeadlineSec,
    launched: indexDeadlineSec === null ? null : nowSec - indexDeadlineSec,
  };
};

/** Whether a chunk may have something that is late. */
export const mayBeLate = (summary: ChunkSummary, spec: Limited, now: EpochMs): boolean =>
  mayHaveLate(summary, lateBefore(spec, now));

/** The earliest moment at which something may be late; null: nothing has a deadline. */
export function lateAt(chunks: readonly ChunkSummary[], { podDeadlineSec, indexDeadlineSec }: Limited): EpochMs | null {
  if (podDeadlineSec === null && indexDeadlineSec === null) return null;
  const after = (since: number | null, limitSec: number | null): EpochMs | null =>
    since === null || limitSec === null ? null : asEpochMs((since + limitSec + 1) * 1000);
  return chunks
    .flatMap(({ runningSince, indexSince }) => [
      after(runningSince, podDeadlineSec),
      after(indexSince, indexDeadlineSec),
    ])
    .reduce(soonest, null);
}
