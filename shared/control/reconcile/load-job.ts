import { chunksNeeded } from '../../domain/planner/chunks-needed.ts';
import type { Chunk } from '../../domain/scoreboard/board.ts';
import { plusMs } from '../../domain/base/time.ts';
import type { JobUid } from '../../domain/base/ids.ts';
import type { Fact } from '../../domain/base/fact.ts';
import type { Job } from '../../domain/manifests/job.ts';
import { withinClock } from '../../domain/planner/set-back.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import type { WantedChunks } from '../../store/chunks-at.ts';
import { isOneRevision, readJob } from '../../store/read-job.ts';
import { toJob } from '../../store/to-job.ts';
import type { Deps } from '../process/deps.ts';
import { type JudgedUpstreams, readUpstreams } from '../upstreams/read-upstreams.ts';

export type LoadedJob = {
  readonly job: Job;
  readonly spec: StoredSpec;
  readonly status: Status;
  readonly chunks: ReadonlyMap<number, Chunk>;
  /** STATUS's record of the feed was read from the feed just now, and is not a hint. */
  readonly marked: boolean;
} & JudgedUpstreams;

/**
 * Reads STATUS first, then what a pass with these facts needs of the rest, from the cache if it has the version that STATUS
 * names. null: the Job does not exist (any more).
 */
export async function loadJob(uid: JobUid, facts: readonly Fact[], deps: Deps): Promise<LoadedJob | null> {
  const { jobs, cache, clock, settings } = deps;
  const readHead = async (): Promise<Omit<LoadedJob, 'chunks'> | null | 'conflict'> => {
    const read = await jobs.readStatus(uid);
    if (read === null) return null;
    const spec = await specOf(uid, read.revision, deps);
    if (spec === null) return null;
    if (!isOneRevision(spec, read)) return 'conflict';
    const status = await withoutAnnounced(uid, read, deps);
    const job = toJob(spec);
    const judged = await readUpstreams(job, status, deps);
    return { job, spec, ...judged, ...(await withMark(uid, status, facts, deps)) };
  };
  const needed = ({ job, status, upstreams }: Pick<LoadedJob, 'job' | 'status' | 'upstreams'>): WantedChunks => {
    const now = clock.now();
    const nos = chunksNeeded(job, withinClock(status, now, settings.timing), facts, now, upstreams.gate);
    return { nos, selection: job.spec.selection };
  };
  return readJob(uid, readHead, needed, { jobs, cache: cache.chunks });
}

/**
 * What STATUS says is unannounced may be announced: who did so has said it in a row of its own. A pass that comes before the
 * next try would only know it sooner.
 */
async function withoutAnnounced(uid: JobUid, status: Status, { jobs, clock }: Deps): Promise<Status> {
  const { unannounced } = status;
  if (unannounced === null || clock.now() < unannounced.dueAt) return status;
  const announced = await jobs.readAnnounced(uid);
  const changes = unannounced.changes.filter(({ version }) => version > announced);
  return { ...status, unannounced: changes.length === 0 ? null : { ...unannounced, changes } };
}

async function specOf(uid: JobUid, revision: number, { jobs, cache }: Deps): Promise<StoredSpec | null> {
  const cached = cache.specs.get(uid);
  if (cached?.revision === revision) return cached;
  const spec = await jobs.readSpec(uid);
  if (spec !== null) cache.specs.set(uid, spec);
  return spec;
}

/**
 * STATUS's hint of what is published may lag. If a publication looks due, the feed's own mark decides, or this process, if it
 * made the last publication. With facts, there will be something to publish anyway, and a short lag only makes the journal a
 * little longer. Without facts, a pass that did not know that a user's change is already published would publish it again.
 */
async function withMark(
  uid: JobUid,
  status: Status,
  facts: readonly Fact[],
  { feed, publisher, clock, settings }: Deps,
): Promise<Pick<LoadedJob, 'status' | 'marked'>> {
  const own = publisher.lastPublished(uid);
  if (own !== undefined && own.version >= status.version)
    return { status: { ...status, published: own }, marked: true };
  const { published } = status;
  const isYoung = clock.now() < plusMs(published.at, settings.timing.publishEveryMs);
  if (isYoung && (published.version >= status.version || facts.length > 0)) return { status, marked: false };
  const mark = await feed.readMark(uid);
  if (mark === null || mark.version < published.version) return { status, marked: mark === null };
  return { status: { ...status, published: { version: mark.version, seq: mark.seq, at: mark.at } }, marked: true };
}
