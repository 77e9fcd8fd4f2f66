import { LiveScreen } from './live-screen.ts';
import { type Looks, looksOf } from './render/looks.ts';
import { type JobProgress, failureText, progressKey, progressLine, renderProgress } from './render/progress.ts';
import type { Output, Shell, Terminal } from './shell.ts';

/** Shows how far a Job is, as it changes. */
export type JobView = {
  show(progress: JobProgress): void;
  /** Shows what has not been shown yet, once, and then no more. */
  close(): void;
};

/** A picture that stays while it changes for a terminal, else lines of text. */
export function openView(output: Output, { env, now }: Pick<Shell, 'env' | 'now'>): JobView {
  const { terminal } = output;
  return terminal === null ? lineView(output, now) : liveView(output, terminal, looksFor(output, env), now);
}

/** Colours unless NO_COLOR (no-color.org) says no; shapes unless the locale is known to have none. */
export function looksFor({ terminal }: Output, env: Shell['env']): Looks {
  const colour = terminal !== null && (env['NO_COLOR'] ?? '') === '';
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  return looksOf(colour, locale === undefined || /utf-?8/i.test(locale));
}

/** More pictures a second are a waste. */
const DRAWN_EVERY_MS = 100;
/** The time goes on when nothing else does. */
const TICK_MS = 250;

function liveView(output: Output, terminal: Terminal, looks: Looks, now: () => number): JobView {
  const screen = new LiveScreen(output, terminal);
  let latest: JobProgress | null = null;
  const draw = (): void => {
    if (latest !== null) screen.draw(renderProgress(latest, terminal.size(), now(), looks));
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
  let printed = '';
  let hasFailed = false;
  const printing = paced(LINE_EVERY_MS, () => {
    if (latest === null || progressKey(latest) === printed) return;
    printed = progressKey(latest);
    output.write(`${progressLine(latest, now())}\n`);
  });
  /** Told once, at the first failure: it may take long until the Job ends of it. */
  const tellFailure = (lines: readonly string[]): void => {
    if (hasFailed || lines.length === 0) return;
    hasFailed = true;
    output.write(lines.map((line) => `${line}\n`).join(''));
  };
  return {
    show(progress) {
      latest = progress;
      // Most news are none in words; they must not start the wait before the next line.
      if (progressKey(progress) !== printed) printing.ask();
      tellFailure(failureText(progress));
    },
    close: () => printing.end(),
  };
}

/** Does a thing at once when it is asked for, but not again before `everyMs` have passed: then, if it was asked for meanwhile. */
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
