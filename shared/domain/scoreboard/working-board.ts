import {
  CHUNK_INDEXES,
  type Chunk,
  type ChunkSummary,
  type Counted,
  STATES,
  applyToChunk,
  chunkOf,
  cloneChunk,
  counted,
  isStopped,
  recordAt,
} from './board.ts';
import type { EpochMs } from '../base/time.ts';
import { isDue } from './backoff.ts';
import { type IndexRecord, hasPod } from './index-record.ts';
import { invariant } from '../base/invariant.ts';
import { type JournalEntry, type Status, chunkLength, podCount } from './status.ts';
import { type Transition, isBesideBoard } from './transition.ts';

type Counts = { -readonly [K in keyof ChunkSummary]: ChunkSummary[K] };

/** What waits are measured by. `retryDelaySec`: the Job's constant delay; 0: it has none. */
export type WaitClock = { readonly now: EpochMs; readonly retryDelaySec: number };

/** Whether an index may start, as far as other Jobs are concerned; one that may not keeps no place. */
export type MayStart = (index: number) => boolean;

/** Its Pod waits for its first task that runs, and nothing has ended it yet. */
const isYetToStart = ({ state, restarts, stopping, podDeleted }: IndexRecord): boolean =>
  hasPod(state) && state !== 'running' && restarts === 0 && !stopping && !podDeleted;

/** Its deadline is to come, and nothing ends it before. */
const isAgainstPodDeadline = (record: IndexRecord): boolean => hasPod(record.state) && !isStopped(record);
/** The same of its index, which may be without a Pod. */
const isAgainstIndexDeadline = (record: IndexRecord): boolean =>
  record.state === 'pending' || isAgainstPodDeadline(record);

/** What is older than this, in seconds since 1970, is late; null: nothing ever is. */
export type LateBefore = { readonly ran: number | null; readonly launched: number | null };

export type Pending = {
  readonly ready: readonly number[];
  readonly inBackoff: readonly { readonly index: number; readonly until: EpochMs }[];
};

/** Stored chunks, at the versions that STATUS lists. */
export type StoredChunks = ReadonlyMap<number, Chunk>;

/**
 * The part of a board that one pass has loaded, with the journal applied: it takes transitions, keeps each chunk's summary up
 * to date, and records what was done. It copies what it changes; its inputs stay unchanged.
 */
export class WorkingBoard {
  readonly size: number;
  readonly transitions: Transition[] = [];
  /** Restarts of all existing Pods, in total. */
  restarts: number;
  readonly #summaries: Counts[];
  readonly #chunks = new Map<number, Chunk>();

  constructor(status: Pick<Status, 'size' | 'chunks' | 'journal' | 'restarts'>, stored: StoredChunks) {
    this.size = status.size;
    this.restarts = status.restarts;
    this.#summaries = status.chunks.map((summary) => ({ ...summary }));
    for (const [no, chunk] of stored) this.#chunks.set(no, cloneChunk(chunk));
    for (const entry of status.journal.entries) {
      const no = chunkOf(entry.transition.index);
      const chunk = this.#chunks.get(no);
      if (chunk !== undefined && !this.isFolded(entry)) applyToChunk(chunk, entry.transition);
    }
  }

  /** The entry is already in its chunk's stored item, or nothing of it belongs there. */
  isFolded({ seq, transition }: JournalEntry): boolean {
    return isBesideBoard(transition.op) || seq < this.#summary(chunkOf(transition.index)).foldedSeq;
  }

  /** Current summaries. */
  summaries(): readonly ChunkSummary[] {
    return this.#summaries;
  }

  /** Records that chunk `no` is stored again with all transitions below `seq`. */
  markFolded(no: number, seq: number): void {
    const summary = this.#summary(no);
    summary.version++;
    summary.foldedSeq = seq;
  }

  chunk(no: number): Chunk | undefined {
    return this.#chunks.get(no);
  }

  /** The record of `index`; null if its chunk is not loaded or there is no such slot. */
  record(index: number): IndexRecord | null {
    if (index < 0 || index >= this.size) return null;
    const chunk = this.#chunks.get(chunkOf(index));
    return chunk === undefined ? null : recordAt(chunk, index % CHUNK_INDEXES);
  }

