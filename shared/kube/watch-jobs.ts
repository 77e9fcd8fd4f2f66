import type { FeedEntry, FeedRow } from '../ports/feed.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import { type JobFilter, mayShowJob, presentJobs, showsJob } from './list-jobs.ts';
import { type Reads, chunksForSummary, readJob } from './read-job.ts';
import { type JobObject, renderJob } from './render-job.ts';
import { Once } from './once.ts';
import type { Change, WatchSource } from './watched.ts';

/**
 * Jobs as the feed tells of them. A change is shown in the row's version with what users had written by then, and with
 * the status of now, which is at least as new; so a Job that was shown with a later row's state already is not shown again for the rows before it.
 *
 * A Job that begins to match the selectors is ADDED, one that does so no more is DELETED, whatever happened to it. What
 * this watch has told of it says whether it did before; else its labels before the change do. Nobody remembers what
 * `status.successful` was: a watch that goes on from a version may tell that a Job has gone which its client never had.
 */
export function watchedJobs(filter: JobFilter, reads: Reads): WatchSource<JobObject> {
  const told = new Map<string, Told>();
  let isListed = false;
  return {
    kind: 'Job',
    apiVersion: 'batch/v1',
    async *present() {
      for await (const job of presentJobs(filter, reads)) {
        told.set(job.metadata.uid, { version: Number(job.metadata.resourceVersion), isShown: true });
        yield job;
      }
      isListed = true;
    },
    concerns: ({ entries }) => entries.some((entry) => mayShowJob(filter, entry)),
    async *changes(row: FeedRow): AsyncGenerator<Change<JobObject>> {
      for (const entry of row.entries) {
        const { uid } = entry;
        const last = told.get(uid);
        if (!mayShowJob(filter, entry) || row.number <= (last?.version ?? 0)) continue;
        const job = await STATES.of(row, uid, () => stateOf(entry, row.number, reads));
        if (job === null) continue;
        // Once all has been told, what was not told was not there.
        const was = last?.isShown ?? (!isListed && wasShown(filter, entry, job));
        const is = entry.type !== 'DELETED' && showsJob(filter, job);
        if (entry.type === 'DELETED') told.delete(uid);
        // Of a Job that was not to be told of we know no more than before: a later row may say what its labels were.
        else if (was || is) told.set(uid, { version: row.number, isShown: is });
        if (was || is) yield { type: is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED', object: job };
      }
    },
  };
}

type Told = { readonly version: number; readonly isShown: boolean };

/** Jobs as the watchers of a row are told of them. */
const STATES = new Once<Promise<JobObject | null>>();

/** Of a Job that has been deleted meanwhile as well: what its labels were by then decides what the row of its end is. */
async function stateOf(entry: FeedEntry, version: number, reads: Reads): Promise<JobObject | null> {
  const view = await readJob(entry.uid, reads, chunksForSummary, 'evenDeleted');
  return view === null ? null : renderJob({ ...view, spec: await specOf(view.spec, entry, version, reads), version });
}

const ROWS_PER_READ = 100;

/**
 * The spec, with labels and all else that users write, that a row tells of. Whoever has changed it since has left what was
 * there before in the row that told of the change; should it have been told by a pass, for the writer had died, the spec
 * of now has to do.
 */
async function specOf(
  now: StoredSpec,
  { uid, revision }: FeedEntry,
  number: number,
  { feed }: Reads,
): Promise<StoredSpec> {
  if (revision === undefined || now.revision <= revision) return now;
  for (let after = number; ; after += ROWS_PER_READ) {
    const page = await feed.read(after, ROWS_PER_READ);
    const rows = page.kind === 'rows' ? page.rows : [];
    for (const { entries } of rows)
      for (const { uid: other, specBefore } of entries)
        if (other === uid && specBefore !== undefined && specBefore.revision >= revision) return specBefore;
    if (rows.length < ROWS_PER_READ) return now;
  }
}

function wasShown(filter: JobFilter, { type, labelsBefore }: FeedEntry, job: JobObject): boolean {
  if (type === 'ADDED') return false;
  const labels = labelsBefore ?? job.metadata.labels ?? {};
  // What it had succeeded by then is not known, so it is taken to have matched.
  return filter.fields.names('status.successful') ? filter.labels.matches(labels) : showsJob(filter, job, labels);
}
