import type { JobUid } from '../../domain/base/ids.ts';
import { hasPod } from '../../domain/scoreboard/index-record.ts';
import { type PodId, isRemoved } from '../../domain/scoreboard/journal.ts';
import type { JobCommands } from '../../ports/job-commands.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';
import type { JobView, Reads } from '../jobs/job-view.ts';
import { isLive, publishedAttemptsOf } from './read-pods.ts';
import { readPublishedPods } from './read-published.ts';

/** A pass over a busy Job commits every few hundred milliseconds; this many conflicts in a row indicate a bug. */
const TRIES_MAX = 20;

/** Whether an attempt is over for good: its index may have another by now, or will never have one, or waits for it. */
export function isAttemptOver({ board }: Pick<JobView, 'board'>, { index, attempt }: PodId): boolean {
  const record = board.record(index);
  return record === null || record.attempt !== attempt || !hasPod(record.state);
}

/**
 * Removes those of a Job's Pods that are over, and that users still see: all of one chunk of its board, by one commit. What their ends
 * have counted stays, and so do the records of their attempts.
 *
 * @returns those that were removed; the others run, are being deleted, or do not exist
 */
export async function removeEnded(
  uid: JobUid,
  chunk: number,
  pods: readonly PodId[],
  reads: Pick<Reads, 'jobs' | 'feed'> & { readonly jobCommands: Pick<JobCommands, 'removePods' | 'publishJob'> },
): Promise<readonly PodId[]> {
  return retryOnConflict(`Pods of Job ${uid}`, TRIES_MAX, async () => {
    const published = await readPublishedPods(uid, chunk, reads, 'live');
    if (published === null) return [];
    const { view } = published;
    // A row since then may have published what the journal no longer has.
    if (((await reads.feed.readMark(uid))?.number ?? 0) !== view.version) return 'conflict';
    const over = pods
      .filter((pod) => isAttemptOver(view, pod) && !isRemoved(view.status.journal, pod))
      .flatMap(({ index, attempt }) => publishedAttemptsOf(published, index).filter((each) => each.attempt === attempt))
      .filter(({ isPublishedStopping = false }) => !isPublishedStopping);
    if (over.length === 0) return [];
    if (!view.isPublished && over.some(({ state }) => isLive(state))) {
      // Watches see its end before it is gone.
      await reads.jobCommands.publishJob(view.spec, view.status);
      return 'conflict';
    }
    const removed = over.map(({ index, attempt }) => ({ index, attempt }));
    const { kind } = await reads.jobCommands.removePods(view, removed);
    return kind === 'lost' ? 'conflict' : removed;
  });
}
