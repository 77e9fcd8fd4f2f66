import pico from 'picocolors';
import type { Output } from '../shell/output.ts';
import type { Shell } from '../shell/shell.ts';
import { sliceToWidth, textWidth } from '../../shared/domain/base/text-width.ts';

/** How to paint and which shapes to use, depending on the terminal. */
export type Theme = {
  readonly paint: ReturnType<typeof pico.createColors>;
  readonly glyphs: Glyphs;
};

export type Paint = 'green' | 'cyan' | 'yellow' | 'red' | 'magenta' | 'dim' | 'bold';

/** A shape for each state of an index: one column wide, distinct without color. */
export type Glyphs = {
  readonly waiting: string;
  readonly starting: string;
  readonly running: string;
  readonly stopping: string;
  readonly retrying: string;
  readonly failed: string;
  readonly succeeded: string;
  readonly inherited: string;
  readonly excluded: string;
  readonly held: string;
  readonly cancelled: string;
  /** Cells for several indexes, by the share that has succeeded: little, half, most. */
  readonly shares: readonly [string, string, string];
  readonly barDone: string;
  readonly barRest: string;
  /** In front of a line of a tree: one of several below another, the last one, what goes on beside them, the only one. */
  readonly tree: { readonly branch: string; readonly last: string; readonly beside: string; readonly only: string };
};

/** Shapes from WGL4 where possible, because nearly every font has them: outlines are in progress, filled shapes are done. */
const SHAPES: Glyphs = {
  waiting: '·',
  starting: '▫',
  running: '□',
  stopping: '◊',
  retrying: '!',
  failed: '×',
  succeeded: '■',
  inherited: '▪',
  excluded: '–',
  held: '○',
  cancelled: 'ø',
  shares: ['░', '▒', '▓'],
  barDone: '━',
  barRest: '─',
  tree: { branch: '├─ ', last: '└─ ', beside: '│  ', only: '↓ ' },
};

/** The same for terminals without these shapes. */
const LETTERS: Glyphs = {
  waiting: '.',
  starting: 's',
  running: 'r',
  stopping: 'x',
  retrying: '!',
  failed: 'F',
  succeeded: 'S',
  inherited: 'I',
  excluded: '_',
  held: 'H',
  cancelled: 'C',
  shares: ['-', '+', '*'],
  barDone: '=',
  barRest: '-',
  tree: { branch: '|- ', last: '`- ', beside: '|  ', only: 'v ' },
};

/** What a terminal supports, according to its environment. */
export const themeOf = (colour: boolean, shapes: boolean): Theme => ({
  paint: pico.createColors(colour),
  glyphs: shapes ? SHAPES : LETTERS,
});

/** A piece of a line in one color. */
export type Segment = { readonly text: string; readonly paint?: Paint };

/** One line, cut to `columns`. */
export function paintLine(segments: readonly Segment[], columns: number, { paint }: Theme): string {
  let left = columns;
  let line = '';
  for (const segment of segments) {
    const text = sliceToWidth(segment.text, left);
    left -= textWidth(text);
    line += segment.paint === undefined || text.trim() === '' ? text : paint[segment.paint](text);
  }
  return line;
}

export const widthOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { text }) => sum + textWidth(text), 0);

/** Uses colors unless NO_COLOR (no-color.org) is set, and shapes unless the locale is known not to have them. */
export function themeFor({ terminal }: Output, env: Shell['env']): Theme {
  const colour = terminal !== null && (env['NO_COLOR'] ?? '') === '';
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => value !== undefined && value !== '');
  return themeOf(colour, locale === undefined || /utf-?8/i.test(locale));
}
