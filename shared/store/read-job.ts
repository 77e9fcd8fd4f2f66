import type { JobUid } from '../domain/base/ids.ts';
import type { Chunk } from '../domain/scoreboard/board.ts';
import type { Status } from '../domain/scoreboard/status.ts';
import type { StoredSpec } from '../ports/job-store.ts';
import { type ChunkReads, type WantedChunks, chunksAt } from './chunks-at.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

/** Passes commit a few times per second; this many conflicts in a row indicate a bug. */
const READS_MAX = 10;

/**
 * Reads a Job that is consistent in itself: first what `readHead` reads, which is STATUS and whatever the caller needs with it,
 * then the chunks that `wanted` names, at STATUS's versions. Inconsistent rows are read again.
 *
 * @param readHead returns 'conflict' if SPEC and STATUS are not {@link isOneRevision}, null if there is no Job to read
 * @returns null: `readHead` returned null
 * @throws Error if others commit during each of ten reads
 */
export async function readJob<H extends { readonly status: Status }>(
  uid: JobUid,
  readHead: () => Promise<H | null | 'conflict'>,
  wanted: (head: H) => WantedChunks,
  reads: ChunkReads,
): Promise<(H & { readonly chunks: ReadonlyMap<number, Chunk> }) | null> {
  return retryOnConflict(`Job ${uid}`, READS_MAX, async () => {
    const head = await readHead();
    if (head === null || head === 'conflict') return head;
    const { chunks, mismatch } = await chunksAt(uid, head.status, wanted(head), reads);
    return mismatch === null ? { ...head, chunks } : 'conflict';
  });
}

/**
 * A user's change commits SPEC and STATUS together: with two different revisions, one was read before the change and one after.
 */
export const isOneRevision = (spec: StoredSpec, status: Status): boolean => spec.revision === status.revision;
