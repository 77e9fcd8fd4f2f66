import pico from 'picocolors';

/** How to paint and which shapes to use: what a terminal can show. */
export type Looks = {
  readonly paint: ReturnType<typeof pico.createColors>;
  readonly glyphs: Glyphs;
};

export type Paint = 'green' | 'cyan' | 'yellow' | 'red' | 'magenta' | 'dim' | 'bold';

/** A shape for each state of an index, all of them one column wide and told apart without colour. */
export type Glyphs = {
  readonly waiting: string;
  readonly starting: string;
  readonly running: string;
  readonly stopping: string;
  readonly retrying: string;
  readonly failed: string;
  readonly succeeded: string;
  /** Cells that stand for several indexes, by the share that has succeeded: little, half, most. */
  readonly shares: readonly [string, string, string];
  readonly barDone: string;
  readonly barRest: string;
};

/** Shapes of WGL4 as far as possible, for nearly every font has them: outlines are at work, what is filled is done. */
const SHAPES: Glyphs = {
  waiting: '·',
  starting: '▫',
  running: '□',
  stopping: '◊',
  retrying: '!',
  failed: '×',
  succeeded: '■',
  shares: ['░', '▒', '▓'],
  barDone: '━',
  barRest: '─',
};

/** The same for terminals that cannot show them. */
const LETTERS: Glyphs = {
  waiting: '.',
  starting: 's',
  running: 'r',
  stopping: 'x',
  retrying: '!',
  failed: 'F',
  succeeded: 'S',
  shares: ['-', '+', '*'],
  barDone: '=',
  barRest: '-',
};

/** What a terminal can show, by what it says of itself. */
export const looksOf = (colour: boolean, shapes: boolean): Looks => ({
  paint: pico.createColors(colour),
  glyphs: shapes ? SHAPES : LETTERS,
});

/** A piece of a line in one colour. */
export type Segment = { readonly text: string; readonly paint?: Paint };

/** One line, cut to `columns`. Every character that we use is one column wide. */
export function paintLine(segments: readonly Segment[], columns: number, { paint }: Looks): string {
  let left = columns;
  let line = '';
  for (const segment of segments) {
    const text = segment.text.slice(0, left);
    left -= text.length;
    line += segment.paint === undefined || text.trim() === '' ? text : paint[segment.paint](text);
  }
  return line;
}

export const widthOf = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { text }) => sum + text.length, 0);
