import type { JobUid } from '../domain/brand.ts';
import { type PartName, type ToldPart, type ToldPod, podKey, podsOfChunk } from '../domain/told-pods.ts';
import { type JobView, type Reads, readJob } from './read-job.ts';

/** A chunk of a Job, and what the feed has told of its Pods, of one moment. */
export type ToldView = {
  readonly view: JobView;
  /** By {@link podKey}; null: an earlier version of Muster has told of them, and kept nothing. */
  readonly pods: ReadonlyMap<string, ToldPod> | null;
};

const NO_PARTS: ReadonlyMap<PartName, ToldPart> = new Map();

/** Rows are appended once a second; a read that meets this many in a row is no accident. */
const READS_MAX = 10;

/**
 * Reads a Job with chunk `no`, if it has that, and what was told of the chunk's Pods by the row whose number is the view's
 * version: what users see of Pods is that, and not what has been committed since. null: there is no such Job (any more).
 */
export async function readTold(
  uid: JobUid,
  no: number,
  reads: Reads,
  visible: 'live' | 'evenDeleted',
): Promise<ToldView | null> {
  for (let nth = 0; nth < READS_MAX; nth++) {
    const view = await readJob(uid, reads, ({ chunks }) => (no < chunks.length ? [no] : []), visible);
    if (view === null) return null;
    const { told = null, version } = view;
    if (told === null) return { view, pods: null };
    const parts = told.through === 0 ? NO_PARTS : await reads.feed.readTold(uid, ['tail', no]);
    const [tail = null, chunk = null] = [parts.get('tail'), parts.get(no)];
    // A newer row has been appended since its mark was read.
    if (Math.max(tail?.through ?? 0, chunk?.through ?? 0) > version) continue;
    const pods = podsOfChunk(told, tail, chunk, no);
    return { view, pods: new Map(pods.map((pod) => [podKey(pod), pod])) };
  }
  throw new Error(`what was told of Job ${uid} changed during each of ${READS_MAX} reads`);
}
