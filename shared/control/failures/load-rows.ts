import type { JobUid } from '../../domain/base/ids.ts';
import type { Status } from '../../domain/scoreboard/status.ts';
import { WorkingBoard } from '../../domain/scoreboard/working-board.ts';
import type { StoredSpec } from '../../ports/job-store.ts';
import { chunksAt } from '../../store/chunks-at.ts';
import { isOneRevision } from '../../store/read-job.ts';
import { toJob } from '../../store/to-job.ts';
import type { Deps } from '../process/deps.ts';

/** Inconsistent rows are read again: passes commit a few times per second. */
const LOADS_MAX = 4;
const LOAD_PAUSE_MS = 100;

export type LoadedRows = {
  readonly spec: StoredSpec;
  readonly status: Status;
  readonly board: WorkingBoard;
  /** How its rows contradict each other, although nobody changes them; null: they do not. */
  readonly torn: string | null;
};

/**
 * A Job with those chunks that are `wanted`. Inconsistent rows are torn if nothing was committed since they were last read, and they
 * are still inconsistent. null: the Job does not exist. Throws what the store throws.
 */
export async function loadRows(
  uid: JobUid,
  wanted: (status: Status, spec: StoredSpec) => readonly number[],
  { jobs, clock }: Pick<Deps, 'jobs' | 'clock'>,
): Promise<LoadedRows | null> {
  let before: { readonly version: number; readonly mismatch: string } | null = null;
  for (let nth = 1; ; nth++) {
    const status = await jobs.readStatus(uid);
    const spec = await jobs.readSpec(uid);
    if (status === null || spec === null) return null;
    const { selection } = toJob(spec).spec;
    const read = await chunksAt(uid, status, { nos: wanted(status, spec), selection }, { jobs }, 'read');
    const mismatch = isOneRevision(spec, status)
      ? read.mismatch
      : `SPEC is at revision ${spec.revision}, STATUS at ${status.revision}`;
    const board = new WorkingBoard(status, read.chunks);
    if (mismatch === null) return { spec, status, board, torn: null };
    const isTorn = before !== null && before.version === status.version && before.mismatch === mismatch;
    if (isTorn) return { spec, status, board, torn: mismatch };
    if (nth === LOADS_MAX) return { spec, status, board, torn: null }; // busy: inconsistent chunks are left out
    before = { version: status.version, mismatch };
    await clock.sleep(LOAD_PAUSE_MS);
  }
}
