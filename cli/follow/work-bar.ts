import { pauseBetweenLinesMs } from './line-pace.ts';
import { LiveScreen } from './live-screen.ts';
import { paintLine, themeFor } from '../render/theme.ts';
import type { Shell } from '../shell/shell.ts';

/** How far a long piece of work has come. */
export type WorkProgress = {
  readonly done: number;
  /** null: unknown */
  readonly total: number | null;
  /** What is counted, and what else there is to say. */
  readonly text: string;
};

const BAR_MAX = 40;
/** More pictures per second would be a waste. */
const DRAWN_EVERY_MS = 100;

/**
 * A bar on standard error while a command works: standard output stays for its result. Without a terminal it is a line now and
 * then, or nothing.
 */
export class WorkBar {
  readonly #shell: Shell;
  readonly #lineEveryMs: number | null;
  readonly #screen: LiveScreen | null;
  #shownMs = Number.NEGATIVE_INFINITY;
  readonly #startedMs: number;

  /**
   * @param lineEveryMs the shortest pause between two lines where there is no terminal; null: none are written. The longer the
   *   work lasts, the longer are the pauses
   */
  constructor(shell: Shell, lineEveryMs: number | null) {
    this.#shell = shell;
    this.#lineEveryMs = lineEveryMs;
    this.#startedMs = shell.now();
    const { terminal } = shell.err;
    this.#screen = terminal === null ? null : new LiveScreen(shell.err, terminal);
    if (terminal === null && lineEveryMs !== null) this.#shownMs = shell.now();
  }

  show(progress: WorkProgress): void {
    const now = this.#shell.now();
    const everyMs = this.#screen === null ? this.#lineEveryMs : DRAWN_EVERY_MS;
    if (everyMs === null) return;
    const pauseMs = this.#screen === null ? pauseBetweenLinesMs(everyMs, this.#shownMs - this.#startedMs) : everyMs;
    if (now - this.#shownMs < pauseMs) return;
    this.#shownMs = now;
    if (this.#screen === null) this.#shell.err.write(`${lineOf(progress)}\n`);
    else this.#screen.draw([this.#barOf(progress)]);
  }

  /** Removes the bar, so that what follows begins at its place. */
  close(): void {
    if (this.#screen !== null && this.#shownMs > Number.NEGATIVE_INFINITY) this.#screen.draw([]);
    this.#screen?.close();
    this.#shownMs = Number.NEGATIVE_INFINITY;
  }

  #barOf({ done, total, text }: WorkProgress): string {
    const { err, env } = this.#shell;
    const theme = themeFor(err, env);
    const columns = Math.max((err.terminal?.size().columns ?? 80) - 1, 1);
    const figures = ` ${lineOf({ done, total, text })}`;
    const width = total === null ? 0 : Math.max(Math.min(BAR_MAX, columns - figures.length), 0);
    const filled = total === null || total === 0 ? 0 : Math.floor(width * Math.min(done / total, 1));
    return paintLine(
      [
        { text: theme.glyphs.barDone.repeat(filled), paint: 'green' },
        { text: theme.glyphs.barRest.repeat(width - filled), paint: 'dim' },
        { text: figures },
      ],
      columns,
      theme,
    );
  }
}

const lineOf = ({ done, total, text }: WorkProgress): string =>
  `${total === null ? done : `${done}/${Math.max(total, done)}`} ${text}`;
