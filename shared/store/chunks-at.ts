import type { JobUid } from '../domain/base/ids.ts';
import type { Chunk } from '../domain/scoreboard/board.ts';
import { initialChunk } from '../domain/scoreboard/initial-board.ts';
import type { IndexSelection } from '../domain/manifests/selection.ts';
import type { Status } from '../domain/scoreboard/status.ts';
import type { JobStore } from '../ports/job-store.ts';

/** Chunks that this process has read or written: a chunk at a version never changes. */
export type ChunkCache = {
  get(uid: JobUid, no: number, version: number): Chunk | undefined;
  set(uid: JobUid, no: number, version: number, chunk: Chunk): void;
};

export type ChunkReads = { readonly jobs: Pick<JobStore, 'readChunks'>; readonly cache?: ChunkCache };

export type ChunksAt = {
  /** The chunks that are at their version. */
  readonly chunks: ReadonlyMap<number, Chunk>;
  /** The first chunk that is not, as text; null: there is none. */
  readonly mismatch: string | null;
};

export type WantedChunks = {
  readonly nos: readonly number[];
  /** What a chunk that is not stored holds follows from it. */
  readonly selection: IndexSelection;
};

/**
 * The chunks `nos` at the versions that STATUS names. A chunk that STATUS says is not stored is as the Job has it at first; it is
 * read only with `unstored` 'read', to check whether that is true.
 */
export async function chunksAt(
  uid: JobUid,
  status: Status,
  { nos, selection }: WantedChunks,
  { jobs, cache }: ChunkReads,
  unstored: 'initial' | 'read' = 'initial',
): Promise<ChunksAt> {
  const chunks = new Map<number, Chunk>();
  const missing: number[] = [];
  for (const no of new Set(nos)) {
    const version = versionOf(status, no);
    const known = version === 0 && unstored === 'initial' ? initialChunk(selection, no) : cache?.get(uid, no, version);
    if (known === undefined) missing.push(no);
    else chunks.set(no, known);
  }
  if (missing.length === 0) return { chunks, mismatch: null };
  let mismatch: string | null = null;
  const read = await jobs.readChunks(uid, missing);
  for (const no of missing) {
    const [found, version] = [read.get(no), versionOf(status, no)];
    if ((found?.version ?? 0) === version) {
      const chunk = found?.chunk ?? initialChunk(selection, no);
      cache?.set(uid, no, version, chunk);
      chunks.set(no, chunk);
    } else mismatch ??= `chunk ${no} is at version ${found?.version ?? 0}, STATUS says ${version}`;
  }
  return { chunks, mismatch };
}

const versionOf = ({ chunks }: Status, no: number): number => chunks[no]?.version ?? 0;
