import type { Chunk } from '../../../domain/scoreboard/board.ts';
import { plusMs } from '../../../domain/base/time.ts';
import { planJob } from '../../../domain/planner/plan-job.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import { AWS_TIMING } from '../../../domain/base/timing.ts';
import type { StoredSpec } from '../../../ports/job-store.ts';
import { toJob } from '../../../store/to-job.ts';

const FAR_MS = 100 * 365 * 86_400_000;

/**
 * Nothing will ever become of the Job if nothing more is heard of it: the planner itself, asked what it would do in a
 * hundred years, would do nothing but look its tasks up. Deadlines, back-offs and times to live are all in its answer.
 *
 * @param chunks the whole board, journal included
 */
export function isStuck(spec: StoredSpec, status: Status, chunks: ReadonlyMap<number, Chunk>): boolean {
  const unread = { ...status, journal: { ...status.journal, entries: [] } };
  const { status: next } = planJob(toJob(spec), unread, chunks, [], plusMs(status.now, FAR_MS), AWS_TIMING);
  return next === null || (next.journal.nextSeq === status.journal.nextSeq && next.phase.kind === status.phase.kind);
}
