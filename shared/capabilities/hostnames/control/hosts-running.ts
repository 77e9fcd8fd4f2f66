import { chunkOf } from '../../../domain/scoreboard/board.ts';
import type { JobUid } from '../../../domain/base/ids.ts';
import { WorkingBoard } from '../../../domain/scoreboard/working-board.ts';
import type { AttemptId } from '../../../domain/base/fact.ts';
import { EVERY_INDEX } from '../../../domain/manifests/selection.ts';
import type { Status } from '../../../domain/scoreboard/status.ts';
import type { WantedChunks } from '../../../store/chunks-at.ts';
import { readJob } from '../../../store/read-job.ts';
import type { Deps } from '../../../control/process/deps.ts';
import { isNameless } from './host-calls.ts';

/** The running attempts of a Job, according to the board. */
export type Running = {
  readonly status: Status;
  /** The attempt of this index, if it is running. */
  attemptOf(index: number): AttemptId | null;
};

/** Reads STATUS, and the part of the board that may run these indexes. null: the Job does not exist (any more). */
export async function readRunning(
  uid: JobUid,
  indexes: readonly number[],
  { jobs, cache }: Deps,
): Promise<Running | null> {
  const readHead = async (): Promise<{ readonly status: Status } | null> => {
    const status = await jobs.readStatus(uid);
    return status === null ? null : { status };
  };
  const wanted = ({ status: { phase, chunks } }: { readonly status: Status }): WantedChunks => {
    const nos = isNameless(phase) ? [] : indexes.map(chunkOf).filter((no) => (chunks[no]?.running ?? 0) > 0);
    return { nos, selection: EVERY_INDEX }; // only running records matter here, and those are in the journal or stored
  };
  const read = await readJob(uid, readHead, wanted, { jobs, cache: cache.chunks });
  if (read === null) return null;
  const { status, chunks } = read;
  if (isNameless(status.phase)) return { status, attemptOf: () => null };
  const board = new WorkingBoard(status, chunks);
  return { status, attemptOf: (index) => runningAttempt(board, index) };
}

function runningAttempt(board: WorkingBoard, index: number): AttemptId | null {
  const record = board.record(index);
  return record?.state === 'running' ? { index, attempt: record.attempt, nonce: record.nonce } : null;
}
