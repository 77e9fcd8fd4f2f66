import type { EpochMs } from '../../domain/base/time.ts';
import type { DeadLetterStore } from '../../ports/dead-letters.ts';
import type { CronStore } from '../../ports/cron-store.ts';
import { FEED_RETENTION_MS, type Feed } from '../../ports/feed.ts';
import type { HostStore } from '../../ports/host-store.ts';
import type { ItemStore } from '../../ports/item-store.ts';
import type { JobStore } from '../../ports/job-store.ts';
import type { Limits } from '../../ports/limits.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Waiters } from '../../ports/waiters.ts';
import { attempts } from './lmdb-attempts.ts';
import { crons } from './lmdb-crons.ts';
import { discardRow } from './discard-row.ts';
import { deadLetters } from './lmdb-dead-letters.ts';
import { feed } from './lmdb-feed.ts';
import { type Forget, deletedJobs } from './lmdb-deleted-jobs.ts';
import { hosts } from './lmdb-hosts.ts';
import { items } from './lmdb-items.ts';
import { jobs } from './lmdb-jobs.ts';
import { limits } from './lmdb-limits.ts';
import { objects } from './lmdb-objects.ts';
import { LmdbRows } from './lmdb-rows.ts';
import { waiters } from './lmdb-waiters.ts';

export type LmdbStore = {
  readonly jobs: JobStore;
  readonly feed: Feed;
  readonly limits: Limits;
  readonly objects: ObjectStore;
  readonly deadLetters: DeadLetterStore;
  readonly hosts: HostStore;
  readonly items: ItemStore;
  readonly crons: CronStore;
  readonly waiters: Waiters;
  /**
   * Removes rows whose time has passed, and those of Jobs that were deleted some hours ago; returns how many. To be called
   * when the process begins, and then once an hour.
   */
  removeOld(forget: Forget): Promise<number>;
  /** Removes a damaged row and what belongs to it; returns how many rows are gone. See {@link discardRow}. */
  discardRow(key: string): Promise<number>;
  /** Bytes of the file that hold rows, and all of its bytes. */
  size(): { readonly usedBytes: number; readonly fileBytes: number };
  /** Resolves when everything is on the disk. */
  close(): Promise<void>;
};

/**
 * Everything that is stored, in one LMDB file (`path`) of this process. A call that writes answers when that is on the disk,
 * and throws where the disk fails: then nothing of it is stored. Rows vanish by `now`. A new file is empty: not even the
 * namespace `default` is there.
 *
 * @throws StoreFileError where the file is none of ours, or torn; errors of the disk
 */
export function createLmdbStore({
  path,
  now,
  feedRetentionMs = FEED_RETENTION_MS,
}: {
  readonly path: string;
  readonly now: () => EpochMs;
  readonly feedRetentionMs?: number;
}): LmdbStore {
  return storeOf(new LmdbRows(path, now), now, feedRetentionMs);
}

/** As long as the feed has rows of a Job, its watches read the Job's rows; they may be an hour late. */
const WATCHES_LATE_MS = 3_600_000;

/** The store over an open file. */
export function storeOf(rows: LmdbRows, now: () => EpochMs, feedRetentionMs: number): LmdbStore {
  const removeDeleted = deletedJobs(rows, now, feedRetentionMs + WATCHES_LATE_MS);
  return {
    jobs: { ...jobs(rows), ...attempts(rows) },
    feed: feed(rows, feedRetentionMs),
    limits: limits(rows),
    objects: objects(rows, now, feedRetentionMs),
    deadLetters: deadLetters(rows),
    hosts: hosts(rows),
    items: items(rows, now),
    crons: crons(rows),
    waiters: waiters(rows),
    removeOld: async (forget) => (await rows.removeExpired()) + (await removeDeleted(forget)),
    discardRow: async (key) => discardRow(rows, key),
    size: () => rows.size(),
    close: async () => rows.close(),
  };
}
