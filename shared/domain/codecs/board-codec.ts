import { CHUNK_INDEXES, type Chunk, STATES, emptyChunk } from '../scoreboard/board.ts';
import { EXTRA_FIELDS, type Extras, NO_EXTRAS } from '../scoreboard/index-record.ts';
import { extraBitsOf, extrasOf } from '../scoreboard/record-accessors.ts';
import { asEpochMs } from '../base/time.ts';
import { DecodeError, Reader, Writer } from '../base/bytes.ts';
import { NewerFormatError } from '../base/newer-format.ts';
import { invariant } from '../base/invariant.ts';

/**
 * A chunk as bytes, column by column, so that deflate (which the store applies) sees similar values together:
 *
 * version 1 · length · states · attempts · extras
 *
 * Without failures, 4,096 records take at most 1,034 bytes before deflate while at most four states are mixed (829 for three),
 * 1,375 for five or six, of which deflate leaves less than 1 KB if some are rarer than others. Launches go in index order, so
 * at any time most of a chunk is in two or three states. The worst case, 4,096 indexes that each have a different attempt
 * number and all of the extras, is about 95 KB before deflate; DynamoDB takes 400 KB.
 */
const VERSION = 1;

/** The first `length` records of `chunk` as bytes; the rest must be fresh and is not stored. */
export function encodeChunk(chunk: Chunk, length: number): Uint8Array {
  const w = new Writer(2048);
  w.byte(VERSION);
  w.varint(length);
  writeStates(w, chunk.states.subarray(0, length));
  writeAttempts(w, chunk, length);
  writeExtras(w, chunk.extras, length);
  return w.finish();
}

/** The chunk that {@link encodeChunk} was given, with fresh records at its end. Throws {@link DecodeError} or {@link NewerFormatError}. */
export function decodeChunk(bytes: Uint8Array): Chunk {
  const r = new Reader(bytes);
  const version = r.byte();
  if (version > VERSION) throw new NewerFormatError('a board chunk', version, VERSION);
  if (version < VERSION) throw new DecodeError(`a board chunk of format version ${version}, where ${VERSION} is known`);
  const length = r.varint();
  if (length > CHUNK_INDEXES) throw new DecodeError(`a chunk of ${length} records`);
  const chunk = emptyChunk();
  readStates(r, chunk.states.subarray(0, length));
  readAttempts(r, chunk, length);
  readAllExtras(r, chunk.extras, length);
  r.end();
  return chunk;
}

// States: one byte says how they are stored. 0: as runs; otherwise it is the set of the states that occur (bit = code), and the
// records follow as digits in the base of that set's size, as many per byte as fit. Runs win while a Job is young or nearly
// done.

const RUNS = 0;
/** How many digits of base n fit into a byte. */
const DIGITS_PER_BYTE: readonly number[] = [0, 0, 8, 5, 4, 3, 3, 2, 2];
/** A run is one number: its length, and its state in the lowest three bits; all eight codes have a state. */
const RUN_UNIT = 8;

function writeStates(w: Writer, states: Uint8Array): void {
  let occurring = 0;
  const runs = new Writer(512);
  let start = 0;
  for (let i = 1; i <= states.length; i++) {
    const state = states[start] ?? 0;
    if (states[i] === state) continue;
    if (state >= STATES.length) invariant(false, `${state} is a state's code`);
    runs.varint((i - start - 1) * RUN_UNIT + state);
    occurring |= 1 << state;
    start = i;
  }
  const asRuns = runs.finish();
  const codes = codesOf(occurring);
  const perByte = DIGITS_PER_BYTE[codes.length] ?? 0;
  if (perByte === 0 || asRuns.length <= Math.ceil(states.length / perByte)) {
    w.byte(RUNS);
    w.bytes(asRuns);
  } else {
    w.byte(occurring);
    writeDigits(w, states, codes, perByte);
  }
}

function writeDigits(w: Writer, states: Uint8Array, codes: readonly number[], perByte: number): void {
  const digitOf = new Uint8Array(STATES.length);
  for (const [digit, code] of codes.entries()) digitOf[code] = digit;
  const base = codes.length;
  for (let i = 0; i < states.length; i += perByte) {
    let packed = 0;
    for (let k = Math.min(perByte, states.length - i) - 1; k >= 0; k--) {
      packed = packed * base + (digitOf[states[i + k] ?? 0] ?? 0);
    }
    w.byte(packed);
  }
}

function readStates(r: Reader, states: Uint8Array): void {
  const occurring = r.byte();
  if (occurring !== RUNS) return readDigits(r, states, codesOf(occurring));
  for (let start = 0; start < states.length; ) {
    const run = r.varint();
    const end = start + Math.floor(run / RUN_UNIT) + 1;
    const state = run % RUN_UNIT;
    if (end > states.length) throw new DecodeError('a run of states that cannot be');
    states.fill(state, start, end);
    start = end;
  }
}

