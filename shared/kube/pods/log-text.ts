import type { TaskArn } from '../../domain/base/ids.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LogLine, LogLinesBack, LogReader } from '../../ports/log-reader.ts';
import type { LogLookouts } from './log-lookouts.ts';
import { LogStamps, type LogStamp, earlierInMs, isBefore, isJoined, stampText } from './log-stamps.ts';
import type { LogOptions } from './pod-log-options.ts';

/** How long to wait where there were too many calls. */
const LATER_MS = 4_000;

type LogDeps = { readonly logs: LogReader; readonly clock: Clock; readonly lookouts: LogLookouts };

/** How a log is sent, apart from what is requested. */
type LogDelivery = {
  readonly endsAt: number;
  readonly isCancelled: () => boolean;
  /** The task has ended. */
  readonly checkEnded: () => Promise<boolean>;
};

/**
 * The requested bytes of a task's log, page by page: only one page is in memory. Following ends when the task has ended and
 * nothing new comes after that, at `endsAt`, or when the client has disconnected. Of `sinceTime`, `tailLines` and `limitBytes` all
 * hold, in this order of a kubelet (k8s.io/kubelet/pkg/cri/streaming, ReadLogs): the last lines, of these the late ones, of their
 * text with its times the first bytes.
 */
export async function* logText(
  source: { readonly taskArn: TaskArn; readonly hasEnded: boolean },
  options: LogOptions,
  delivery: LogDelivery,
  deps: LogDeps,
): AsyncGenerator<Uint8Array> {
  const writer = new LogWriter(options);
  let leftBytes = options.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const read of wantedLines(source, options, delivery, deps)) {
    const bytes = read === 'end' ? writer.end() : writer.write(read.lines, read.earlier);
    if (bytes.length > 0) yield bytes.length > leftBytes ? cut(bytes, leftBytes) : bytes;
    leftBytes -= bytes.length;
    if (leftBytes <= 0) return;
  }
}

/** The beginning of a text, without half a character at its end. */
function cut(bytes: Buffer, max: number): Buffer {
  let end = max;
  while (end > max - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end);
}

/** `earlier`: the stamp of the line before them, if they do not follow others. */
type LinesRead = { readonly lines: readonly LogLine[]; readonly earlier?: LogStamp | null };

const LINE_END = Buffer.from('\n');
const NOTHING = Buffer.alloc(0);

/** Turns lines, and pieces of lines, into what is sent of them. */
class LogWriter {
  readonly #options: Pick<LogOptions, 'timestamps' | 'since'>;
  #stamps = new LogStamps();
  #last: LogLine | null = null;
  /** The line of which the last piece was is sent. */
  #isSent = false;

  constructor(options: Pick<LogOptions, 'timestamps' | 'since'>) {
    this.#options = options;
  }

