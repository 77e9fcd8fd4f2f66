import type { FeedEntry, FeedRow } from '../../ports/feed.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { NumberedFeed } from '../feed/feed-tail.ts';
import { type JobFilter, mayShowJob, presentJobs, showsJob } from './list-jobs.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { JobFace } from './job-face.ts';
import { type PublishingReads, readShownJob } from './job-view.ts';
import { LeftOut } from '../list/left-out.ts';
import { Once } from '../feed/once.ts';
import { ShownObjects } from '../feed/shown-objects.ts';
import type { WatchedChange, WatchSource } from '../feed/watched.ts';

/**
 * Jobs as the feed publishes them. A change is shown in the row's version, with the spec and the status of that row; only the lists
 * of indexes are those that were last published. So the numbers of a version are what its Pods show, however late the watch is.
 * A Job that was already shown in a later row's state is not shown again for the rows before it.
 *
 * A Job that begins to match the selectors is ADDED, and one that no longer matches is DELETED, whatever happened to it.
 * Whether it matched before follows from what this watch has sent, or else from its labels before the change. Earlier values of
 * `status.successful` are not stored: a watch that resumes from a version may report a Job as deleted that its client never
 * had.
 */
export function watchedJobs<T extends KubeObject>(
  filter: JobFilter<T>,
  reads: PublishingReads,
  later: LaterRows,
): WatchSource<T> {
  const shown = new ShownObjects();
  const leftOut = new LeftOut(filter.face.resource.kind);
  let isListed = false;
  const { face } = filter;
  return {
    kind: face.resource.kind,
    apiVersion: face.apiVersion,
    async *present() {
      for await (const job of presentJobs(filter, reads)) {
        shown.show(job.metadata.uid, Number(job.metadata.resourceVersion));
        yield job;
      }
      isListed = true;
    },
    concerns: ({ entries }) => entries.some((entry) => mayShowJob(filter, entry)),
    async *changes(row: FeedRow): AsyncGenerator<WatchedChange<T>> {
      for (const entry of row.entries) {
        const { uid } = entry;
        if (!mayShowJob(filter, entry) || shown.isTold(uid, row.number)) continue;
        const state = () => stateOf(face, entry, row.number, reads, later);
        const read = async () => (await STATES.of(row, `${face.apiVersion} ${uid}`, state)) as T | null; // the same face rendered it
        // A watch of all Jobs goes on without one that only a later release reads.
        const job = filter.scope.name === undefined ? await leftOut.unlessNewer(entry, read) : await read();
        if (job === null) continue;
        // Once all objects were sent, others did not exist.
        const was = shown.isShown(uid) ?? (!isListed && wasShown(filter, entry, job));
        const isGone = entry.type === 'DELETED';
        const is = !isGone && showsJob(filter, job);
        // For a Job that was not sent, we know no more than before: a later row may have its labels.
        if (!was && !is && !isGone) continue;
        const type = shown.turn(uid, was, is, isGone, row.number);
        if (type !== null) yield { type, object: job };
      }
    },
  };
}

/** Reads the rows that follow through the tail, which has the newest, so that a burst is not read once for each of its rows. */
export type LaterRows = Pick<NumberedFeed<FeedRow>, 'read'>;

/** Jobs as the watches of a row see them. */
const STATES = new Once<Promise<unknown>>();

/** Also for a Job that has been deleted since: its labels at that time decide what the row of its end means. */
async function stateOf<T extends KubeObject>(
  face: JobFace<T>,
  entry: FeedEntry,
  version: number,
  reads: PublishingReads,
  later: LaterRows,
): Promise<T | null> {
  const view = await readShownJob(entry.uid, reads, face.chunks, 'evenDeleted');
  if (view === null) return null;
  const { shown: status, seq } = entry;
  const shown = status === undefined ? (view.shown ?? null) : { shown: status, seq };
  return face.render({ ...view, shown, spec: await specOf(view.spec, entry, version, later), version }, reads);
}

const ROWS_PER_READ = 100;

/**
 * The spec, with labels and everything else that users write, as of this row. The row that published a user's later change has
 * the spec from before it. If a pass published it, because the writer had died, the newest spec has to do.
 */
async function specOf(
  now: StoredSpec,
  { uid, revision }: FeedEntry,
  number: number,
  later: LaterRows,
): Promise<StoredSpec> {
  if (revision === undefined || now.revision <= revision) return now;
  for (let after = number; ; after += ROWS_PER_READ) {
    const page = await later.read(after, ROWS_PER_READ);
    const rows = page.kind === 'rows' ? page.rows : [];
    for (const { entries } of rows)
      for (const { uid: other, specBefore } of entries)
        if (other === uid && specBefore !== undefined && specBefore.revision >= revision) return specBefore;
    if (rows.length < ROWS_PER_READ) return now;
  }
}

function wasShown<T extends KubeObject>(filter: JobFilter<T>, { type, labelsBefore }: FeedEntry, job: T): boolean {
  if (type === 'ADDED') return false;
  const labels = labelsBefore ?? job.metadata.labels ?? {};
  // How many had succeeded by then is unknown, so it counts as a match.
  return filter.face.fields.some((field) => filter.fields.names(field))
    ? filter.labels.matches(labels)
    : showsJob(filter, job, labels);
}
