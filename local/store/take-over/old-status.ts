import { DecodeError, Writer } from '../../../shared/domain/base/bytes.ts';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { decodeStatus } from '../../../shared/domain/codecs/status-codec.ts';

/** The newest of the earlier formats of STATUS. Today's format 1 is the same, but for its number. */
const NEWEST = 9;

/**
 * STATUS of format 1 to 9, as they were before they became one, in the format of today. What a format had not yet is filled in:
 * 1 restarts, success policies, replaced attempts, and who decided; 2 events and labels; 3 since when attempts were replaced; 6 what
 * is to be announced; 7 the fields that few Jobs have.
 *
 * @throws DecodeError for what is no STATUS; NewerFormatError for one of a later format
 */
export function statusOf(old: Uint8Array): Uint8Array {
  const copy = new Copy(old);
  const format = copy.byte();
  if (format > NEWEST) throw new NewerFormatError('a STATUS', format, NEWEST);
  if (format < 1) throw new DecodeError(`a STATUS of format version ${format}`);
  copyHead(copy, format);
  const status = copy.finish();
  status[0] = 1;
  decodeStatus(status);
  return status;
}

function copyHead(copy: Copy, format: number): void {
  const now = copy.varint();
  copy.varints(4); // sequence numbers, size, version, revision
  copyPhase(copy, format);
  copy.varints(2); // when it started, and was resumed
  if (format === 1) copy.insert(0);
  else copy.varint(); // since when it was suspended at its end
  copy.varint(); // failures
  if (format === 1) copy.insert(0, 0, 0);
  else {
    copy.varint(); // restarts
    copy.each(() => copy.varint()); // what rules of its success policy count
    copy.each(() => {
      copy.varints(4); // index, attempt, nonce, how much of the ARN before
      copy.text();
      if (format < 4) copy.insertLongAgo(now);
      else copy.varint();
    });
  }
  copy.varints(2); // back-off
  if (copy.varint() !== 0) copy.varint(); // round of stops
  if (copy.varint() !== 0) copy.varint(); // look-ups
  copy.each(() => copy.varint()); // alarms
  if (copy.byte() !== 0) copy.text(); // why launches wait
  if (format < 3) copy.insert(0, 0);
  else {
    copy.each(() => {
      copy.byte();
      copy.text();
      copy.text();
      copy.varints(4);
    }); // events
    if (copy.byte() !== 0) {
      copy.varint();
      copy.each(() => {
        copy.text();
        copy.text();
      }); // labels
    }
  }
  copy.varints(3); // what is published
  if (format < 8) copy.insert(format === 7 ? 1 : 0); // which of the rarer fields follow
}

const KIND = { running: 0, draining: 2, finished: 3, deleted: 5, terminating: 6, withEnd: [7, 8], regrouping: 10 };
const OWN_REASON = 11;

function copyPhase(copy: Copy, format: number): void {
  const kind = copy.byte();
  if (kind === KIND.running) return;
  if (KIND.withEnd.includes(kind)) {
    copyPhase(copy, format);
    copyPhase(copy, format);
    return;
  }
  copy.varint(); // since
  if (kind === KIND.regrouping) copy.text();
  if (kind === KIND.terminating && copy.byte() !== 0) copyPhase(copy, format);
  if (kind === KIND.finished || kind === KIND.deleted) copy.varint();
  if (kind !== KIND.draining && kind !== KIND.finished) return;
  const reason = copy.byte();
  copy.text();
  if (format === 1) copy.insert(0);
  else copy.varint(); // who decided
  if (reason === OWN_REASON) copy.text();
}

/** Copies bytes that a {@link Writer} has written, value by value, and puts others between them. */
class Copy {
  readonly #from: Uint8Array;
  readonly #to = new Writer(1024);
  #at = 0;

  constructor(from: Uint8Array) {
    this.#from = from;
  }

  byte(): number {
    const value = this.#from[this.#at++];
    if (value === undefined) throw new DecodeError(`cut short after ${this.#from.length} bytes`);
    this.#to.byte(value);
    return value;
  }

  varint(): number {
    let value = 0;
    for (let scale = 1, byte = 128; byte >= 128; scale *= 128) {
      byte = this.byte();
      value += (byte % 128) * scale;
    }
    return value;
  }

  varints(count: number): void {
    for (let i = 0; i < count; i++) this.varint();
  }

  text(): void {
    for (let left = this.varint(); left > 0; left--) this.byte();
  }

  each(copyOne: () => void): void {
    for (let left = this.varint(); left > 0; left--) copyOne();
  }

  insert(...bytes: readonly number[]): void {
    for (const byte of bytes) this.#to.byte(byte);
  }

  /** The moment 0, counted from `now` as it was copied. */
  insertLongAgo(now: number): void {
    this.#to.zigzag(now % 2 === 0 ? -now / 2 : (now + 1) / 2);
  }

  /** All of it, with what has not been copied yet. */
  finish(): Uint8Array {
    this.#to.bytes(this.#from.subarray(this.#at));
    return this.#to.finish();
  }
}
