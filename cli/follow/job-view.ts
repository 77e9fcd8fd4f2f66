import { pauseBetweenLinesMs } from './line-pace.ts';
import { LiveScreen } from './live-screen.ts';
import { type Theme, themeFor } from '../render/theme.ts';
import {
  type JobProgress,
  failureText,
  progressKey,
  progressLine,
  renderProgress,
  urgentKey,
} from '../render/progress.ts';
import type { Output, Terminal } from '../shell/output.ts';
import type { Shell } from '../shell/shell.ts';

/** Shows a Job's progress as it changes. */
export type JobView = {
  show(progress: JobProgress): void;
  /** Shows what is pending, once, and then stops. */
  close(): void;
};

/** On a terminal, a picture that is redrawn in place; otherwise lines of text. */
export function openView(output: Output, { env, now }: Pick<Shell, 'env' | 'now'>): JobView {
  const { terminal } = output;
  return terminal === null ? lineView(output, now) : liveView(output, terminal, themeFor(output, env), now);
}

/** More pictures per second would be a waste. */
const DRAWN_EVERY_MS = 100;
/** Elapsed time changes even when nothing else does. */
const TICK_MS = 250;

function liveView(output: Output, terminal: Terminal, theme: Theme, now: () => number): JobView {
  const screen = new LiveScreen(output, terminal);
  let latest: JobProgress | null = null;
  const draw = (): void => {
    if (latest !== null) screen.draw(renderProgress(latest, terminal.size(), now(), theme));
  };
  const drawing = paced(DRAWN_EVERY_MS, draw);
  const ticking = setInterval(drawing.ask, TICK_MS);
  const forgetResize = terminal.onResize(drawing.ask);
  return {
    show(progress) {
      latest = progress;
      drawing.ask();
    },
    close() {
      clearInterval(ticking);
      forgetResize();
      drawing.end();
      screen.close();
    },
  };
}

const LINE_EVERY_MS = 1_000;

function lineView(output: Output, now: () => number): JobView {
  let latest: JobProgress | null = null;
  let printed: { readonly key: string; readonly urgent: string; readonly atMs: number } | null = null;
  let firstAtMs: number | null = null;
  let timer: NodeJS.Timeout | null = null;
  let hasFailed = false;
  const print = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (latest === null || progressKey(latest) === printed?.key) return;
    const atMs = now();
    firstAtMs ??= atMs;
    printed = { key: progressKey(latest), urgent: urgentKey(latest), atMs };
    output.write(`${progressLine(latest, atMs)}\n`);
  };
  /** When the next line is due: soon if an index has failed, or the Job has another phase. */
  const printInTime = (progress: JobProgress): void => {
    const lastsMs = printed === null || firstAtMs === null ? 0 : printed.atMs - firstAtMs;
    const isUrgent = urgentKey(progress) !== printed?.urgent;
    const pauseMs = pauseBetweenLinesMs(LINE_EVERY_MS, isUrgent ? 0 : lastsMs);
    const leftMs = printed === null ? 0 : printed.atMs + pauseMs - now();
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (leftMs <= 0) print();
    else timer = setTimeout(print, leftMs);
  };
  /** Reported once, at the first failure: the Job may take long to end because of it. */
  const tellFailure = (lines: readonly string[]): void => {
    if (hasFailed || lines.length === 0) return;
    hasFailed = true;
    output.write(lines.map((line) => `${line}\n`).join(''));
  };
  return {
    show(progress) {
      latest = progress;
      // Most changes do not alter the text. They must not restart the wait before the next line.
      if (progressKey(progress) !== printed?.key) printInTime(progress);
      tellFailure(failureText(progress));
    },
    close: print,
  };
}

/** Runs a function immediately, but at most once per `everyMs`: calls in between are merged into one at the end. */
function paced(everyMs: number, then: () => void): { readonly ask: () => void; readonly end: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let asked = false;
  let open = true;
  const go = (): void => {
    timer = null;
    if (!asked) return;
    asked = false;
    timer = setTimeout(go, everyMs);
    then();
  };
  return {
    ask() {
      if (!open) return;
      asked = true;
      if (timer === null) go();
    },
    end() {
      if (!open) return;
      open = false;
      if (timer !== null) clearTimeout(timer);
      if (asked) then();
    },
  };
}
