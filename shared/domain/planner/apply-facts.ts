import type { Fact } from '../base/fact.ts';
import { WorkingBoard, type StoredChunks } from '../scoreboard/working-board.ts';
import { isShrunk, summariesFor, tally, tallyWithin } from '../scoreboard/status.ts';
import { type JobSpec, boardSize } from '../manifests/job.ts';
import { type Folded, foldFacts } from './fold-facts.ts';
import type { Counts } from './launches.ts';
import type { Pass } from './pass.ts';
import type { BesideBoard } from './plan-rules.ts';

/** The board with the facts applied, before anything is started or stopped. */
export type Applied = {
  readonly board: WorkingBoard;
  readonly folded: Folded;
  readonly counts: Counts;
  /** Of all existing Pods, in total. */
  readonly restarts: number;
};

/** Builds the board, grown if the Job has grown, applies the facts to it, and counts the result. */
export function applyFacts(pass: Pass, stored: StoredChunks, facts: readonly Fact[]): Applied {
  const { job, status, rules } = pass;
  const size = boardSize(job.spec, status.size);
  const board = new WorkingBoard(
    { ...status, size, chunks: summariesFor(size, status.chunks, job.spec.selection) },
    stored,
  );
  const folded = foldFacts(board, pass, facts);
  return { board, folded, counts: countsOf(job.spec, board, rules.besideBoard), restarts: board.restarts };
}

/** The whole board, and the part of it that counts. */
export function countsOf(spec: JobSpec, board: WorkingBoard, beside: BesideBoard): Counts {
  const all = tally(board.summaries());
  const { completions } = spec;
  const within =
    completions !== null && isShrunk(spec, board.size)
      ? tallyWithin(board.summaries(), completions, (no) => board.chunk(no))
      : all;
  const succeeded = within.succeeded + beside.succeeded;
  const failed = within.failed + beside.failed;
  return { all, within: { ...within, succeeded, failed } };
}