  /** Applies one step; its chunk must be loaded. Throws {@link InvariantError} if the step cannot follow. */
  apply(transition: Transition): void {
    const { index } = transition;
    const before = this.record(index);
    const chunk = this.#chunks.get(chunkOf(index));
    invariant(before !== null && chunk !== undefined, `the chunk of index ${index} is at hand`);
    applyToChunk(chunk, transition);
    this.transitions.push(transition);
    const after = recordAt(chunk, index % CHUNK_INDEXES);
    const summary = this.#summary(chunkOf(index));
    summary[counted(before)]--;
    summary[counted(after)]++;
    summary.stopping += Number(isStopped(after)) - Number(isStopped(before));
    this.restarts += after.restarts - before.restarts;
    if (counted(after) === 'pending') summary.firstPending = Math.min(summary.firstPending, index % CHUNK_INDEXES);
    if (after.notBefore !== null) summary.soonestDue = min(summary.soonestDue, after.notBefore);
    if (transition.op === 'claim' && transition.podCreatedSec !== undefined)
      summary.startingSince = Math.min(summary.startingSince ?? Infinity, transition.podCreatedSec);
    if (summary.starting + summary.waiting === 0) summary.startingSince = null;
    const { ranSec, launchedSec } = after;
    if (ranSec !== null && isAgainstPodDeadline(after))
      summary.runningSince = Math.min(summary.runningSince ?? Infinity, ranSec);
    if (launchedSec !== null && isAgainstIndexDeadline(after))
      summary.indexSince = Math.min(summary.indexSince ?? Infinity, launchedSec);
    if (podCount(summary) === 0) summary.runningSince = null;
    if (podCount(summary) + summary.pending + summary.held === 0) summary.indexSince = null;
  }

  /**
   * The first `places` pending indexes below `below`, from the loaded chunks, lowest first: those that may start at `now`, at
   * most `room` of them. An index in back-off keeps its place: others do not overtake it (kubernetes-job.md 5). Raises the
   * summaries' lower bound (firstPending) to what the scan has seen.
   */
  pending(places: number, room: number, below: number, { now, retryDelaySec }: WaitClock, mayStart: MayStart): Pending {
    const ready: number[] = [];
    const inBackoff: { readonly index: number; readonly until: EpochMs }[] = [];
    const isEnough = (): boolean => ready.length + inBackoff.length >= places || ready.length >= room;
    for (const [no, summary] of this.#summaries.entries()) {
      if (isEnough() || no * CHUNK_INDEXES >= below) break;
      const chunk = this.#chunks.get(no);
      if (chunk === undefined || summary.pending === 0) continue;
      const length = Math.min(chunkLength(this.size, no), below - no * CHUNK_INDEXES);
      let first = length;
      let offset = summary.firstPending;
      for (; offset < length && !isEnough(); offset++) {
        if (chunk.states[offset] !== PENDING) continue;
        const extras = chunk.extras.get(offset);
        if (extras?.held === true) continue;
        if (first === length) first = offset;
        const index = no * CHUNK_INDEXES + offset;
        if (!mayStart(index)) continue;
        const until = extras?.notBefore ?? null;
        if (extras === undefined || until === null || isDue(extras, now, retryDelaySec)) ready.push(index);
        else inBackoff.push({ index, until });
      }
      summary.firstPending = Math.min(first, offset);
    }
    return { ready, inBackoff };
  }

  /**
   * Up to `room` Pods that have waited long enough for their next task, from the loaded chunks, and when the next of the others
   * will have. Updates the summaries' soonestDue.
   */
  waiting(
    room: number,
    { now, retryDelaySec }: WaitClock,
  ): { readonly due: readonly number[]; readonly nextAt: EpochMs | null } {
    const due: number[] = [];
    let nextAt: EpochMs | null = null;
    for (const [no, summary] of this.#summaries.entries()) {
      if (summary.soonestDue === null) continue;
      const chunk = this.#chunks.get(no);
      if (chunk === undefined) {
        if (summary.waiting > 0) nextAt = min(nextAt, summary.soonestDue);
        continue;
      }
      let soonest: EpochMs | null = null;
      for (const [offset, extras] of chunk.extras) {
        const { notBefore } = extras;
        if (notBefore === null) continue;
        const isOver = isDue(extras, now, retryDelaySec);
        soonest = min(soonest, isOver ? min(now, notBefore) : notBefore);
        if (chunk.states[offset] !== WAITING) continue;
        if (!isOver) nextAt = min(nextAt, notBefore);
        else if (due.length < room) due.push(no * CHUNK_INDEXES + offset);
      }
      summary.soonestDue = soonest;
    }
    return { due: due.sort((a, b) => a - b), nextAt };
  }

