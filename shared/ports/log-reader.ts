import type { TaskArn } from '../domain/brand.ts';

/** Reads what a task's containers printed. */
export type LogReader = {
  /** Lines from `after` (a token of an earlier answer) on. `none`: there is no such stream (yet). */
  read(page: {
    readonly taskArn: TaskArn;
    readonly container: string;
    readonly after: string | null;
  }): Promise<
    | {
        readonly kind: 'lines';
        readonly lines: readonly LogLine[] /** pass as `after`; equal to `after` when nothing is new */;
        readonly next: string;
      }
    | { readonly kind: 'none' }
  >;
};

export type LogLine = { readonly atMs: number; readonly text: string };
