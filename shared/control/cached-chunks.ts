import { type Chunk, emptyChunk } from '../domain/board.ts';
import type { JobUid } from '../domain/brand.ts';
import type { Status } from '../domain/status.ts';
import type { Deps } from './deps.ts';

/**
 * The chunks `nos` as STATUS names them, from this process's cache where it has that version: a chunk at a version never
 * changes.
 *
 * @returns null: a chunk is not at its version, so STATUS is old
 */
export async function chunksAt(
  uid: JobUid,
  status: Status,
  nos: readonly number[],
  { jobs, cache }: Pick<Deps, 'jobs' | 'cache'>,
): Promise<ReadonlyMap<number, Chunk> | null> {
  const chunks = new Map<number, Chunk>();
  const missing: number[] = [];
  for (const no of nos) {
    const version = status.chunks[no]?.version ?? 0;
    const cached = version === 0 ? emptyChunk() : cache.chunks.get(uid, no, version);
    if (cached === undefined) missing.push(no);
    else chunks.set(no, cached);
  }
  if (missing.length === 0) return chunks;
  const read = await jobs.readChunks(uid, missing);
  for (const no of missing) {
    const found = read.get(no);
    if (found === undefined || found.version !== status.chunks[no]?.version) return null;
    cache.chunks.set(uid, no, found.version, found.chunk);
    chunks.set(no, found.chunk);
  }
  return chunks;
}
