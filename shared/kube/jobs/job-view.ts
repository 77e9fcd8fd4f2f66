import type { ItemSource } from '../../store/read-items.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import { WorkingBoard } from '../../domain/scoreboard/working-board.ts';
import { chunksForStatus } from '../../domain/scoreboard/status-document.ts';
import { type Status, isHidden, isOver } from '../../domain/scoreboard/status.ts';
import type { Published } from '../../domain/scoreboard/shown-status.ts';
import { NOTHING_PUBLISHED, type PublishedPods } from '../../domain/scoreboard/published-pods.ts';
import type { LaunchPace } from '../../domain/pending/waits.ts';
import type { Feed } from '../../ports/feed.ts';
import type { StartDelays } from '../../ports/gathered/start-delays.ts';
import type { HostStore } from '../../ports/host-store.ts';
import type { JobCommands } from '../../ports/job-commands.ts';
import type { JobStore, StoredSpec } from '../../ports/job-store.ts';
import { isOneRevision, readJob } from '../../store/read-job.ts';
import { toJob } from '../../store/to-job.ts';

/** A Job as a user sees it, consistent in itself: all of it was committed by STATUS's version. */
export type JobView = {
  readonly spec: StoredSpec;
  readonly status: Status;
  /** Number of the feed's row that last published it; what is shown is at least as new. 0: not published yet. */
  readonly version: number;
  /**
   * What the feed has published about its Pods up to that row, if that was read; null: an earlier version of Muster stored
   * nothing.
   */
  readonly published?: PublishedPods | null;
  /** What it has published of STATUS; null: all of it, or an earlier version of Muster did so. */
  readonly shown?: Published | null;
  /** That row published everything that is shown. */
  readonly isPublished: boolean;
  /** The board with the journal applied, with the requested chunks. */
  readonly board: WorkingBoard;
};

export type Reads = ItemSource & {
  readonly jobs: JobStore;
  readonly feed: Feed;
  readonly taskNames: Pick<HostStore, 'readHosts'>;
  /** See `ApiPorts`. */
  readonly launchPace: () => Promise<LaunchPace>;
  readonly startDelays?: StartDelays | undefined;
};

/**
 * Reads a Job with the chunks that `wanted` names. Inconsistent rows (a chunk that is newer than STATUS) are read again.
 *
 * @returns null: the Job does not exist, or a user has deleted it and only live ones are wanted
 */
export async function readJobView(
  uid: JobUid,
  { jobs, feed }: Pick<Reads, 'jobs' | 'feed'>,
  wanted: (status: Status, spec: StoredSpec) => readonly number[],
  visible: 'live' | 'evenDeleted' = 'live',
): Promise<JobView | null> {
  const readHead = async () => {
    // The mark first: what is read after it is as new as the mark says, or newer.
    const mark = await feed.readMark(uid);
    const [spec, status] = await Promise.all([jobs.readSpec(uid), jobs.readStatus(uid)]);
    if (spec === null || status === null) return null;
    if (isHidden(status.phase) && visible === 'live') return null;
    return isOneRevision(spec, status) ? { mark, spec, status } : 'conflict';
  };
  const read = await readJob(
    uid,
    readHead,
    ({ status, spec }) => ({ nos: wanted(status, spec), selection: toJob(spec).spec.selection }),
    { jobs },
  );
  if (read === null) return null;
  const { mark, spec, status, chunks } = read;
  // A commit without a visible change needs no row: STATUS itself says so.
  const isPublished = Math.max(mark?.version ?? 0, status.published.version) >= status.version;
  const published = mark === null ? NOTHING_PUBLISHED : mark.published;
  const shown = isPublished || mark?.shown === undefined ? null : { shown: mark.shown, seq: mark.seq };
  const board = new WorkingBoard(status, chunks);
  return { spec, status, version: mark?.number ?? 0, published, shown, isPublished, board };
}

/** What is needed to publish what the feed does not have yet about a Job. */
export type PublishingReads = Reads & { readonly jobCommands: Pick<JobCommands, 'publishJob'> };

/**
 * Like {@link readJobView}, for a Job that is itself shown. It is shown as the feed has published it, as its Pods are. Its end,
 * and a change of its spec, are published first: the end because nobody should wait for it, the spec because only the current
 * one is known.
 */
export async function readShownJob(
  uid: JobUid,
  reads: PublishingReads,
  wanted: (status: Status, spec: StoredSpec) => readonly number[],
  visible: 'live' | 'evenDeleted' = 'live',
): Promise<JobView | null> {
  const view = await readJobView(uid, reads, wanted, visible);
  if (view === null || view.isPublished || view.version === 0) return view;
  const isKnown = view.shown?.shown.revision === view.status.revision && !isOver(view.status.phase);
  if (isKnown) return view;
  await reads.jobCommands.publishJob(view.spec, view.status);
  return readJobView(uid, reads, wanted, visible);
}

/** The chunks that the Job's status depends on. */
export const chunksForSummary = (status: Status, { manifest }: StoredSpec): readonly number[] =>
  chunksForStatus(status, manifest.spec);
