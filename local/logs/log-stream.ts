import { closeSync, fstatSync, readSync } from 'node:fs';
import { openForReading } from '../whole-file.ts';

/** A line that a container printed. */
export type LogLine = {
  readonly atMs: number;
  readonly text: string /** byte offset, which names it in its stream */;
  readonly offset: number;
};

export type LinePage = {
  readonly lines: readonly LogLine[];
  /** byte offsets around the page: where an earlier page ends and a later one begins */
  readonly start: number;
  readonly end: number;
};

/** CloudWatch accepts events up to 1 MiB; awslogs splits longer output, and so do we. */
const LINE_BYTES_MAX = 256 * 1024;

/** The most bytes in an answer (CloudWatch Logs API, GetLogEvents: 1 MB). */
const PAGE_BYTES_MAX = 1024 * 1024;

type Mark = { readonly offset: number; readonly atMs: number };

/**
 * One stream: a file that a process prints into. Its lines have no timestamps, so their times are approximate: a line has
 * the file's modification time from when the line was first seen here, and no later than that moment: a file server's clock
 * may be ahead. It was written no later than that. Times never decrease within a stream, and they stay the same as long as
 * this object lives.
 */
export class LogFile {
  readonly #path: string;
  /** text before `offset`, and after the previous mark, was seen at `atMs` */
  readonly #marks: Mark[] = [];

  readonly #now: () => number;

  constructor(path: string, now: () => number = Date.now) {
    this.#path = path;
    this.#now = now;
  }

  /**
   * Reads lines from `from` on, or the last ones before `to`: at most `limit` lines and 1 MB. Reads an unterminated last
   * line only if `complete`: a process may still be writing it. Throws if the file is gone.
   */
  read(where: { readonly from: number } | { readonly to: number | 'end' }, limit: number, complete: boolean): LinePage {
    const fd = openForReading(this.#path);
    try {
      const { size, mtimeMs } = fstatSync(fd);
      this.#mark(size, Math.min(Math.floor(mtimeMs), this.#now()));
      return 'from' in where
        ? this.#forwards(fd, Math.min(where.from, size), size, limit, complete)
        : this.#backwards(fd, where.to === 'end' ? size : Math.min(where.to, size), limit, complete);
    } finally {
      closeSync(fd);
    }
  }

  #mark(size: number, atMs: number): void {
    const last = this.#marks.at(-1);
    if (size > (last?.offset ?? 0)) this.#marks.push({ offset: size, atMs: Math.max(atMs, last?.atMs ?? 0) });
  }

  #forwards(fd: number, from: number, size: number, limit: number, complete: boolean): LinePage {
    const bytes = readAt(fd, from, Math.min(PAGE_BYTES_MAX, size - from));
    const atEnd = complete && from + bytes.length === size;
    const { pieces, used } = split(bytes, atEnd);
    const kept = pieces.slice(0, limit);
    const end = kept.length < pieces.length ? from + (pieces[kept.length]?.begin ?? 0) : from + used;
    return { lines: this.#stamp(kept, from, bytes), start: from, end };
  }

  #backwards(fd: number, to: number, limit: number, complete: boolean): LinePage {
    const from = Math.max(0, to - PAGE_BYTES_MAX);
    const bytes = readAt(fd, from, to - from);
    // the first line read may begin before this offset
    const skip = from === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    const { pieces, used } = split(bytes.subarray(skip), complete);
    const kept = limit === 0 ? [] : pieces.slice(-limit);
    const base = from + skip;
    return {
      lines: this.#stamp(kept, base, bytes.subarray(skip)),
      start: base + (kept[0]?.begin ?? used),
      end: base + used,
    };
  }

  #stamp(pieces: readonly Piece[], base: number, bytes: Buffer): LogLine[] {
    return pieces.map(({ begin, end }) => ({
      atMs: this.#seenAtMs(base + begin),
      text: bytes.toString('utf8', begin, end),
      offset: base + begin,
    }));
  }

  #seenAtMs(offset: number): number {
    let low = 0;
    let high = this.#marks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#marks[middle]?.offset ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return this.#marks[low]?.atMs ?? 0;
  }
}

const NEWLINE = 0x0a;

type Piece = { readonly begin: number; readonly end: number };

/** Lines without line ends, and their length in bytes. Cuts lines that are too long; blank lines are not events. */
function split(bytes: Buffer, complete: boolean): { readonly pieces: readonly Piece[]; readonly used: number } {
  const pieces: Piece[] = [];
  let begin = 0;
  while (begin < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, begin);
    const lineEnd = newline === -1 ? bytes.length : newline;
    const isCut = lineEnd - begin > LINE_BYTES_MAX;
    if (newline === -1 && !isCut && !complete) break;
    const end = isCut ? characterBoundary(bytes, begin + LINE_BYTES_MAX) : lineEnd;
    const visibleEnd = !isCut && end > begin && bytes[end - 1] === 0x0d ? end - 1 : end;
    if (visibleEnd > begin) pieces.push({ begin, end: visibleEnd });
    begin = isCut || newline === -1 ? end : end + 1;
  }
  return { pieces, used: begin };
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
