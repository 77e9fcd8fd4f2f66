import { type Chunk, chunkOf, emptyChunk } from '../domain/board.ts';
import type { JobUid } from '../domain/brand.ts';
import { Draft } from '../domain/draft.ts';
import { type Status, chunkLength, isHidden } from '../domain/status.ts';
import { NOTHING_TOLD, type Told } from '../domain/told-pods.ts';
import type { LaunchPace } from '../domain/waits.ts';
import type { Feed, FeedMark } from '../ports/feed.ts';
import type { JobStore, StoredSpec } from '../ports/job-store.ts';

/** A Job as a user sees it, consistent in itself: all of it was committed, by STATUS's version. */
export type JobView = {
  readonly spec: StoredSpec;
  readonly status: Status;
  /** Number of the feed's row that told of it last; what is shown is at least as new. 0: it has not been told of yet. */
  readonly version: number;
  /** What that row and those before it have told of its Pods, where that was read; null: an earlier version of Muster kept nothing. */
  readonly told?: Told | null;
  /** That row told all that is shown. */
  readonly isTold: boolean;
  /** The board with the journal applied, as far as chunks were asked for. */
  readonly board: Draft;
};

export type Reads = {
  readonly jobs: JobStore;
  readonly feed: Feed;
  /** See `ApiPorts`. */
  readonly launchPace: () => Promise<LaunchPace>;
};

/** Passes commit a few times a second; a load that meets this many in a row is no accident. */
const LOADS_MAX = 10;

/**
 * Reads a Job with the chunks that `wanted` names. What does not fit together (a chunk that is newer than STATUS) is
 * read again.
 *
 * @returns null: there is no such Job, or a user has deleted it and only live ones are wanted
 */
export async function readJob(
  uid: JobUid,
  { jobs, feed }: Pick<Reads, 'jobs' | 'feed'>,
  wanted: (status: Status, spec: StoredSpec) => readonly number[],
  visible: 'live' | 'evenDeleted' = 'live',
): Promise<JobView | null> {
  for (let load = 0; load < LOADS_MAX; load++) {
    // The mark first: what is read after it is as new as the mark says, or newer.
    const mark = await feed.readMark(uid);
    const [spec, status] = await Promise.all([jobs.readSpec(uid), jobs.readStatus(uid)]);
    if (spec === null || status === null) return null;
    if (isHidden(status.phase) && visible === 'live') return null;
    const stored = await readChunks(uid, status, wanted(status, spec), jobs);
    // A commit that shows nothing new needs no row: STATUS itself says so.
    const isTold = Math.max(mark?.version ?? 0, status.published.version) >= status.version;
    const told = mark === null ? NOTHING_TOLD : mark.told;
    if (stored !== null)
      return { spec, status, version: numberOf(mark), told, isTold, board: new Draft(status, stored) };
  }
  throw new Error(`Job ${uid} changed during each of ${LOADS_MAX} loads`);
}

const numberOf = (mark: FeedMark | null): number => mark?.number ?? 0;

/** null: a chunk is not at the version that STATUS names. */
async function readChunks(
  uid: JobUid,
  { chunks }: Status,
  nos: readonly number[],
  jobs: JobStore,
): Promise<ReadonlyMap<number, Chunk> | null> {
  const stored = nos.filter((no) => (chunks[no]?.version ?? 0) > 0);
  const found = stored.length === 0 ? new Map<number, never>() : await jobs.readChunks(uid, stored);
  const read = new Map<number, Chunk>();
  for (const no of nos) {
    const version = chunks[no]?.version ?? 0;
    const chunk = found.get(no);
    if (version > 0 && chunk?.version !== version) return null;
    read.set(no, chunk?.chunk ?? emptyChunk());
  }
  return read;
}

/**
 * The chunks without which `completedIndexes` and `failedIndexes` cannot be written: those of which some records are so
 * and some are not. Of a Job that was made smaller, the one that is cut in two.
 */
export function chunksForSummary(status: Status, spec: StoredSpec): readonly number[] {
  const { completionMode, completions } = spec.manifest.spec;
  if (completionMode === 'NonIndexed') return [];
  const cut = completions !== undefined && completions < status.size ? chunkOf(completions) : null;
  return status.chunks.flatMap(({ succeeded, failed }, no) => {
    const length = chunkLength(status.size, no);
    const isMixed = (count: number): boolean => count > 0 && count < length;
    return isMixed(succeeded) || isMixed(failed) || no === cut ? [no] : [];
  });
}
