import type { LogLine, LogLinesBack } from '../../ports/log-reader.ts';

/** When a line was printed: `nanos` are after `atMs`, and below a million. */
export type LogStamp = { readonly atMs: number; readonly nanos: number };

const NANOS_MAX = 999_999;

/**
 * Gives each line a time of its own. Where a log knows only milliseconds, the nanoseconds are the line's number among those of its
 * millisecond: the same at each reading, if reading begins with the log, or where {@link earlierInMs} was asked.
 */
export class LogStamps {
  #last: LogStamp | null = null;

  /** @param earlier lines of the first line's millisecond that came before it */
  constructor(earlier: LogStamp | null = null) {
    this.#last = earlier;
  }

  next({ atMs, nanos }: LogLine): LogStamp {
    const number = this.#last?.atMs === atMs ? Math.min(this.#last.nanos + 1, NANOS_MAX) : 0;
    this.#last = { atMs, nanos: nanos ?? number };
    return this.#last;
  }
}

/** RFC 3339 with nanoseconds, as the kubelet writes it. */
export const stampText = ({ atMs, nanos }: LogStamp): string =>
  new Date(atMs).toISOString().replace('Z', `${String(nanos).padStart(6, '0')}Z`);

export const isBefore = (a: LogStamp, b: LogStamp): boolean =>
  a.atMs < b.atMs || (a.atMs === b.atMs && a.nanos < b.nanos);

/** Whether `line` and the line after it are pieces of one; null: there is none after it. */
export const isJoined = (line: LogLine, after: LogLine | null): boolean => {
  if (after === null || line.continues === undefined) return false;
  // Pieces have one time, which may be rounded either way.
  return line.continues === 'surely' || Math.abs(after.atMs - line.atMs) <= 1;
};

/** Pages that are read for one number: as many lines of one millisecond as no program prints. */
const PAGES_MAX = 20;

/**
 * The stamp of the line before the one at `nth` of a page, if it is of the same millisecond; null: it is not.
 *
 * @param readBack reads the page before one
 */
export async function earlierInMs(
  page: Pick<LogLinesBack, 'lines' | 'previous'>,
  nth: number,
  readBack: (before: string) => Promise<Pick<LogLinesBack, 'lines' | 'previous'> | null>,
): Promise<LogStamp | null> {
  const line = page.lines[nth];
  if (line === undefined || line.nanos !== undefined) return null;
  const { atMs } = line;
  let count = 0;
  let lines = page.lines.slice(0, nth);
  let { previous } = page;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const other = lines.findLastIndex((each) => each.atMs !== atMs);
    count += lines.length - 1 - other;
    if (other !== -1) break;
    const before = await readBack(previous);
    if (before === null || before.previous === previous) break;
    ({ lines, previous } = { lines: [...before.lines], previous: before.previous });
  }
  return count === 0 ? null : { atMs, nanos: Math.min(count - 1, NANOS_MAX) };
}
