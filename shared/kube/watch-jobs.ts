import type { FeedRow } from '../ports/feed.ts';
import { type JobFilter, presentJobs, showsJob } from './list-jobs.ts';
import { type Reads, chunksForSummary, readJob } from './read-job.ts';
import { type JobObject, renderJob } from './render-job.ts';
import { type Change, type Watched, followed, jobFeed } from './watched.ts';

/**
 * Jobs as the feed tells of them. A change is shown in the row's version with the state of now, which is at least as
 * new; so a Job that was shown with a later row's state already is not shown again for the rows before it.
 */
export function watchedJobs(filter: JobFilter, reads: Reads): Watched<JobObject> {
  const told = new Map<string, number>();
  return followed(jobFeed(reads.feed), {
    kind: 'Job',
    apiVersion: 'batch/v1',
    async *present() {
      for await (const job of presentJobs(filter, reads)) {
        told.set(job.metadata.uid, Number(job.metadata.resourceVersion));
        yield job;
      }
    },
    async *changes(row: FeedRow): AsyncGenerator<Change<JobObject>> {
      for (const { uid, namespace, name, type } of row.entries) {
        const { scope } = filter;
        if ((scope.namespace ?? namespace) !== namespace || (scope.name ?? name) !== name) continue;
        if (row.number <= (told.get(uid) ?? 0)) continue;
        const view = await readJob(uid, reads, chunksForSummary, type === 'DELETED' ? 'evenDeleted' : 'live');
        if (view === null) continue;
        const labels = view.spec.manifest.metadata.labels ?? {};
        if (showsJob(filter, { namespace, name, labels }))
          yield { type, object: renderJob({ ...view, version: row.number }) };
      }
    },
  });
}