function readDigits(r: Reader, states: Uint8Array, codes: readonly number[]): void {
  const base = codes.length;
  const perByte = DIGITS_PER_BYTE[base] ?? 0;
  if (perByte === 0) throw new DecodeError(`states packed by ${base}`);
  for (let i = 0; i < states.length; i += perByte) {
    let packed = r.byte();
    const end = Math.min(i + perByte, states.length);
    for (let at = i; at < end; at++) {
      states[at] = codes[packed % base] ?? 0;
      packed = Math.floor(packed / base);
    }
    if (packed > 0) throw new DecodeError('packed states that cannot be');
  }
}

/** The codes whose bits are set, ascending. */
const codesOf = (occurring: number): readonly number[] =>
  STATES.map((_, code) => code).filter((code) => (occurring & (1 << code)) !== 0);

// Attempts: the usual number of a pending record (typically 0) and of any other (typically 1), then the stretches where it
// differs: the gap before it and whether it is a single record, its length, the number. 0 ends the list.

function writeAttempts(w: Writer, { states, attempts }: Chunk, length: number): void {
  const usualPending = usual(states, attempts, length, true);
  const usualOther = usual(states, attempts, length, false);
  w.varint(usualPending);
  w.varint(usualOther);
  let end = 0;
  for (let i = 0; i < length; i++) {
    const attempt = attempts[i] ?? 0;
    if (attempt === (states[i] === 0 ? usualPending : usualOther)) continue;
    const start = i;
    while (i + 1 < length && attempts[i + 1] === attempt) i++;
    const single = i === start;
    w.varint(1 + (start - end) * 2 + (single ? 0 : 1));
    if (!single) w.varint(i + 1 - start);
    w.varint(attempt);
    end = i + 1;
  }
  w.varint(0);
}

function readAttempts(r: Reader, { states, attempts }: Chunk, length: number): void {
  const usualPending = readAttempt(r);
  const usualOther = readAttempt(r);
  for (let i = 0; i < length; i++) attempts[i] = states[i] === 0 ? usualPending : usualOther;
  let end = 0;
  for (let head = r.varint(); head !== 0; head = r.varint()) {
    const start = end + Math.floor((head - 1) / 2);
    end = start + (head % 2 === 1 ? 1 : r.varint());
    if (end > length) throw new DecodeError('attempts past the end of the chunk');
    attempts.fill(readAttempt(r), start, end);
  }
}

function readAttempt(r: Reader): number {
  const attempt = r.varint();
  if (attempt > 0xffffffff) throw new DecodeError(`attempt ${attempt}`);
  return attempt;
}

/** The attempt number that most of the records have that are pending, or are not, if most agree (majority vote); otherwise any of theirs. */
function usual(states: Uint8Array, attempts: Uint32Array, length: number, pending: boolean): number {
  let candidate = 0;
  let lead = 0;
  for (let i = 0; i < length; i++) {
    if ((states[i] === 0) !== pending) continue;
    const attempt = attempts[i] ?? 0;
    if (lead === 0) candidate = attempt;
    lead += attempt === candidate ? 1 : -1;
  }
  return candidate;
}

// Extras: by offset, each with the gap to the one before, which fields it has, and these; times count from the earliest.

function writeExtras(w: Writer, extras: ReadonlyMap<number, Extras>, length: number): void {
  const sorted = [...extras].sort(([a], [b]) => a - b).map(([offset, e]) => ({ offset, e, has: extraBitsOf(e) }));
  const last = sorted.at(-1);
  invariant(last === undefined || last.offset < length, 'extras are within the chunk');
  const earliest = sorted.reduce((min, { e, has }) => Math.min(min, EXTRA_FIELDS.earliest(e, has)), Infinity);
  const soonest = asEpochMs(earliest === Infinity ? 0 : earliest);
  w.varint(sorted.length);
  w.zigzag(soonest);
  let next = 0;
  for (const { offset, e, has } of sorted) {
    w.varint(offset - next);
    next = offset + 1;
    w.varint(has);
    EXTRA_FIELDS.write(w, e, has, soonest);
  }
}

function readAllExtras(r: Reader, extras: Map<number, Extras>, length: number): void {
  const count = r.count();
  const soonest = asEpochMs(r.zigzag());
  let next = 0;
  for (let i = 0; i < count; i++) {
    const offset = next + r.varint();
    next = offset + 1;
    if (next > length) throw new DecodeError('extras past the end of the chunk');
    const e = extrasOf(NO_EXTRAS);
    EXTRA_FIELDS.readInto(r, e, r.varint(), soonest);
    extras.set(offset, e);
  }
}
