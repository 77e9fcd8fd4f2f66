import { BitFields, type BitValues, count, sec, time } from '../base/bit-fields.ts';
import { type Extras, type IndexRecord, type IndexState, NO_EXTRAS, isActive } from './index-record.ts';
import { extraBitsOf, extrasOf, recordOf } from './record-accessors.ts';
import { invariant } from '../base/invariant.ts';
import { type Transition, applyTo } from './transition.ts';

/** Consecutive indexes that share one `BOARD#nnn` item. */
export const CHUNK_INDEXES = 4096;

/** States by their code on the board; the order is part of the stored format. */
export const STATES: readonly IndexState[] = [
  'pending',
  'claimed',
  'launched',
  'running',
  'succeeded',
  'failed',
  'waiting',
  'excluded',
];
const CODES = Object.fromEntries(STATES.map((state, code) => [state, code])) as Record<IndexState, number>;
/** In the shape of all others. */
const NONE = extrasOf(NO_EXTRAS);

/** 4,096 consecutive records as columns. Mutable on purpose, so never shared: a working board uses a {@link cloneChunk}. */
export type Chunk = {
  readonly states: Uint8Array;
  readonly attempts: Uint32Array;
  readonly extras: Map<number, Extras>;
};

export const emptyChunk = (): Chunk => ({
  states: new Uint8Array(CHUNK_INDEXES),
  attempts: new Uint32Array(CHUNK_INDEXES),
  extras: new Map(),
});

export const cloneChunk = (chunk: Chunk): Chunk => ({
  states: chunk.states.slice(),
  attempts: chunk.attempts.slice(),
  extras: new Map(chunk.extras),
});

export const chunkOf = (index: number): number => Math.floor(index / CHUNK_INDEXES);
export const chunksFor = (size: number): number => Math.ceil(size / CHUNK_INDEXES);

/** The record at `offset` (0..4,095) of a chunk. */
export function recordAt(chunk: Chunk, offset: number): IndexRecord {
  const state = STATES[chunk.states[offset] ?? 0];
  invariant(state !== undefined, 'a known state');
  return recordOf(state, chunk.attempts[offset] ?? 0, chunk.extras.get(offset) ?? NONE);
}

/** Writes a record back in place. */
export function setRecord(chunk: Chunk, offset: number, record: IndexRecord): void {
  chunk.states[offset] = CODES[record.state];
  chunk.attempts[offset] = record.attempt;
  if (extraBitsOf(record) !== 0) chunk.extras.set(offset, extrasOf(record));
  else if (chunk.extras.size > 0) chunk.extras.delete(offset);
}

/** What STATUS knows about a chunk without reading it, a row each; counts include the journal's transitions. A new row makes the accessors anew. */
export const SUMMARY = {
  /** Claimed or launched. */
  starting: count(2),
  running: count(4),
  succeeded: count(8),
  /** No pending record is before this offset. */
  firstPending: count(16),
  failed: count(32),
  /** No pending or waiting record's back-off ends before this; null: none is in back-off. */
  soonestDue: time(64),
  /** Of the active attempts, those that are being stopped: the board wants them to end, or their Pod was deleted. */
  stopping: count(128),
  /** Pods between two tasks. */
  waiting: count(512),
  /** Never to run. */
  excluded: count(1024),
  /** No Pod that has yet to start was created before this second; null: the Job may wait for them as long as it takes. */
  startingSince: sec(2048),
  /** No Pod whose deadline is to come ran before this second; null: none has one. */
  runningSince: sec(4096),
  /** Without a Pod, and held back by a user. */
  held: count(8192),
  /** No index whose deadline is to come got its first Pod before this second; null: none has one. */
  indexSince: sec(16384),
};

export type SummaryFields = BitValues<typeof SUMMARY>;

export type ChunkSummary = SummaryFields & {
  /** Version of the stored item; 0 means that none is stored and every record is as the spec has it at first. */
  readonly version: number;
  /** Journal entries of this chunk below this sequence number are already in the stored item. */
  readonly foldedSeq: number;
  /** Without a Pod, and free to get one. */
  readonly pending: number;
};

export const SUMMARY_FIELDS = new BitFields<SummaryFields>(SUMMARY);

/** The summary of `length` fresh records that no item holds yet. */
export const freshSummary = (length: number): ChunkSummary => ({
  ...SUMMARY_FIELDS.usual,
  version: 0,
  foldedSeq: 0,
  pending: length,
});

/** Applies one transition in place, to the record at `transition.index`. */
export function applyToChunk(chunk: Chunk, transition: Transition): void {
  const offset = transition.index % CHUNK_INDEXES;
  setRecord(chunk, offset, applyTo(recordAt(chunk, offset), transition));
}

export type Counted = 'pending' | 'held' | 'starting' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'excluded';

const COUNTED: Record<IndexState, Counted> = {
  pending: 'pending',
  claimed: 'starting',
  launched: 'starting',
  running: 'running',
  waiting: 'waiting',
  succeeded: 'succeeded',
  failed: 'failed',
  excluded: 'excluded',
};
/** The summary's counter for a record. */
export const counted = ({ state, held }: Pick<IndexRecord, 'state' | 'held'>): Counted =>
  held && state === 'pending' ? 'held' : COUNTED[state];

/** Being stopped, for any reason. */
export const isStopped = ({ state, stopping, podDeleted, late }: IndexRecord): boolean =>
  isActive(state) && (stopping || podDeleted || late !== null);

export const NO_COUNTS: { readonly [K in Counted | 'stopping']: number } = {
  pending: 0,
  held: 0,
  starting: 0,
  running: 0,
  waiting: 0,
  stopping: 0,
  succeeded: 0,
  failed: 0,
  excluded: 0,
};

/** Counts of a chunk's first `length` records. */
export function countRecords(chunk: Chunk, length: number): { readonly [K in Counted | 'stopping']: number } {
  const counts = { ...NO_COUNTS };
  for (let offset = 0; offset < length; offset++) {
    const record = recordAt(chunk, offset);
    counts[counted(record)]++;
    if (isStopped(record)) counts.stopping++;
  }
  return counts;
}