  write(lines: readonly LogLine[], earlier: LogStamp | null = null): Buffer {
    const parts: Uint8Array[] = [];
    if (earlier !== null) this.#stamps = new LogStamps(earlier);
    for (const line of lines) {
      const stamp = this.#stamps.next(line);
      const { since, timestamps } = this.#options;
      if (this.#last === null || !isJoined(this.#last, line)) {
        parts.push(this.#endOfLine());
        this.#isSent = since === null || !isBefore(stamp, since);
        if (this.#isSent && timestamps) parts.push(Buffer.from(`${stampText(stamp)} `));
      }
      if (this.#isSent)
        parts.push(line.bytes ?? Buffer.from(line.continues === undefined ? `${line.text}\n` : line.text));
      this.#last = line;
    }
    return Buffer.concat(parts);
  }

  /** What is missing at the end of the log. */
  end(): Buffer {
    return this.#endOfLine();
  }

  /** A line that might have gone on has no line end yet. */
  #endOfLine(): Buffer {
    return this.#isSent && this.#last?.continues === 'ifSameTime' ? LINE_END : NOTHING;
  }
}

async function* wantedLines(
  { taskArn, hasEnded }: { readonly taskArn: TaskArn; readonly hasEnded: boolean },
  options: LogOptions,
  delivery: LogDelivery,
  deps: LogDeps,
): AsyncGenerator<LinesRead | 'end'> {
  const { isCancelled } = delivery;
  const { logs } = deps;
  const stream = { taskArn, container: options.container };
  const tail = options.tailLines === null ? null : await tailOf(stream, options.tailLines, options, isCancelled, logs);
  const after: string | null = tail?.next ?? null;
  // A log that is not followed ends with the tail, although more may arrive while it is read.
  const counted = new LineCount(options.follow ? null : options.tailLines);
  if (tail !== null) yield { lines: counted.take(tail.lines), earlier: tail.earlier };
  const pages = options.follow
    ? followedPages(stream, after, hasEnded, delivery, deps)
    : allPages(stream, after, delivery, deps);
  if (!counted.isFull)
    for await (const lines of pages) {
      yield { lines: counted.take(lines) };
      if (counted.isFull) break;
    }
  yield 'end';
}

/** What there is by now. */
async function* allPages(
  stream: { readonly taskArn: TaskArn; readonly container: string },
  start: string | null,
  { endsAt, isCancelled }: LogDelivery,
  { logs, clock }: LogDeps,
): AsyncGenerator<readonly LogLine[]> {
  let after = start;
  while (!isCancelled()) {
    const page = await logs.read({ ...stream, after });
    if (page.kind === 'later') {
      // An answer that ends here would look whole: it breaks off instead.
      if (clock.now() >= endsAt) throw new Error('too many calls to read the whole log');
      await clock.sleep(LATER_MS);
      continue;
    }
    if (page.kind !== 'lines' || page.next === after) return;
    after = page.next;
    yield page.lines;
  }
}

/** What there is, and what comes until the task has ended. */
async function* followedPages(
  stream: { readonly taskArn: TaskArn; readonly container: string },
  start: string | null,
  hasEnded: boolean,
  { endsAt, isCancelled, checkEnded }: LogDelivery,
  { lookouts, clock }: LogDeps,
): AsyncGenerator<readonly LogLine[]> {
  const lookout = lookouts.join(stream);
  try {
    let after = start;
    let isOver = hasEnded;
    let isSettled = hasEnded;
    while (!isCancelled()) {
      const page = await lookout.read(after);
      if (page.kind === 'lines' && page.next !== after) {
        after = page.next;
        yield page.lines;
        continue;
      }
      if (clock.now() >= endsAt) return;
      if (page.kind === 'later') {
        await clock.sleep(LATER_MS);
        continue;
      }
      // Everything so far has been read.
      const isComplete = page.kind === 'lines' ? page.isComplete : undefined;
      if (isComplete === true) return;
      if (!isOver) isOver = await lookout.wait(after, checkEnded);
      else if (isSettled || isComplete === false) return;
      else {
        isSettled = true;
        await lookout.settle();
      }
    }
  } finally {
    lookout.leave();
  }
}

/** Lets so many lines pass, each with all its pieces. */
class LineCount {
  #left: number;
  #last: LogLine | null = null;
  isFull: boolean;

  constructor(linesMax: number | null) {
    this.#left = linesMax ?? Number.POSITIVE_INFINITY;
    this.isFull = linesMax === 0;
  }

  take(lines: readonly LogLine[]): readonly LogLine[] {
    for (const [nth, line] of lines.entries()) {
      if (this.#last === null || !isJoined(this.#last, line)) {
        if (this.#left <= 0) {
          this.isFull = true;
          return lines.slice(0, nth);
        }
        this.#left--;
      }
      this.#last = line;
    }
    return lines;
  }
}

type Tail = {
  readonly lines: readonly LogLine[];
  /** Where the rest of it goes on. */
  readonly next: string;
  readonly earlier: LogStamp | null;
};

/**
 * The first lines of the tail, and where the rest of it continues. The search goes from the end, a page at a time, and keeps
 * only the last page: a tail may be as long as the log.
 */
async function tailOf(
  stream: { readonly taskArn: TaskArn; readonly container: string },
  count: number,
  { since, timestamps }: Pick<LogOptions, 'since' | 'timestamps'>,
  isCancelled: () => boolean,
  logs: LogReader,
): Promise<Tail | null> {
  const pageBefore = async (before: string | null): Promise<LogLinesBack | null> => {
    const page = await logs.readBack({ ...stream, before });
    return page.kind === 'none' ? null : page;
  };
  let found: { readonly page: LogLinesBack; readonly from: number } | null = null;
  let missing = count;
  let after: LogLine | null = null;
  for (let before: string | null = null; !isCancelled(); ) {
    const page = await pageBefore(before);
    if (page === null) break;
    let from = page.lines.length;
    let isFull = false;
    for (let nth = from - 1; nth >= 0 && !isFull; nth--) {
      const line = page.lines[nth];
      if (line === undefined) break;
      const isWhole: boolean = after === null || !isJoined(line, after);
      isFull = isWhole && missing === 0;
      if (isFull) break;
      if (isWhole) missing--;
      from = nth;
      after = line;
    }
    if (found === null || from < page.lines.length) found = { page, from };
    const isEarly = since !== null && (page.lines[0]?.atMs ?? since.atMs) < since.atMs;
    if (isFull || isEarly || page.previous === before) break;
    before = page.previous;
  }
  if (found === null) return null;
  const { page, from } = found;
  const isStamped = timestamps || since !== null;
  const earlier = isStamped ? await earlierInMs(page, from, pageBefore) : null;
  return { lines: page.lines.slice(from), next: page.next, earlier };
}
