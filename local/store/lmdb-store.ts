import { randomBytes } from 'node:crypto';
import { LmdbRows } from '../../shared/adapters/rows/lmdb.ts';
import type { EpochMs } from '../../shared/domain/base/time.ts';
import { FEED_RETENTION_MS } from '../../shared/ports/feed.ts';
import { type Store, createStore } from '../../shared/store/create-store.ts';
import { type Forget, deletedJobs } from './deleted-jobs.ts';
import { discardRow } from './discard-row.ts';
import { openTakenOver } from './take-over/take-over.ts';

export type LmdbStore = Store & {
  /**
   * Removes rows whose time has passed, and those of Jobs that were deleted some hours ago; returns how many. To be called
   * when the process begins, and then once an hour.
   */
  removeOld(forget: Forget): Promise<number>;
  /** Bytes of the file that hold rows, and all of its bytes. */
  size(): { readonly usedBytes: number; readonly fileBytes: number };
  /** Resolves when everything is on the disk. */
  close(): Promise<void>;
};

/**
 * Everything that is stored, in one LMDB file (`path`) of this process. One of an earlier format is taken over first. A call that
 * writes answers when that is on the disk, and throws where the disk fails: then nothing of it is stored. Rows vanish by `now`. A
 * new file is empty: not even the namespace `default` is there.
 *
 * @param discard a row that is removed first (its name; null: none), with what belongs to it; see {@link discardRow}
 * @param say gets lines about what is done
 * @throws as {@link openTakenOver} and {@link discardRow}
 */
export async function openLmdbStore(
  path: string,
  now: () => EpochMs,
  discard: string | null,
  say: (line: string) => void,
): Promise<LmdbStore> {
  const rows = new LmdbRows(await openTakenOver(path, say), now);
  try {
    if (discard !== null) {
      const gone = await discardRow(rows, discard);
      say(`row ${discard} is gone${gone > 1 ? `, with ${gone - 1} more that belonged to it` : ''}`);
    }
  } catch (error) {
    await rows.close();
    throw error;
  }
  return storeOf(rows, now);
}

/** As long as the feed has rows of a Job, its watches read the Job's rows; they may be an hour late. */
const WATCHES_LATE_MS = 3_600_000;

/** The store over an open file. */
export function storeOf(rows: LmdbRows, now: () => EpochMs, feedRetentionMs = FEED_RETENTION_MS): LmdbStore {
  const removeDeleted = deletedJobs(rows, now, feedRetentionMs + WATCHES_LATE_MS);
  return {
    ...createStore(rows, { now, newToken: () => randomBytes(12).toString('base64url'), feedRetentionMs }),
    removeOld: async (forget) => (await rows.removeExpired()) + (await removeDeleted(forget)),
    size: () => rows.size(),
    close: async () => rows.close(),
  };
}
