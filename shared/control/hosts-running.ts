import { chunkOf } from '../domain/board.ts';
import type { JobUid } from '../domain/brand.ts';
import { Draft } from '../domain/draft.ts';
import type { AttemptId } from '../domain/fact.ts';
import type { Status } from '../domain/status.ts';
import { chunksAt } from './cached-chunks.ts';
import type { Deps } from './deps.ts';
import { isNameless } from './host-calls.ts';

/** The running attempts of a Job, as the board has them now. */
export type Running = {
  readonly status: Status;
  /** The attempt of this index, if it runs. */
  attemptOf(index: number): AttemptId | null;
};

/** A chunk that is newer than STATUS begins the reading again. */
const READS_MAX = 10;

/** Reads STATUS, and of the board what may run of these indexes. null: there is no such Job (any more). */
export async function readRunning(uid: JobUid, indexes: readonly number[], deps: Deps): Promise<Running | null> {
  for (let read = 0; read < READS_MAX; read++) {
    const status = await deps.jobs.readStatus(uid);
    if (status === null) return null;
    if (isNameless(status.phase)) return { status, attemptOf: () => null };
    const nos = [...new Set(indexes.map(chunkOf))].filter((no) => (status.chunks[no]?.running ?? 0) > 0);
    const chunks = await chunksAt(uid, status, nos, deps);
    if (chunks === null) continue;
    const draft = new Draft(status, chunks);
    return { status, attemptOf: (index) => runningAttempt(draft, index) };
  }
  throw new Error(`Job ${uid} changed during each of ${READS_MAX} readings`);
}

function runningAttempt(draft: Draft, index: number): AttemptId | null {
  const record = draft.record(index);
  return record?.state === 'running' ? { index, attempt: record.attempt, nonce: record.nonce } : null;
}
