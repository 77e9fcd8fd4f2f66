import { type ChunkSummary, CHUNK_INDEXES, chunkOf } from '../scoreboard/board.ts';
import { type EpochMs, later } from '../base/time.ts';
import type { Fact } from '../base/fact.ts';
import { type Job, type JobSpec, boardSize } from '../manifests/job.ts';
import { unfolded } from '../scoreboard/journal.ts';
import { wanted } from './launches.ts';
import { type Status, isEnding, isOver, isShrunk, podCount, summariesFor, tally } from '../scoreboard/status.ts';
import { chunksOfLateGang } from '../scoreboard/gang.ts';
import { mayBeLate } from '../scoreboard/deadlines.ts';
import { mayBeOverdue } from '../scoreboard/start-timeout.ts';
import { type IndexGate, OPEN_GATE, openPending } from '../upstreams/index-gate.ts';
import { unwanted } from './stops.ts';
import { startsNothing } from './success-policy.ts';
import { CHUNKS_PER_PASS_MAX, CLAIMS_IN_FLIGHT_MAX, FOLD_AT_ENTRIES, STOPS_PER_PASS_MAX } from '../base/timing.ts';

/**
 * The chunks that a pass must load, according to STATUS: those of the facts first, then those in which something must be
 * started, stopped, sent again, or folded. At most {@link CHUNKS_PER_PASS_MAX}; the next pass takes the rest, and planJob
 * requests one.
 */
export function chunksNeeded(
  job: Job,
  status: Status,
  facts: readonly Fact[],
  clock: EpochMs,
  gate: IndexGate = OPEN_GATE,
): readonly number[] {
  const now = later(clock, status.now);
  const size = boardSize(job.spec, status.size);
  const chunks = summariesFor(size, status.chunks, job.spec.selection);
  const needed = new Set([
    ...cutChunk(job.spec, size),
    ...facts.filter(({ index }) => index < size).map(({ index }) => chunkOf(index)),
    ...(isOver(status.phase) ? [] : chunksToWorkOn({ job, status, size, chunks, now, gate }, facts.length)),
  ]);
  const first = [...needed].slice(0, CHUNKS_PER_PASS_MAX);
  return [...new Set([...first, ...chunksThatMayBeStuck(gate, status, chunks)])];
}

/** If nothing is left but indexes that wait for other Jobs in vain, a pass has to see them all: it folds no more than others do. */
function chunksThatMayBeStuck(gate: IndexGate, status: Status, chunks: readonly ChunkSummary[]): readonly number[] {
  if (gate === OPEN_GATE || !gate.isFinal || isOver(status.phase)) return [];
  if (podCount(tally(chunks)) > 0 || status.inFlight.length > 0) return [];
  return [...chunks.entries()].filter(([, { pending }]) => pending > 0).map(([no]) => no);
}

type Summarized = {
  readonly job: Job;
  readonly status: Status;
  readonly size: number;
  readonly chunks: readonly ChunkSummary[];
  readonly now: EpochMs;
  readonly gate: IndexGate;
};

/** What counts in a smaller Job is unknown without the chunk that it is cut in, so every pass needs that chunk. */
const cutChunk = (spec: JobSpec, size: number): readonly number[] =>
  spec.completions !== null && isShrunk(spec, size) ? [chunkOf(spec.completions)] : [];

function chunksToWorkOn(board: Summarized, facts: number): readonly number[] {
  const { status, size, chunks, now } = board;
  const resent = status.inFlight.filter(({ dueAt }) => dueAt <= now).map(({ index }) => chunkOf(index));
  const cursor = status.stopRound?.cursor ?? 0;
  const from = cursor >= size ? 0 : chunkOf(cursor);
  const open = unfolded(status);
  // Facts and claims of this pass add to the journal: fold with these chunks loaded, not in a separate pass.
  const folds = open.length + facts + CLAIMS_IN_FLIGHT_MAX / 2 >= FOLD_AT_ENTRIES;
  return [
    ...resent,
    ...(isEnding(status.phase) ? [] : chunksToLaunchIn(board, facts)),
    ...firstWith(STOPS_PER_PASS_MAX, [...chunks.entries()].slice(from), (summary) => unwanted(status.phase, summary)),
    ...(folds ? open.map(({ transition }) => chunkOf(transition.index)) : []),
  ];
}

