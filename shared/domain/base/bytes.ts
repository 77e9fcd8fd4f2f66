import { invariant } from './invariant.ts';

/** Stored bytes that cannot be read: truncated, damaged, or in a format that this build does not know. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

const UTF8 = new TextEncoder();
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Appends values to a buffer that grows. */
export class Writer {
  #bytes: Uint8Array;
  #length = 0;

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  bytes(values: Uint8Array): void {
    this.#reserve(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
  }

  /** A whole number from 0 to 2^53-1: seven bits per byte, lowest first; the eighth bit says that more follow. */
  varint(value: number): void {
    // Most numbers take one byte.
    if ((value & 127) === value) return this.byte(value);
    // The text is built only if needed: a chunk has thousands of numbers.
    if (!Number.isSafeInteger(value) || value < 0) invariant(false, `a varint, not ${value}`);
    this.#reserve(VARINT_BYTES_MAX);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** A signed whole number, |value| below 2^52. Small numbers take one byte. */
  zigzag(value: number): void {
    this.varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  /** The same, or null, which takes one byte. */
  zigzagOrNull(value: number | null): void {
    this.varint(value === null ? 0 : 1 + (value >= 0 ? value * 2 : -value * 2 - 1));
  }

  /** Well-formed text, preceded by its length in bytes. */
  text(value: string): void {
    const encoded = UTF8.encode(value);
    this.varint(encoded.length);
    this.bytes(encoded);
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** 8 × 7 bits hold the 53 bits of a safe integer. */
const VARINT_BYTES_MAX = 8;

/** Reads what a {@link Writer} wrote, in the same order. For any bytes, it ends or throws {@link DecodeError}. */
export class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new DecodeError(`cut short after ${this.#bytes.length} bytes`);
    this.#at++;
    return value;
  }

  /** A view of the next `count` bytes, not a copy. */
  bytes(count: number): Uint8Array {
    if (count > this.#left()) throw new DecodeError(`${count} bytes are expected, ${this.#left()} are left`);
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  varint(): number {
    let value = this.byte();
    if (value < 128) return value;
    value &= 127;
    let scale = 128;
    for (let i = 1; i < VARINT_BYTES_MAX; i++) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return withinSafe(value);
      scale *= 128;
    }
    throw new DecodeError(`a number of more than ${VARINT_BYTES_MAX} bytes`);
  }

  zigzag(): number {
    return unzigzag(this.varint());
  }

  zigzagOrNull(): number | null {
    const value = this.varint();
    return value === 0 ? null : unzigzag(value - 1);
  }

  text(): string {
    const encoded = this.bytes(this.varint());
    try {
      return STRICT_UTF8.decode(encoded);
    } catch {
      throw new DecodeError('text that is not UTF-8');
    }
  }

  /** How many items follow, each of at least one byte, so a damaged count never makes a caller reserve memory. */
  count(): number {
    const count = this.varint();
    if (count > this.#left()) throw new DecodeError(`${count} entries cannot be in ${this.#left()} bytes`);
    return count;
  }

  /** Throws unless everything was read. */
  end(): void {
    if (this.#left() > 0) throw new DecodeError(`${this.#left()} bytes are left over`);
  }

  #left(): number {
    return this.#bytes.length - this.#at;
  }
}

function withinSafe(value: number): number {
  if (value > Number.MAX_SAFE_INTEGER) throw new DecodeError('a number above 2^53-1');
  return value;
}

const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);
