import { expect, test } from 'vitest';
import { createCache } from '../../shared/control/process/cache.ts';
import { asEpochMs } from '../../shared/domain/base/time.ts';
import { CHUNK_INDEXES, emptyChunk } from '../../shared/domain/scoreboard/board.ts';
import { type Status, freshStatus } from '../../shared/domain/scoreboard/status.ts';
import { EVERY_INDEX } from '../../shared/domain/manifests/selection.ts';
import type { StoredChunk } from '../../shared/ports/job-store.ts';
import { type ChunkReads, type WantedChunks, chunksAt } from '../../shared/store/chunks-at.ts';
import { isOneRevision, readJob } from '../../shared/store/read-job.ts';
import { toJob } from '../../shared/store/to-job.ts';
import { aJob } from '../support/a-job.ts';

const SPEC = aJob({ completions: 2 * CHUNK_INDEXES });
const { uid } = SPEC.identity;
const FRESH = freshStatus(toJob(SPEC), asEpochMs(0));

/** STATUS with its two chunks at these versions. */
const statusAt = (...versions: readonly number[]): Status => ({
  ...FRESH,
  chunks: FRESH.chunks.map((summary, no) => ({ ...summary, version: versions[no] ?? 0 })),
});

/** A store whose chunks have these versions, read by read; 0: none is stored. */
function storedAt(...reads: readonly (readonly number[])[]) {
  const asked: (readonly number[])[] = [];
  const jobs: ChunkReads['jobs'] = {
    readChunks: async (_, nos) => {
      const versions = reads[Math.min(asked.length, reads.length - 1)] ?? [];
      asked.push(nos);
      const rows = nos.map((no): [number, StoredChunk] => [no, { version: versions[no] ?? 0, chunk: emptyChunk() }]);
      return new Map(rows.filter(([, { version }]) => version > 0));
    },
  };
  return { jobs, asked };
}

const both = (): WantedChunks => ({ nos: [0, 1], selection: EVERY_INDEX });

test('chunks that are newer than STATUS are read again, with STATUS', async () => {
  const { jobs, asked } = storedAt([2, 1], [2, 1]);
  const heads = [{ status: statusAt(1, 1) }, { status: statusAt(2, 1) }];
  const read = await readJob(uid, async () => heads.shift() ?? null, both, { jobs });
  expect(read?.status.chunks.map(({ version }) => version)).toEqual([2, 1]);
  expect([...(read?.chunks.keys() ?? [])]).toEqual([0, 1]);
  expect(asked).toEqual([
    [0, 1],
    [0, 1],
  ]);
});

test('if SPEC and STATUS have different revisions, no chunk is read and the read starts again', async () => {
  const { jobs, asked } = storedAt([1, 1]);
  const heads = ['conflict' as const, { status: statusAt(1, 1) }];
  const read = await readJob(uid, async () => heads.shift() ?? null, both, { jobs });
  expect(read?.chunks.size).toBe(2);
  expect(asked).toHaveLength(1);
});

test('nothing else is read if there is no Job', async () => {
  const { jobs, asked } = storedAt([1, 1]);
  expect(await readJob(uid, async () => null, both, { jobs })).toBeNull();
  expect(asked).toEqual([]);
});

test('a Job that never fits is an error that names it', async () => {
  const { jobs, asked } = storedAt([2, 1]);
  const read = readJob(uid, async () => ({ status: statusAt(1, 1) }), both, { jobs });
  await expect(read).rejects.toThrow('Job uid-1 changed during each of 10 tries');
  expect(asked).toHaveLength(10);
});

test('SPEC and STATUS belong together by their revision', () => {
  expect(isOneRevision(SPEC, FRESH)).toBe(true);
  expect(isOneRevision({ ...SPEC, revision: 2 }, FRESH)).toBe(false);
});

test('each chunk is requested once, and a chunk that is not stored is not requested', async () => {
  const { jobs, asked } = storedAt([0, 1]);
  const { chunks, mismatch } = await chunksAt(
    uid,
    statusAt(0, 1),
    { nos: [1, 0, 1], selection: EVERY_INDEX },
    { jobs },
  );
  expect({ asked, mismatch, size: chunks.size }).toEqual({ asked: [[1]], mismatch: null, size: 2 });
});

test('callers see a chunk that is stored although STATUS says otherwise', async () => {
  const { jobs, asked } = storedAt([3, 1]);
  const { chunks, mismatch } = await chunksAt(uid, statusAt(0, 1), both(), { jobs }, 'read');
  expect(asked).toEqual([[0, 1]]);
  expect(mismatch).toBe('chunk 0 is at version 3, STATUS says 0');
  expect([...chunks.keys()]).toEqual([1]);
});

test('a chunk is read only if the cache does not have its version', async () => {
  const { jobs, asked } = storedAt([2, 2]);
  const cache = createCache().chunks;
  cache.set(uid, 0, 2, emptyChunk());
  cache.set(uid, 1, 1, emptyChunk());
  await chunksAt(uid, statusAt(2, 2), both(), { jobs, cache });
  expect(asked).toEqual([[1]]);
  await chunksAt(uid, statusAt(2, 2), both(), { jobs, cache });
  expect(asked).toHaveLength(1);
});