/**
 * Where Pods have waited too long for their start, or a deadline may have passed, where Pods have waited long enough for their next
 * task, where pending indexes may start, and where surplus is stopped: from the end.
 */
function chunksToLaunchIn({ job, status, chunks, now, gate }: Summarized, facts: number): readonly number[] {
  const overdue = [...chunks.entries()].filter(
    ([, summary]) => mayBeOverdue(summary, job.spec, now) || mayBeLate(summary, job.spec, now),
  );
  const { start, surplus } = atMostWanted(job, chunks);
  const due = [...chunks.entries()].filter(
    ([, { waiting, soonestDue }]) => waiting > 0 && soonestDue !== null && soonestDue <= now,
  );
  return [
    ...chunksOfLateGang(job.spec, status.gang, chunks, now),
    ...overdue.map(([no]) => no),
    ...due.map(([no]) => no),
    // Facts of this pass may free places: at most one place per fact.
    ...(startsNothing(job.spec, status.achieved)
      ? []
      : withPlaces(chunks, start + facts, now, (no, summary) => openPending(gate, no, summary, job.spec.selection))),
    ...firstWith(surplus, [...chunks.entries()].reverse(), (summary) => podCount(summary) - summary.stopping),
  ];
}

/** The first chunks that have `count` of something in total. */
function firstWith(
  count: number,
  chunks: readonly (readonly [no: number, summary: ChunkSummary])[],
  countIn: (summary: ChunkSummary) => number,
): readonly number[] {
  const found: number[] = [];
  let left = count;
  for (const [no, summary] of chunks) {
    if (left <= 0) break;
    const here = countIn(summary);
    if (here === 0) continue;
    found.push(no);
    left -= here;
  }
  return found;
}

/**
 * Chunks that hold the first `places` pending indexes that may start, lowest first; an index in back-off keeps its place. If they
 * are more than one pass takes, chunks in which something is held back come last, so the pass has something to start.
 */
function withPlaces(
  chunks: readonly ChunkSummary[],
  places: number,
  now: EpochMs,
  openIn: (no: number, summary: ChunkSummary) => { readonly least: number; readonly most: number },
): readonly number[] {
  const found: { readonly no: number; readonly late: boolean }[] = [];
  let left = places;
  let room = Math.min(places, CLAIMS_IN_FLIGHT_MAX);
  for (const [no, summary] of chunks.entries()) {
    if (left <= 0 || room <= 0) break;
    const { least, most } = openIn(no, summary);
    if (most === 0) continue;
    found.push({ no, late: (summary.soonestDue ?? now) > now });
    left -= least;
    if (summary.soonestDue === null) room -= least; // how many of the others may start is unknown
  }
  if (found.length > CHUNKS_PER_PASS_MAX) found.sort((a, b) => Number(a.late) - Number(b.late) || a.no - b.no);
  return found.map(({ no }) => no);
}

/**
 * For a chunk that a smaller Job cuts in two, summaries only say what is in all of it. This takes the larger of two results:
 * none of it within the Job, and all of it. The pass itself counts exactly.
 */
function atMostWanted(
  { spec }: Job,
  chunks: readonly ChunkSummary[],
): { readonly start: number; readonly surplus: number } {
  const all = tally(chunks);
  const { completions } = spec;
  if (completions === null || spec.completionMode === 'NonIndexed') return wanted(spec, { all, within: all });
  const upTo = (no: number) => wanted(spec, { all, within: tally(chunks.slice(0, no)) });
  const least = upTo(Math.floor(completions / CHUNK_INDEXES));
  const most = upTo(Math.ceil(completions / CHUNK_INDEXES));
  return { start: Math.max(least.start, most.start), surplus: Math.max(least.surplus, most.surplus) };
}
