import { CHUNK_INDEXES, type Chunk, type Extras, STATES, emptyChunk } from './board.ts';
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
  readExtras(r, chunk.extras, length);
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
    invariant(state < STATES.length, `${state} is a state's code`);
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
  const usualPending = usual(attempts, length, (i) => states[i] === 0);
  const usualOther = usual(attempts, length, (i) => states[i] !== 0);
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

/** The attempt number that most of the given records have, if most agree (majority vote); otherwise any of theirs. */
function usual(attempts: Uint32Array, length: number, meant: (offset: number) => boolean): number {
  let candidate = 0;
  let lead = 0;
  for (let i = 0; i < length; i++) {
    if (!meant(i)) continue;
    const attempt = attempts[i] ?? 0;
    if (lead === 0) candidate = attempt;
    lead += attempt === candidate ? 1 : -1;
  }
  return candidate;
}

// Extras: by offset, each with the gap to the one before, which fields it has, and these; times count from the earliest.

const NONCE = 1;
const STOPPING = 2;
const FAILURES = 4;
const IGNORED = 8;
const INFRA = 16;
const SPOT = 32;
const NOT_BEFORE = 64;
const POD_DELETED = 128;
const RESTARTS = 256;
const UNSTARTED = 512;
const EVICTED = 1024;
const POD_CREATED = 2048;
const EARLIER_RESTARTS = 4096;
const OVERDUE = 8192;
const HELD = 16384;
const RAN = 32768;
const LAUNCHED = 65536;
/** Its Pod's deadline has passed, or its index's. */
const LATE = 131072;
const LATE_INDEX = 262144;
const CANCEL = 524288;
const REQUEUE = 1048576;

function writeExtras(w: Writer, extras: ReadonlyMap<number, Extras>, length: number): void {
  const sorted = [...extras].sort(([a], [b]) => a - b);
  const last = sorted.at(-1);
  invariant(last === undefined || last[0] < length, 'extras are within the chunk');
  const soonest = sorted.reduce(
    (min, [, { notBefore, unstartedSince, podCreatedSec, ranSec, launchedSec }]) =>
      Math.min(
        min,
        notBefore ?? min,
        unstartedSince ?? min,
        podCreatedSec === null ? min : podCreatedSec * 1000,
        ranSec === null ? min : ranSec * 1000,
        launchedSec === null ? min : launchedSec * 1000,
      ),
    Infinity,
  );
  w.varint(sorted.length);
  w.zigzag(soonest === Infinity ? 0 : soonest);
  let next = 0;
  for (const [offset, e] of sorted) {
    w.varint(offset - next);
    next = offset + 1;
    w.varint(fieldsOf(e));
    writeFields(w, e, soonest);
  }
}

/** Which fields follow, a bit each. */
const fieldsOf = (e: Extras): number =>
  (e.nonce === 0 ? 0 : NONCE) |
  (e.stopping ? STOPPING : 0) |
  (e.failures === 0 ? 0 : FAILURES) |
  (e.ignored === 0 ? 0 : IGNORED) |
  (e.infra === 0 ? 0 : INFRA) |
  (e.spot === 0 ? 0 : SPOT) |
  (e.notBefore === null ? 0 : NOT_BEFORE) |
  (e.podDeleted ? POD_DELETED : 0) |
  (e.restarts === 0 ? 0 : RESTARTS) |
  (e.unstartedSince === null ? 0 : UNSTARTED) |
  (e.evicted ? EVICTED : 0) |
  (e.podCreatedSec === null ? 0 : POD_CREATED) |
  (e.earlierRestarts === 0 ? 0 : EARLIER_RESTARTS) |
  (e.overdue ? OVERDUE : 0) |
  (e.held ? HELD : 0) |
  (e.ranSec === null ? 0 : RAN) |
  (e.launchedSec === null ? 0 : LAUNCHED) |
  (e.late === 'attempt' ? LATE : e.late === 'index' ? LATE_INDEX : 0) |
  (e.wish === 'cancel' ? CANCEL : e.wish === 'requeue' ? REQUEUE : 0);

function writeFields(w: Writer, e: Extras, soonest: number): void {
  if (e.nonce !== 0) w.varint(e.nonce);
  if (e.failures !== 0) w.varint(e.failures);
  if (e.ignored !== 0) w.varint(e.ignored);
  if (e.infra !== 0) w.varint(e.infra);
  if (e.spot !== 0) w.varint(e.spot);
  if (e.notBefore !== null) w.varint(e.notBefore - soonest);
  if (e.restarts !== 0) w.varint(e.restarts);
  if (e.unstartedSince !== null) w.varint(e.unstartedSince - soonest);
  if (e.podCreatedSec !== null) w.varint(e.podCreatedSec - Math.floor(soonest / 1000));
  if (e.earlierRestarts !== 0) w.varint(e.earlierRestarts);
  if (e.ranSec !== null) w.varint(e.ranSec - Math.floor(soonest / 1000));
  if (e.launchedSec !== null) w.varint(e.launchedSec - Math.floor(soonest / 1000));
}

function readExtras(r: Reader, extras: Map<number, Extras>, length: number): void {
  const count = r.count();
  const soonest = r.zigzag();
  let next = 0;
  for (let i = 0; i < count; i++) {
    const offset = next + r.varint();
    next = offset + 1;
    if (next > length) throw new DecodeError('extras past the end of the chunk');
    const has = r.varint();
    if (has >= 2 * REQUEUE) throw new DecodeError('an extra that is not known');
    extras.set(offset, {
      nonce: (has & NONCE) !== 0 ? r.varint() : 0,
      stopping: (has & STOPPING) !== 0,
      failures: (has & FAILURES) !== 0 ? r.varint() : 0,
      ignored: (has & IGNORED) !== 0 ? r.varint() : 0,
      infra: (has & INFRA) !== 0 ? r.varint() : 0,
      spot: (has & SPOT) !== 0 ? r.varint() : 0,
      notBefore: (has & NOT_BEFORE) !== 0 ? asEpochMs(soonest + r.varint()) : null,
      podDeleted: (has & POD_DELETED) !== 0,
      evicted: (has & EVICTED) !== 0,
      overdue: (has & OVERDUE) !== 0,
      held: (has & HELD) !== 0,
      late: (has & LATE) !== 0 ? 'attempt' : (has & LATE_INDEX) !== 0 ? 'index' : null,
      wish: (has & CANCEL) !== 0 ? 'cancel' : (has & REQUEUE) !== 0 ? 'requeue' : null,
      restarts: (has & RESTARTS) !== 0 ? r.varint() : 0,
      unstartedSince: (has & UNSTARTED) !== 0 ? asEpochMs(soonest + r.varint()) : null,
      podCreatedSec: (has & POD_CREATED) !== 0 ? Math.floor(soonest / 1000) + r.varint() : null,
      earlierRestarts: (has & EARLIER_RESTARTS) !== 0 ? r.varint() : 0,
      ranSec: (has & RAN) !== 0 ? Math.floor(soonest / 1000) + r.varint() : null,
      launchedSec: (has & LAUNCHED) !== 0 ? Math.floor(soonest / 1000) + r.varint() : null,
    });
  }
}
