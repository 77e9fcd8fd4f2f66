import type { TaskArn } from '../domain/brand.ts';

/** Reads what a task's containers printed. */
export type LogReader = {
  /** Lines from `after` (the `next` of an earlier answer) on. `none`: there is no such stream (yet). */
  read(page: LogPage): Promise<LogLines | { readonly kind: 'none' }>;
};

export type LogPage = { readonly taskArn: TaskArn; readonly container: string; readonly after: string | null };

export type LogLines = {
  readonly kind: 'lines';
  readonly lines: readonly LogLine[];
  /** Pass it as `after`; equal to `after` when nothing is new. */
  readonly next: string;
};

export type LogLine = { readonly atMs: number; readonly text: string };
