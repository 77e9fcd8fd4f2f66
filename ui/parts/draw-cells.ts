import { lookOf } from '../model/cell-looks.ts';
import type { Cells } from '../model/cells.ts';
import { type GridLayout, rowsWithin } from '../model/grid-layout.ts';

/** Below this, cells are written as pixels; from here on as shapes with a letter. */
const LETTERS_FROM_PX = 15;
const GAP_FROM_PX = 4;

/** The colours of some states, as the style sheet has them now. */
export type Palette = {
  readonly css: readonly string[];
  readonly pixels: Uint32Array;
  readonly ink: readonly string[];
};

/** Reads the colours of states; those that are not looked for are faint. */
export function paletteOf(states: readonly string[], wanted: ReadonlySet<string> | null, at: Element): Palette {
  const style = getComputedStyle(at);
  const read = (name: string): string => style.getPropertyValue(name).trim();
  const css = states.map((state) =>
    wanted === null || wanted.has(state) ? read(`--cell-${lookOf(state).colour}`) : read('--cell-faint'),
  );
  const ink = states.map((state) =>
    wanted === null || wanted.has(state)
      ? read(`--ink-${lookOf(state).colour}`) || read('--ink-cell')
      : read('--muted'),
  );
  return { css, ink, pixels: Uint32Array.from(css, pixelOf) };
}

/** `#rrggbb` as a pixel of an image (little-endian RGBA). */
function pixelOf(css: string): number {
  const value = Number.parseInt(css.slice(1, 7), 16);
  const [red, green, blue] = [(value >> 16) & 255, (value >> 8) & 255, value & 255];
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

export type View = {
  readonly layout: GridLayout;
  readonly topPx: number;
  readonly widthPx: number;
  readonly heightPx: number;
  /** Pixels of the screen for one of the style sheet. */
  readonly scale: number;
};

/** Draws the cells that are seen. */
export function drawCells(canvas: HTMLCanvasElement, cells: Cells, palette: Palette, view: View): void {
  const { layout, scale } = view;
  const [width, height] = [Math.round(view.widthPx * scale), Math.round(view.heightPx * scale)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null || width === 0 || height === 0) return;
  const begun = performance.now();
  if (layout.cellPx < LETTERS_FROM_PX) drawPixels(context, cells, palette, view);
  else drawShapes(context, cells, palette, view);
  // The browser's own tools show it; an observer hears of it, and nothing is kept.
  performance.measure('draw cells', { start: begun });
  performance.clearMeasures('draw cells');
}

function drawPixels(context: CanvasRenderingContext2D, { of }: Cells, { pixels }: Palette, view: View): void {
  const { layout, topPx, scale } = view;
  const { width, height } = context.canvas;
  const image = context.createImageData(width, height);
  const out = new Uint32Array(image.data.buffer);
  const { columns, cellPx, count } = layout;
  const gap = cellPx >= GAP_FROM_PX ? Math.max(Math.round(scale), 1) : 0;
  const [from, to] = rowsWithin(layout, topPx, view.heightPx);
  for (let row = from; row < to; row++) {
    const top = Math.round((row * cellPx - topPx) * scale);
    const bottom = Math.min(Math.round(((row + 1) * cellPx - topPx) * scale) - gap, height);
    const first = Math.max(top, 0);
    if (first >= bottom) continue;
    const line = first * width;
    const end = Math.min(columns, count - row * columns);
    for (let column = 0; column < end; column++) {
      const pixel = pixels[of[row * columns + column] ?? 0] ?? 0;
      const right = Math.min(Math.round((column + 1) * cellPx * scale) - gap, width);
      for (let x = Math.round(column * cellPx * scale); x < right; x++) out[line + x] = pixel;
    }
    for (let y = first + 1; y < bottom; y++) out.copyWithin(y * width, line, line + width);
  }
  context.putImageData(image, 0, 0);
}

function drawShapes(context: CanvasRenderingContext2D, { of, states }: Cells, palette: Palette, view: View): void {
  const { layout, topPx, scale } = view;
  const { columns, cellPx, count } = layout;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, view.widthPx, view.heightPx);
  context.font = `${Math.round(cellPx * 0.62)}px system-ui, sans-serif`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const [from, to] = rowsWithin(layout, topPx, view.heightPx);
  for (let row = from; row < to; row++)
    for (let column = 0; column < Math.min(columns, count - row * columns); column++) {
      const state = of[row * columns + column] ?? 0;
      const [x, y] = [column * cellPx, row * cellPx - topPx];
      context.fillStyle = palette.css[state] ?? '';
      context.beginPath();
      context.roundRect(x, y, cellPx - 2, cellPx - 2, 2);
      context.fill();
      const { letter } = lookOf(states[state] ?? '');
      if (letter === '') continue;
      context.fillStyle = palette.ink[state] ?? '';
      context.fillText(letter, x + cellPx / 2 - 1, y + cellPx / 2 - 0.5);
    }
}
