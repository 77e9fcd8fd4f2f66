import type { TaskArn } from '../domain/base/ids.ts';

/** Reads the output of a task's containers, page by page in either direction; a page may be empty without being the last. */
export type LogReader = {
  /** How often a log that is followed may be polled; omitted: as often as CloudWatch Logs allows. */
  readonly polls?: { readonly firstMs: number; readonly mostMs: number };
  /**
   * Lines starting at `after` (the `next` of an earlier answer). `none`: the stream does not exist (yet); `later`: too many
   * calls.
   */
  read(page: LogPage): Promise<LogLines | NoLog | { readonly kind: 'later' }>;
  /** The newest lines before `before` (the `previous` of an earlier answer), or of all lines if that is null. */
  readBack(page: LogPageBack): Promise<LogLinesBack | NoLog>;
};

type Stream = { readonly taskArn: TaskArn; readonly container: string };
export type LogPage = Stream & { readonly after: string | null };
export type LogPageBack = Stream & {
  readonly before: string | null;
  /** The most lines to return; omitted: as many as a page holds. */
  readonly linesMax?: number;
};

type NoLog = { readonly kind: 'none' };

export type LogLines = {
  readonly kind: 'lines';
  /** Oldest first. */
  readonly lines: readonly LogLine[];
  /** Pass it as `after`; equal to `after` when nothing is new. */
  readonly next: string;
  /** Nothing is added to the log any more; omitted: nobody knows. */
  readonly isComplete?: boolean;
};

export type LogLinesBack = LogLines & {
  /** Pass it as `before`; equal to `before` when there is nothing before. */
  readonly previous: string;
};

/** A line, or a piece of a long one. */
export type LogLine = {
  readonly atMs: number;
  /** Nanoseconds after `atMs`, below 1,000,000; omitted: nothing finer than milliseconds is known. */
  readonly nanos?: number;
  /** Without its line end; what is not UTF-8 is replaced. */
  readonly text: string;
  /** As it was printed, with its line end if it has one; omitted: the text, and a line end. */
  readonly bytes?: Uint8Array;
  /** The line goes on in the next one: surely, or if that has the same time. Omitted: it does not. */
  readonly continues?: 'surely' | 'ifSameTime';
};
