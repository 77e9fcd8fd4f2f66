import { textWidth } from '../../shared/domain/base/text-width.ts';
import type { Output, Terminal } from '../shell/output.ts';
import { visible } from '../text/visible.ts';

const ESC = '\u001B[';
const HIDE_CURSOR = `${ESC}?25l`;
const SHOW_CURSOR = `${ESC}?25h`;
/** The terminal cuts long lines instead of wrapping them: the number of lines must match our count. */
const NO_WRAP = `${ESC}?7l`;
const WRAP = `${ESC}?7h`;
/** Terminals that support these show each picture as a whole. Others ignore them. */
const BEGIN_UPDATE = `${ESC}?2026h`;
const END_UPDATE = `${ESC}?2026l`;
const CLEAR_LINE_END = `${ESC}K`;
const CLEAR_BELOW = `${ESC}J`;

const STYLES = new RegExp(`${'\u001B'}\\[[\\d;]*m`, 'g');

/** A few lines at the end of a terminal's output that are redrawn in place. */
export class LiveScreen {
  readonly #output: Output;
  readonly #terminal: Terminal;
  #shown: readonly string[] = [];
  #open = false;

  constructor(output: Output, terminal: Terminal) {
    this.#output = output;
    this.#terminal = terminal;
  }

  /** Draws these lines over the previous ones. Writes nothing if they are the same. */
  draw(lines: readonly string[]): void {
    if (this.#open && lines.length === this.#shown.length && lines.every((line, i) => line === this.#shown[i])) return;
    const open = this.#open ? '' : HIDE_CURSOR + NO_WRAP;
    const body = lines.map((line) => `${visible(line)}${CLEAR_LINE_END}\n`).join('');
    this.#output.writeRaw(BEGIN_UPDATE + open + this.#up() + body + CLEAR_BELOW + END_UPDATE);
    this.#open = true;
    this.#shown = lines;
  }

  /** Leaves the last picture in place and restores the terminal. */
  close(): void {
    if (this.#open) this.#output.writeRaw(WRAP + SHOW_CURSOR);
    this.#open = false;
    this.#shown = [];
  }

  /** Moves to the first line of the last picture. A terminal that became narrower has wrapped its lines. */
  #up(): string {
    const { columns } = this.#terminal.size();
    const height = this.#shown.reduce(
      (sum, line) => sum + Math.max(Math.ceil(widthOf(line) / Math.max(columns, 1)), 1),
      0,
    );
    return height === 0 ? '' : `${ESC}${height}F`;
  }
}

const widthOf = (line: string): number => textWidth(line.replaceAll(STYLES, ''));
