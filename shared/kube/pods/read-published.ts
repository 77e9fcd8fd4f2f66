import type { JobUid } from '../../domain/base/ids.ts';
import {
  type PartName,
  type PublishedPart,
  type PublishedPod,
  podKey,
  podsOfChunk,
} from '../../domain/scoreboard/published-pods.ts';
import { type UnpublishedStop, unpublishedStops } from '../../domain/scoreboard/shown-status.ts';
import { type JobView, type Reads, readJobView } from '../jobs/job-view.ts';
import { retryOnConflict } from '../../store/retry-on-conflict.ts';

/** A chunk of a Job, and what the feed has published about its Pods, of one moment. */
export type PublishedView = {
  readonly view: JobView;
  /** By {@link podKey}; null: an earlier version of Muster published them, and stored nothing. */
  readonly pods: ReadonlyMap<string, PublishedPod> | null;
  /** Those that are to end, which is not published yet. */
  readonly stops: ReadonlyMap<string, UnpublishedStop>;
};

const NO_PARTS: ReadonlyMap<PartName, PublishedPart> = new Map();

/** Rows are appended once per second; this many conflicts in a row indicate a bug. */
const READS_MAX = 10;

/**
 * Reads a Job with chunk `no`, if it has that, and what was published about the chunk's Pods by the row whose number is the
 * view's version: users see that, and not what has been committed since. null: the Job does not exist (any more).
 */
export async function readPublishedPods(
  uid: JobUid,
  no: number,
  reads: Pick<Reads, 'jobs' | 'feed'>,
  visible: 'live' | 'evenDeleted',
): Promise<PublishedView | null> {
  return retryOnConflict(`what was published about Job ${uid}`, READS_MAX, async () => {
    const view = await readJobView(uid, reads, ({ chunks }) => (no < chunks.length ? [no] : []), visible);
    if (view === null) return null;
    const { published = null, version } = view;
    const stops = unpublishedStops(view.status.journal, view.shown ?? null);
    if (published === null) return { view, pods: null, stops };
    const parts = published.through === 0 ? NO_PARTS : await reads.feed.readPublished(uid, ['tail', no]);
    const [tail = null, chunk = null] = [parts.get('tail'), parts.get(no)];
    // A newer row has been appended since its mark was read.
    if (Math.max(tail?.through ?? 0, chunk?.through ?? 0) > version) return 'conflict';
    const pods = podsOfChunk(published, tail, chunk, no);
    return { view, pods: new Map(pods.map((pod) => [podKey(pod), pod])), stops };
  });
}
