import { chunksNeeded } from '../domain/chunks-needed.ts';
import type { Chunk } from '../domain/board.ts';
import { type JobUid, plusMs } from '../domain/brand.ts';
import type { Fact } from '../domain/fact.ts';
import { type Job, planningSpec } from '../domain/job.ts';
import { withinClock } from '../domain/set-back.ts';
import type { Status } from '../domain/status.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import { chunksAt } from './cached-chunks.ts';
import type { Deps } from './deps.ts';

export type LoadedJob = {
  readonly job: Job;
  readonly spec: StoredSpec;
  readonly status: Status;
  readonly stored: ReadonlyMap<number, Chunk>;
  /** What STATUS says of the feed was read there just now, and is no hint. */
  readonly marked: boolean;
};

/** A load that finds spec or chunks newer than STATUS begins again; a Job that is rewritten this often at once is looked at later. */
const LOADS_MAX = 10;

/**
 * Reads STATUS first, then what a pass with these facts needs of the rest, from the cache where it is at the version that
 * STATUS names. null: there is no such Job (any more).
 */
export async function loadJob(uid: JobUid, facts: readonly Fact[], deps: Deps): Promise<LoadedJob | null> {
  for (let load = 0; load < LOADS_MAX; load++) {
    const read = await deps.jobs.readStatus(uid);
    if (read === null) return null;
    const spec = await specOf(uid, read.revision, deps);
    if (spec === null) return null;
    if (spec.revision !== read.revision) continue;
    const { status, marked } = await withMark(uid, read, facts, deps);
    const job = { ...spec.identity, revision: spec.revision, spec: planningSpec(spec.manifest) };
    const now = deps.clock.now();
    const needed = chunksNeeded(job, withinClock(status, now, deps.settings.timing), facts, now);
    const stored = await chunksAt(uid, status, needed, deps);
    if (stored !== null) return { job, spec, status, stored, marked };
  }
  throw new Error(`Job ${uid} changed during each of ${LOADS_MAX} loads`);
}

async function specOf(uid: JobUid, revision: number, { jobs, cache }: Deps): Promise<StoredSpec | null> {
  const cached = cache.specs.get(uid);
  if (cached?.revision === revision) return cached;
  const spec = await jobs.readSpec(uid);
  if (spec !== null) cache.specs.set(uid, spec);
  return spec;
}

/**
 * STATUS's hint of what is published may lag; where a publication looks due by it, the feed's own mark tells, or this process,
 * if it has told all that there is. With facts at hand there will be something to publish anyway, and a lag that is young
 * makes the journal a little longer, no more; without any, a pass that did not know that a user's change is told already
 * would tell it again.
 */
async function withMark(
  uid: JobUid,
  status: Status,
  facts: readonly Fact[],
  { feed, publisher, clock, settings }: Deps,
): Promise<Pick<LoadedJob, 'status' | 'marked'>> {
  const own = publisher.told(uid);
  if (own !== undefined && own.version >= status.version)
    return { status: { ...status, published: own }, marked: true };
  const { published } = status;
  const isYoung = clock.now() < plusMs(published.at, settings.timing.publishEveryMs);
  if (isYoung && (published.version >= status.version || facts.length > 0)) return { status, marked: false };
  const mark = await feed.readMark(uid);
  if (mark === null || mark.version < published.version) return { status, marked: mark === null };
  return { status: { ...status, published: { version: mark.version, seq: mark.seq, at: mark.at } }, marked: true };
}
