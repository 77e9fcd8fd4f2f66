import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { openForReading } from '../whole-file.ts';
import { LineTimes, type Moment } from './line-times.ts';

/** A line that a container printed, or a piece of a long one. */
export type PrintedLine = Moment & {
  /** As it was printed, with its line end if it has one. */
  readonly bytes: Buffer;
  /** The line goes on in the next piece. */
  readonly continues: boolean;
  /** byte offset, which names it in its stream */
  readonly offset: number;
};

export type LinePage = {
  readonly lines: readonly PrintedLine[];
  /** byte offsets around the page: where an earlier page ends and a later one begins */
  readonly start: number;
  readonly end: number;
  /** Nothing is added to the stream any more. */
  readonly isComplete: boolean;
};

/** Longer lines come in pieces, as the awslogs driver of Fargate cuts them (aws/shim-loggers-for-containerd: 256 KiB - 26). */
export const PIECE_BYTES_MAX = 256 * 1024 - 26;

/** The most bytes in an answer (CloudWatch Logs API, GetLogEvents: 1 MB). */
const PAGE_BYTES_MAX = 1024 * 1024;

/**
 * One stream: a file that a process prints into. Its lines have no timestamps, so their times are approximate: what is new at a
 * look has the file's modification time, and no later than that look: a file server's clock may be ahead. Times grow within a
 * stream, no two lines have the same, and they stay as they are.
 */
export class LogFile {
  readonly #path: string;
  readonly #times: LineTimes;
  readonly #now: () => number;

  /** @param timesPath where the times of its lines are kept */
  constructor(path: string, timesPath: string, now: () => number = Date.now) {
    this.#path = path;
    this.#times = new LineTimes(timesPath);
    this.#now = now;
  }

  /** Takes note of how long it is by now, and since when. */
  look(): void {
    const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (stat !== undefined) this.#see(stat, false);
  }

  #see({ size, mtimeNs }: { readonly size: bigint; readonly mtimeNs: bigint }, isComplete: boolean): void {
    const written = { atMs: Number(mtimeNs / 1_000_000n), nanos: Number(mtimeNs % 1_000_000n) };
    const now = this.#now();
    this.#times.see(Number(size), written.atMs < now ? written : { atMs: now, nanos: 0 }, isComplete);
  }

  /**
   * Reads lines from `from` on, or the last ones before `to`: at most `limit` lines and 1 MB. Reads an unterminated last
   * line only if `complete`: a process may still be writing it. Throws if the file is gone.
   */
  read(where: { readonly from: number } | { readonly to: number | 'end' }, limit: number, complete: boolean): LinePage {
    const fd = openForReading(this.#path);
    try {
      const stat = fstatSync(fd, { bigint: true });
      this.#see(stat, complete);
      const size = Number(stat.size);
      return 'from' in where
        ? this.#forwards(fd, Math.min(where.from, size), size, limit, complete)
        : this.#backwards(fd, where.to === 'end' ? size : Math.min(where.to, size), size, limit, complete);
    } finally {
      closeSync(fd);
    }
  }

  #forwards(fd: number, from: number, size: number, limit: number, complete: boolean): LinePage {
    const bytes = readAt(fd, from, Math.min(PAGE_BYTES_MAX, size - from));
    const isEnd = from + bytes.length === size;
    const { pieces, used } = split(bytes, isEnd && complete ? 'whole' : 'open', limit);
    return { lines: this.#lines(pieces, from, bytes), start: from, end: from + used, isComplete: complete };
  }

  #backwards(fd: number, to: number, size: number, limit: number, complete: boolean): LinePage {
    const from = Math.max(0, to - PAGE_BYTES_MAX);
    // The byte before tells whether a line begins here.
    const lead = from === 0 ? 0 : 1;
    const all = readAt(fd, from - lead, to - from + lead);
    const skip = lead === 0 ? 0 : beginIn(all);
    const bytes = all.subarray(skip);
    const rest = to < size ? 'goesOn' : complete ? 'whole' : 'open';
    const { pieces, used } = split(bytes, rest, Number.POSITIVE_INFINITY);
    const kept = limit === 0 ? [] : pieces.slice(-limit);
    const base = from - lead + skip;
    const start = base + (kept[0]?.begin ?? used);
    return { lines: this.#lines(kept, base, bytes), start, end: base + used, isComplete: complete };
  }

  #lines(pieces: readonly Piece[], base: number, bytes: Buffer): PrintedLine[] {
    return pieces.map(({ begin, end, continues }) => {
      // Spread, it would take most of the time of a log of millions of lines.
      const { atMs, nanos } = this.#times.of(base + end);
      return { atMs, nanos, bytes: bytes.subarray(begin, end), continues, offset: base + begin };
    });
  }
}

const NEWLINE = 0x0a;

type Piece = { readonly begin: number; readonly end: number; readonly continues: boolean };

/**
 * Lines with their line ends, and their length in bytes. Cuts lines that are too long.
 *
 * @param rest what follows the last line end: a `whole` line, one that is still `open`, or one that `goesOn` behind these bytes
 */
function split(bytes: Buffer, rest: 'whole' | 'open' | 'goesOn', limit: number) {
  const pieces: Piece[] = [];
  let begin = 0;
  while (begin < bytes.length && pieces.length < limit) {
    const newline = bytes.indexOf(NEWLINE, begin);
    const lineEnd = newline === -1 ? bytes.length : newline + 1;
    const isCut = lineEnd - begin > PIECE_BYTES_MAX;
    if (newline === -1 && !isCut && rest === 'open') break;
    const end = isCut ? characterBoundary(bytes, begin + PIECE_BYTES_MAX) : lineEnd;
    pieces.push({ begin, end, continues: isCut || (newline === -1 && rest === 'goesOn') });
    begin = end;
  }
  return { pieces, used: begin };
}

/** Where a line begins in what was read from its second byte on; if all of it is one line, where a character of it begins. */
function beginIn(bytes: Buffer): number {
  const newline = bytes.indexOf(NEWLINE);
  if (newline !== -1 && newline < bytes.length - 1) return newline + 1;
  let begin = 1;
  while (begin < 4 && ((bytes[begin] ?? 0) & 0xc0) === 0x80) begin++;
  return begin;
}

/** Moves back to the start of a UTF-8 character. */
function characterBoundary(bytes: Buffer, at: number): number {
  let boundary = at;
  while (boundary > at - 4 && ((bytes[boundary] ?? 0) & 0xc0) === 0x80) boundary--;
  return boundary;
}

function readAt(fd: number, from: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(Math.max(0, length));
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(fd, buffer, filled, buffer.length - filled, from + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}
