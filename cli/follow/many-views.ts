import { themeFor } from '../render/theme.ts';
import { type JobView, openView } from './job-view.ts';
import { LiveScreen } from './live-screen.ts';
import { renderJobs } from '../render/job-lines.ts';
import type { JobProgress } from '../render/progress.ts';
import type { Output } from '../shell/output.ts';
import type { Shell } from '../shell/shell.ts';

/** Elapsed time changes even when nothing else does. */
const DRAWN_EVERY_MS = 250;

export type ManyViews = {
  /** One per Job, in display order. */
  readonly views: readonly JobView[];
  close(): void;
};

/**
 * Shows the progress of several Jobs, one line each: redrawn in place on a terminal, each Job below those that it waits for;
 * otherwise appended.
 */
export function openViews(count: number, output: Output, shell: Pick<Shell, 'env' | 'now'>): ManyViews {
  const { terminal } = output;
  if (terminal === null)
    return { views: Array.from({ length: count }, () => openView(output, shell)), close: () => undefined };
  const screen = new LiveScreen(output, terminal);
  const theme = themeFor(output, shell.env);
  const latest: (JobProgress | null)[] = Array.from({ length: count }, () => null);
  const draw = (): void => {
    const jobs = latest.filter((progress) => progress !== null);
    screen.draw(renderJobs(jobs, terminal.size(), shell.now(), theme));
  };
  const ticking = setInterval(draw, DRAWN_EVERY_MS);
  const views = latest.map((_, i) => ({
    show: (progress: JobProgress) => void (latest[i] = progress),
    close: () => undefined,
  }));
  return {
    views,
    close() {
      clearInterval(ticking);
      draw();
      screen.close();
    },
  };
}
