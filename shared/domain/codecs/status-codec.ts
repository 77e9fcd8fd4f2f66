import { DecodeError, Reader, Writer } from '../base/bytes.ts';
import { NewerFormatError } from '../base/newer-format.ts';
import { notNegative, readBelow, readTime, writeTime } from '../base/stored-values.ts';
import { type EpochMs, asEpochMs } from '../base/time.ts';
import { type ChunkSummary, SUMMARY_FIELDS } from '../scoreboard/board.ts';
import { readEntries, writeEntries } from './journal-codec.ts';
import { type Claim, type Status, chunkLength } from '../scoreboard/status.ts';
import { readHead, writeHead } from './status-accessors.ts';
import { type Frame, RARE_FIELDS } from './status-fields.ts';
import { readSummaryFields, summaryOf } from './summary-accessors.ts';

/**
 * STATUS as bytes. Every commit of a Job writes it, so it is kept small: what changes in steps is stored as the step.
 *
 * version 1 · frame · head · rare fields · chunk summaries · claims in flight · journal
 *
 * Times count from the status's own `now`, sequence numbers from the journal's next one, indexes from the one before of the
 * same kind. So a claim in the journal takes 2 bytes, because claims go up one by one; an outcome 4, because those come in any
 * order; a lost attempt in back-off 7; a claim in flight 2 to 4; a fresh chunk 1, any other about 10.
 */
const VERSION = 1;

export function encodeStatus(status: Status): Uint8Array {
  const { now, size, version, journal } = status;
  const { nextSeq } = journal;
  const frame: Frame = { now, size, version, nextSeq };
  const w = new Writer();
  w.byte(VERSION);
  w.zigzag(now);
  w.varint(nextSeq);
  w.varint(size);
  w.varint(version);
  writeHead(w, status, frame);
  const rare = RARE_FIELDS.bitsOf(status);
  w.varint(rare);
  RARE_FIELDS.write(w, status, rare, frame);
  writeSummaries(w, status.chunks, frame);
  writeClaims(w, status.inFlight, now);
  writeEntries(w, journal, now);
  return w.finish();
}

/** The status that {@link encodeStatus} was given, equal in every field. Throws {@link DecodeError} or {@link NewerFormatError}. */
export function decodeStatus(bytes: Uint8Array): Status {
  const r = new Reader(bytes);
  const format = r.byte();
  if (format > VERSION) throw new NewerFormatError('a STATUS', format, VERSION);
  if (format < VERSION) throw new DecodeError(`a STATUS of format version ${format}, where ${VERSION} is known`);
  const now = asEpochMs(r.zigzag());
  const nextSeq = r.varint();
  const frame: Frame = { now, nextSeq, size: r.varint(), version: r.varint() };
  const status: { -readonly [K in keyof Status]: Status[K] } = readHead(r, frame);
  RARE_FIELDS.readInto(r, status, r.varint(), frame);
  status.chunks = readSummaries(r, frame);
  status.inFlight = readClaims(r, now);
  status.journal = { nextSeq, entries: readEntries(r, nextSeq, now) };
  r.end();
  return status;
}

// Chunk summaries: one number says which fields do not have their usual value, then the stored item, these fields, and `pending`,
// which is usually the rest of the chunk's length. The bits that a running Job needs come first, so that the number takes one byte.

const STORED = 1;
const PENDING = 256;

function writeSummaries(w: Writer, chunks: Status['chunks'], { size, nextSeq, now }: Frame): void {
  w.varint(chunks.length);
  for (const [no, c] of chunks.entries()) {
    const stored = c.version !== 0 || c.foldedSeq !== 0;
    const pendingBeside = c.pending - leftOver(c, size, no);
    const has = SUMMARY_FIELDS.bitsOf(c);
    w.varint(has | (stored ? STORED : 0) | (pendingBeside === 0 ? 0 : PENDING));
    if (stored) {
      w.varint(c.version);
      w.zigzag(nextSeq - c.foldedSeq);
    }
    SUMMARY_FIELDS.write(w, c, has, now);
    if (pendingBeside !== 0) w.zigzag(pendingBeside);
  }
}

function readSummaries(r: Reader, { size, nextSeq, now }: Frame): ChunkSummary[] {
  return Array.from({ length: r.count() }, (_, no) => {
    const has = r.varint();
    const stored = (has & STORED) !== 0;
    const version = stored ? r.varint() : 0;
    const foldedSeq = stored ? readBelow(r, nextSeq) : 0;
    SUMMARY_FIELDS.check(has - (has & (STORED | PENDING)));
    const fields = readSummaryFields(r, has, now);
    const beside = (has & PENDING) !== 0 ? r.zigzag() : 0;
    return summaryOf(version, foldedSeq, notNegative(beside + leftOver(fields, size, no)), fields);
  });
}

type NotPending = Pick<ChunkSummary, 'held' | 'starting' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'excluded'>;
const leftOver = (c: NotPending, size: number, no: number): number =>
  chunkLength(size, no) - c.held - c.starting - c.running - c.waiting - c.succeeded - c.failed - c.excluded;

// Claims in flight: usually the next index, due at the same time as the one before. One number holds the attempt, whether it
// has a nonce (1), and whether it is due at another time (2).

function writeClaims(w: Writer, claims: readonly Claim[], now: EpochMs): void {
  w.varint(claims.length);
  let next = 0;
  let due = now;
  for (const { index, attempt, nonce, dueAt } of claims) {
    w.varint(attempt * 4 + (nonce === 0 ? 0 : 1) + (dueAt === due ? 0 : 2));
    w.zigzag(index - next);
    if (nonce !== 0) w.varint(nonce);
    if (dueAt !== due) writeTime(w, dueAt, due);
    next = index + 1;
    due = dueAt;
  }
}

function readClaims(r: Reader, now: EpochMs): Claim[] {
  let next = 0;
  let dueAt = now;
  return Array.from({ length: r.count() }, () => {
    const head = r.varint();
    const attempt = Math.floor(head / 4);
    const index = notNegative(next + r.zigzag());
    const nonce = (head & 1) !== 0 ? r.varint() : 0;
    if ((head & 2) !== 0) dueAt = readTime(r, dueAt);
    next = index + 1;
    return { index, attempt, nonce, dueAt };
  });
}
