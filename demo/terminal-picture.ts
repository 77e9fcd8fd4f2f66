import xterm, { type IBufferCell, type Terminal } from '@xterm/headless';

/** Pixels per character cell, and of the border. */
const CELL = { width: 8.4, height: 18 };
const MARGIN_PX = 16;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const BACKGROUND = '#0d1117';
const FOREGROUND = '#e6edf3';
const DIM = '#7d8590';
/** The sixteen colors of a terminal, in numeric order. */
const PALETTE = (
  '#484f58 #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #b1bac4 ' +
  '#6e7681 #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #ffffff'
).split(' ');

/** `columns`: how many its text takes; some characters are two columns wide. */
type Run = {
  readonly x: number;
  readonly text: string;
  readonly columns: number;
  readonly color: string;
  readonly isBold: boolean;
};

/** A terminal of `columns` × `rows` that keeps what is written to it. */
export function createScreen(columns: number, rows: number) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  return {
    write: async (text: string): Promise<void> => new Promise((done) => terminal.write(text, done)),
    /** Its content as text. */
    text: (): string =>
      linesOf(terminal)
        .map((runs) => runs.map(({ text }) => text).join(''))
        .join('\n'),
    /** Its content as an SVG picture, without empty lines at the end. */
    picture: (): string => svgOf(linesOf(terminal), columns),
  };
}

function linesOf(terminal: Terminal): readonly (readonly Run[])[] {
  const { active } = terminal.buffer;
  const lines: (readonly Run[])[] = [];
  for (let y = 0; y < terminal.rows; y++) {
    const line = active.getLine(active.baseY + y);
    const runs: Run[] = [];
    for (let x = 0; x < terminal.cols; x++) {
      const cell = line?.getCell(x);
      const columns = cell?.getWidth() ?? 1;
      if (columns === 0) continue; // the second half of a wide character
      const text = cell?.getChars() || ' ';
      const last = runs.at(-1);
      const look = {
        color: cell === undefined ? FOREGROUND : colorOf(cell),
        isBold: cell !== undefined && cell.isBold() !== 0,
      };
      if (last !== undefined && last.color === look.color && last.isBold === look.isBold)
        runs[runs.length - 1] = { ...last, text: last.text + text, columns: last.columns + columns };
      else runs.push({ x, text, columns, ...look });
    }
    lines.push(runs);
  }
  const isEmpty = (runs: readonly Run[]): boolean => runs.every(({ text }) => text.trim() === '');
  return lines.slice(0, lines.findLastIndex((runs) => !isEmpty(runs)) + 1);
}

function colorOf(cell: IBufferCell): string {
  if (cell.isFgPalette()) return PALETTE[cell.getFgColor()] ?? FOREGROUND;
  return cell.isDim() ? DIM : FOREGROUND;
}

function svgOf(lines: readonly (readonly Run[])[], columns: number): string {
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN_PX);
  const height = Math.ceil(lines.length * CELL.height + 2 * MARGIN_PX);
  const texts = lines.flatMap((runs, y) => runs.filter(({ text }) => text.trim() !== '').map((run) => textOf(run, y)));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="${FONT}" font-size="14" xml:space="preserve">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Each run has its own position and length, so that columns align in any font. */
function textOf({ x, text, columns, color, isBold }: Run, y: number): string {
  const trimmed = text.trimEnd();
  const left = (MARGIN_PX + x * CELL.width).toFixed(1);
  const base = (MARGIN_PX + (y + 0.75) * CELL.height).toFixed(1);
  const length = ((columns - (text.length - trimmed.length)) * CELL.width).toFixed(1);
  const weight = isBold ? ' font-weight="bold"' : '';
  return `<text x="${left}" y="${base}" textLength="${length}" fill="${color}"${weight}>${escaped(trimmed)}</text>`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
