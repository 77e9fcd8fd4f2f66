import { CHUNK_INDEXES } from '../scoreboard/board.ts';
import { podCount } from '../scoreboard/status.ts';
import { OPEN_GATE, closedIn } from '../upstreams/index-gate.ts';
import type { Applied } from './apply-facts.ts';
import type { Pass } from './pass.ts';

/**
 * Why nothing of a Job will ever run again, although indexes are pending: those wait for indexes of other Jobs that are over, and
 * have not succeeded there. What could run has run.
 *
 * @returns null: it may go on, or not all chunks that say so are loaded
 */
export function stuckOn({ job, upstreams: { gate } }: Pass, { board, counts, folded }: Applied): string | null {
  if (gate === OPEN_GATE || !gate.isFinal || folded.inFlight.length > 0) return null;
  // What a user holds back may run once it is released.
  if (podCount(counts.all) > 0 || counts.within.pending === 0 || counts.within.held > 0) return null;
  const below = Math.min(board.size, job.spec.completions ?? board.size);
  let count = 0;
  let first: number | null = null;
  for (const [no, { pending }] of board.summaries().entries()) {
    if (pending === 0 || no * CHUNK_INDEXES >= below) continue;
    const chunk = board.chunk(no);
    if (chunk === undefined) return null;
    const closed = closedIn(gate, chunk, no, below);
    if (closed.isAnyOpen) return null;
    count += closed.count;
    first ??= closed.first;
  }
  return first === null
    ? null
    : stuckText(
        first,
        count,
        job.spec.afterIndexes.map(({ name }) => name),
      );
}

function stuckText(first: number, count: number, jobs: readonly string[]): string {
  const others = count === 1 ? '' : ` and ${count - 1} more`;
  return `index ${first}${others} cannot start: what they wait for in job ${jobs.join(', ')} has not succeeded`;
}
