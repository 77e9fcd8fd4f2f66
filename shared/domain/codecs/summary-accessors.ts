import type { Reader } from '../base/bytes.ts';
import type { EpochMs } from '../base/time.ts';
import { type ChunkSummary, SUMMARY, type SummaryFields } from '../scoreboard/board.ts';

// Written by record-accessors.test.ts, from the table in board.ts. All objects of a function have one shape.

/** Those whose bits `has` holds follow; times count from `from`. */
export const readSummaryFields = (r: Reader, has: number, from: EpochMs): SummaryFields => ({
  starting: (has & 2) === 0 ? 0 : SUMMARY.starting.read(r, from),
  running: (has & 4) === 0 ? 0 : SUMMARY.running.read(r, from),
  succeeded: (has & 8) === 0 ? 0 : SUMMARY.succeeded.read(r, from),
  firstPending: (has & 16) === 0 ? 0 : SUMMARY.firstPending.read(r, from),
  failed: (has & 32) === 0 ? 0 : SUMMARY.failed.read(r, from),
  soonestDue: (has & 64) === 0 ? null : SUMMARY.soonestDue.read(r, from),
  stopping: (has & 128) === 0 ? 0 : SUMMARY.stopping.read(r, from),
  waiting: (has & 512) === 0 ? 0 : SUMMARY.waiting.read(r, from),
  excluded: (has & 1024) === 0 ? 0 : SUMMARY.excluded.read(r, from),
  startingSince: (has & 2048) === 0 ? null : SUMMARY.startingSince.read(r, from),
  runningSince: (has & 4096) === 0 ? null : SUMMARY.runningSince.read(r, from),
  held: (has & 8192) === 0 ? 0 : SUMMARY.held.read(r, from),
  indexSince: (has & 16384) === 0 ? null : SUMMARY.indexSince.read(r, from),
});

export const summaryOf = (version: number, foldedSeq: number, pending: number, e: SummaryFields): ChunkSummary => ({
  version,
  foldedSeq,
  pending,
  starting: e.starting,
  running: e.running,
  succeeded: e.succeeded,
  firstPending: e.firstPending,
  failed: e.failed,
  soonestDue: e.soonestDue,
  stopping: e.stopping,
  waiting: e.waiting,
  excluded: e.excluded,
  startingSince: e.startingSince,
  runningSince: e.runningSince,
  held: e.held,
  indexSince: e.indexSince,
});