  /**
   * Up to `room` Pods of the loaded chunks that were created before the second `before` and have never run, lowest first. Only
   * chunks that STATUS says may have one are looked through, and what it says becomes exact.
   */
  unstarted(room: number, before: number, nowSec: number): readonly number[] {
    const found: number[] = [];
    for (const [no, summary] of this.#summaries.entries()) {
      const chunk = this.#chunks.get(no);
      const { startingSince } = summary;
      if (chunk === undefined || startingSince === null || startingSince >= before) continue;
      let since = Infinity;
      for (const [offset, { podCreatedSec }] of chunk.extras) {
        if (podCreatedSec === null || !isYetToStart(recordAt(chunk, offset))) continue;
        const created = isWrong(podCreatedSec, nowSec) ? startingSince : podCreatedSec;
        if (created < before && found.length < room) found.push(no * CHUNK_INDEXES + offset);
        else since = Math.min(since, created);
      }
      summary.startingSince = since === Infinity ? null : since;
    }
    return found.sort((a, b) => a - b);
  }

  /**
   * Up to `room` indexes of the loaded chunks that are past a deadline, theirs or their Pod's, lowest first. Only chunks that
   * STATUS says may have one are looked through, and what it says becomes exact.
   */
  late(room: number, before: LateBefore, nowSec: number): readonly number[] {
    const found: number[] = [];
    for (const [no, summary] of this.#summaries.entries()) {
      const chunk = this.#chunks.get(no);
      if (chunk === undefined || !mayHaveLate(summary, before)) continue;
      const ran = new Bound(summary.runningSince, before.ran, nowSec);
      const launched = new Bound(summary.indexSince, before.launched, nowSec);
      for (const [offset, { ranSec, launchedSec }] of chunk.extras) {
        if (ranSec === null && launchedSec === null) continue;
        const record = recordAt(chunk, offset);
        const isPodLate = isAgainstPodDeadline(record) && ran.isLate(ranSec, found.length < room);
        const isLate = isAgainstIndexDeadline(record) && launched.isLate(launchedSec, found.length < room);
        if (isPodLate || isLate) found.push(no * CHUNK_INDEXES + offset);
      }
      summary.runningSince = ran.next;
      summary.indexSince = launched.next;
    }
    return found.sort((a, b) => a - b);
  }

  /** Up to `limit` indexes from `from` on in one of these states, from the loaded chunks. */
  scan(
    from: number,
    limit: number,
    wanted: (record: IndexRecord) => boolean,
    states: readonly Counted[],
  ): readonly number[] {
    const found: number[] = [];
    for (const [no, summary] of this.#summaries.entries()) {
      if (found.length >= limit) break;
      const chunk = this.#chunks.get(no);
      if (chunk === undefined || (no + 1) * CHUNK_INDEXES <= from) continue;
      if (!states.some((state) => summary[state] > 0)) continue;
      const length = chunkLength(this.size, no);
      for (let offset = Math.max(0, from - no * CHUNK_INDEXES); offset < length && found.length < limit; offset++) {
        const record = recordAt(chunk, offset);
        if (hasPod(record.state) && wanted(record)) found.push(no * CHUNK_INDEXES + offset);
      }
    }
    return found;
  }

  #summary(no: number): Counts {
    const summary = this.#summaries[no];
    invariant(summary !== undefined, `chunk ${no} is on the board`);
    return summary;
  }
}

/** Whether a chunk may have something that is past a deadline. */
export const mayHaveLate = (
  { runningSince, indexSince }: Pick<ChunkSummary, 'runningSince' | 'indexSince'>,
  { ran, launched }: LateBefore,
): boolean =>
  (ran !== null && runningSince !== null && runningSince < ran) ||
  (launched !== null && indexSince !== null && indexSince < launched);

/** Finds what has begun before a second, and the earliest beginning of all else. */
class Bound {
  next: number | null = null;
  readonly #since: number | null;
  readonly #before: number | null;
  readonly #nowSec: number;

  constructor(since: number | null, before: number | null, nowSec: number) {
    this.#since = since;
    this.#before = before;
    this.#nowSec = nowSec;
  }

  /** @param isTaken it can be handled in this pass; otherwise it is found again */
  isLate(sec: number | null, isTaken: boolean): boolean {
    if (sec === null) return false;
    const began = isWrong(sec, this.#nowSec) ? (this.#since ?? sec) : sec;
    if (this.#before !== null && began < this.#before && isTaken) return true;
    this.next = Math.min(this.next ?? Infinity, began);
    return false;
  }
}

/** Clocks that are right differ by less. */
const SKEW_MAX_SEC = 60;
/** A moment further in the future was written by a clock that has been corrected since: then the chunk's time counts. */
const isWrong = (sec: number, nowSec: number): boolean => sec > nowSec + SKEW_MAX_SEC;

const PENDING = STATES.indexOf('pending');
const WAITING = STATES.indexOf('waiting');

const min = (a: EpochMs | null, b: EpochMs): EpochMs => (a === null || b < a ? b : a);
