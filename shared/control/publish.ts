import type { JobIdentity } from '../domain/job.ts';
import { podChanges } from '../domain/journal.ts';
import { DELETED_VERSION, type Status } from '../domain/status.ts';
import type { FeedEntry, FeedMark } from '../ports/feed.ts';
import type { Deps } from './deps.ts';

/** Somebody who publishes the same Job again and again meanwhile publishes for us, too. */
const TRIES_MAX = 5;

/**
 * Tells the feed what was committed, unless it knows already. Idempotent: the feed takes an entry only where the Job's
 * mark stands where the entry begins, so two publishers, or one that crashed and comes again, tell it once.
 */
export async function publishJob(job: JobIdentity, status: Status, { feed, clock }: Pick<Deps, 'feed' | 'clock'>): Promise<void> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const entry = feedEntry(job, status, await feed.readMark(job.uid));
    if (entry === null) return;
    const appended = await feed.append([entry], clock.now());
    if (appended.kind === 'appended') return;
  }
}

/** What the feed does not know of `status`; null: nothing. */
function feedEntry(job: JobIdentity, status: Status, mark: FeedMark | null): FeedEntry | null {
  if (mark !== null && mark.version >= status.version) return null;
  const deleted = status.phase.kind === 'deleting' || status.phase.kind === 'deleted';
  return {
    uid: job.uid,
    namespace: job.namespace,
    name: job.name,
    type: deleted ? 'DELETED' : mark === null ? 'ADDED' : 'MODIFIED',
    after: mark?.version ?? 0,
    version: deleted ? DELETED_VERSION : status.version,
    seq: status.journal.nextSeq,
    pods: podChanges(status.journal, mark?.seq ?? 0),
  };
}
