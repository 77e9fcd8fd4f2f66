import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** A moment to the nanosecond: `nanos` are after `atMs`, and below a million. */
export type Moment = { readonly atMs: number; readonly nanos: number };

/**
 * What was seen of a log at one look: a line that ends at or before `until`, and in no earlier span, was written at `at`, but for a
 * nanosecond for each byte between its end and `anchor`. So no two lines have one time, and times grow along the log.
 */
export type Span = { readonly until: number; readonly anchor: number } & Moment;

/** Times are no finer: looks within this time of the last belong to it. */
const APART_MS = 1_000;
/** Nor finer than this part of the time since the log began: a log of a month has some 9,000 spans. */
const APART_OF_AGE = 1 / 1_000;

/**
 * The span for what a look has found.
 *
 * @param last the last span before; null: this is the first look
 * @param firstAtMs the time of the first span
 * @param size bytes in the log
 * @param at when the log was last written
 * @returns `same`: nothing is new; `longer`: the last span, with what is new; `next`: a span of its own
 */
export function spanOf(
  last: Span | null,
  firstAtMs: number,
  size: number,
  at: Moment,
): { readonly kind: 'same' } | { readonly kind: 'longer' | 'next'; readonly span: Span } {
  if (last === null)
    return size === 0 ? { kind: 'same' } : { kind: 'next', span: { until: size, anchor: size, ...at } };
  if (size <= last.until) return { kind: 'same' };
  const apartMs = Math.max(APART_MS, (last.atMs - firstAtMs) * APART_OF_AGE);
  if (at.atMs - last.atMs < apartMs) return { kind: 'longer', span: { ...last, until: size } };
  const earliest = later(last, size - last.anchor);
  return { kind: 'next', span: { until: size, anchor: size, ...(isBefore(at, earliest) ? earliest : at) } };
}

/** When a line was written that ends at this offset. */
function timeOfLine(spans: readonly Span[], end: number): Moment {
  let low = 0;
  let high = spans.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.until ?? 0) >= end) high = middle;
    else low = middle + 1;
  }
  const span = spans[low];
  return span === undefined ? { atMs: 0, nanos: 0 } : later(span, end - span.anchor);
}

const NANOS = 1_000_000;

function later({ atMs, nanos }: Moment, byNanos: number): Moment {
  const all = nanos + byNanos;
  const ms = Math.floor(all / NANOS);
  return { atMs: atMs + ms, nanos: all - ms * NANOS };
}

const isBefore = (a: Moment, b: Moment): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.nanos < b.nanos);

const NUMBERS = 4;
const SPAN_BYTES = NUMBERS * Float64Array.BYTES_PER_ELEMENT;

/** The spans of one log, in a file beside it: the times of its lines stay what they were when this process starts again. */
export class LineTimes {
  readonly #path: string;
  readonly #spans: Span[];

  constructor(path: string) {
    this.#path = path;
    this.#spans = storedSpans(path);
  }

  /**
   * Takes note of a look at the log.
   *
   * @param isComplete nothing is added to it any more: then the next look finds the same, and nothing needs to be stored
   */
  see(size: number, at: Moment, isComplete: boolean): void {
    const found = spanOf(this.#spans.at(-1) ?? null, this.#spans[0]?.atMs ?? 0, size, at);
    if (found.kind === 'same') return;
    if (found.kind === 'longer') this.#spans.pop();
    this.#spans.push(found.span);
    if (isComplete) return;
    try {
      storeSpan(this.#path, this.#spans.length - 1, found.span);
    } catch {
      // A full disk must not hide a log: then its times are kept until this process ends.
    }
  }

  of(end: number): Moment {
    return timeOfLine(this.#spans, end);
  }
}

/** What is torn or makes no sense ends them. */
function storedSpans(path: string): Span[] {
  const spans: Span[] = [];
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return spans;
  }
  for (let at = 0; at + SPAN_BYTES <= bytes.length; at += SPAN_BYTES) {
    const [until = 0, anchor = 0, atMs = 0, nanos = 0] = Array.from({ length: NUMBERS }, (_, nth) =>
      bytes.readDoubleLE(at + nth * Float64Array.BYTES_PER_ELEMENT),
    );
    const isWhole = [until, anchor, atMs, nanos].every((each) => Number.isSafeInteger(each) && each >= 0);
    if (!isWhole || until <= (spans.at(-1)?.until ?? 0) || anchor > until || nanos >= NANOS) break;
    spans.push({ until, anchor, atMs, nanos });
  }
  return spans;
}

/** Nobody waits for the disk: after a crash of the machine the times of the last lines may be others. */
function storeSpan(path: string, nth: number, { until, anchor, atMs, nanos }: Span): void {
  const bytes = Buffer.alloc(SPAN_BYTES);
  for (const [i, value] of [until, anchor, atMs, nanos].entries())
    bytes.writeDoubleLE(value, i * Float64Array.BYTES_PER_ELEMENT);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, nth === 0 ? 'w' : 'r+', 0o600);
  try {
    if (nth > 0) ftruncateSync(file, nth * SPAN_BYTES);
    writeSync(file, bytes, 0, SPAN_BYTES, nth * SPAN_BYTES);
  } finally {
    closeSync(file);
  }
}
