import { isStopped } from './board.ts';
import { hasPod } from './index-record.ts';
import type { WorkingBoard } from './working-board.ts';

/** What users may do to single indexes of a Job that is not over. */
export const INDEX_ACTIONS = ['hold', 'release', 'cancel', 'requeue'] as const;
export type IndexAction = (typeof INDEX_ACTIONS)[number];

/**
 * What came of it for one index. `done`: at once. `later`: its attempt is being stopped first, or goes on (`hold`), and the
 * index is held back when it comes back. `already`: it was so before. `settled`: it has succeeded, has failed for good, or was
 * given up, so there is nothing to do.
 */
export const INDEX_EFFECTS = ['done', 'later', 'already', 'settled'] as const;
export type IndexEffect = (typeof INDEX_EFFECTS)[number];

/** Why no index of a Job in this phase can be changed. */
export const WHY_NONE_CHANGES = {
  draining: 'its end is decided, and its tasks are stopping: no index can change any more',
  finished: 'it is over: no index can change any more; `muster rerun` runs some of them again, in a new Job',
  terminating: 'it is being deleted',
  purging: 'it is being deleted',
  deleted: 'it is being deleted',
} as const;

/**
 * Applies a user's action to one index; its chunk must be loaded. Never touches a succeeded index, and counts nothing: no attempt
 * is spent. Doing it again changes nothing.
 */
export function changeIndex(board: WorkingBoard, action: IndexAction, index: number): IndexEffect {
  switch (action) {
    case 'hold':
      return hold(board, index);
    case 'release':
      return release(board, index);
    case 'cancel':
      return cancel(board, index);
    case 'requeue':
      return requeue(board, index);
  }
}

function hold(board: WorkingBoard, index: number): IndexEffect {
  const record = board.record(index);
  if (record === null || record.wish === 'cancel') return 'settled';
  const { state, attempt, held } = record;
  if (state !== 'pending' && !hasPod(state)) return 'settled';
  if (held) return 'already';
  board.apply({ op: 'hold', index, attempt });
  return state === 'pending' ? 'done' : 'later';
}

function release(board: WorkingBoard, index: number): IndexEffect {
  const record = board.record(index);
  if (record === null || (record.state !== 'pending' && !hasPod(record.state))) return 'settled';
  if (!record.held) return 'already';
  board.apply({ op: 'release', index, attempt: record.attempt });
  return 'done';
}

/** The index never runs again, and the Job is complete without it. */
function cancel(board: WorkingBoard, index: number): IndexEffect {
  const record = board.record(index);
  if (record === null) return 'settled';
  const { state, attempt, wish } = record;
  if (state === 'succeeded' || state === 'failed') return 'settled';
  if (state === 'excluded' || wish === 'cancel') return 'already';
  if (state !== 'pending' && state !== 'waiting') {
    board.apply({ op: 'cancel', index, attempt });
    return 'later';
  }
  if (state === 'waiting') board.apply({ op: 'released', index, attempt }); // between two tasks there is nothing to stop
  board.apply({ op: 'exclude', index, attempt });
  return 'done';
}

/** What runs starts over, and what has failed for good is tried again as if it had never failed. */
function requeue(board: WorkingBoard, index: number): IndexEffect {
  const record = board.record(index);
  if (record === null || record.state === 'succeeded' || record.state === 'excluded') return 'settled';
  const { state, attempt } = record;
  if (state === 'pending' || isStopped(record)) return 'already';
  if (state === 'failed' || state === 'waiting') {
    board.apply({ op: state === 'failed' ? 'retry' : 'released', index, attempt });
    return 'done';
  }
  board.apply({ op: 'requeue', index, attempt });
  return 'later';
}
