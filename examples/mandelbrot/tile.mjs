// One tile of a picture of the Mandelbrot set. The completion index says which.
//
//   JOB_COMPLETION_INDEX   0..63: tiles are numbered row by row, eight a row, from the upper left
//   MUSTER_WORKSPACE       the folder that all tasks share; the tile goes to tiles/<index>.ppm there
//
// A tile depends on its index alone and appears under its name only when it is whole, so a second attempt at an
// index, even one beside the first, changes nothing. No packages: any image with node in it runs this file.

import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const GRID = 8; // tiles a side
const TILE_PX = 128;
const SAMPLES = 5; // a side: each pixel is the mean of 5 × 5 points, or the fine threads would flicker

// Seahorse Valley, between the two largest discs: the arm of a spiral that never closes.
const VIEW = { re: -0.761232, im: -0.084787, width: 0.00092 };
const ITERATIONS_MAX = 3000; // a point still near the origin by then is taken to be in the set
const ESCAPE_SQUARED = 1e6; // far beyond the necessary 4: it is what makes the colours free of steps

// The colours in their order, round and round: [red, green, blue] as in a style sheet.
const PALETTE = [
  [4, 7, 36],
  [14, 54, 130],
  [66, 148, 214],
  [238, 246, 240],
  [255, 190, 60],
  [176, 66, 20],
  [48, 8, 28],
].map((colour) => colour.map((byte) => (byte / 255) ** 2.2));
const TURNS_PER_DEPTH = 1.2;
const FIRST_TURN = 0.45;

main();

function main() {
  const given = process.env.JOB_COMPLETION_INDEX ?? '';
  const index = Number(given);
  if (!/^\d+$/.test(given) || index >= GRID * GRID) {
    console.error(`JOB_COMPLETION_INDEX must be 0..${GRID * GRID - 1}, not '${given}'`);
    process.exit(1);
  }
  const startedMs = performance.now();
  const column = index % GRID;
  const row = Math.floor(index / GRID);
  const { rgb, iterations } = drawTile(column, row);

  const folder = join(process.env.MUSTER_WORKSPACE ?? import.meta.dirname, 'tiles');
  mkdirSync(folder, { recursive: true });
  writeWhole(join(folder, `${index}.ppm`), Buffer.concat([Buffer.from(`P6\n${TILE_PX} ${TILE_PX}\n255\n`), rgb]));
  const tookMs = Math.round(performance.now() - startedMs);
  console.log(
    `tile ${index}: column ${column}, row ${row}, ${(iterations / 1e6).toFixed(1)} million iterations in ${tookMs} ms`,
  );
}

/** Draws one tile: its pixels as rows of red, green, blue, and how many iterations that took. */
function drawTile(column, row) {
  const rgb = Buffer.alloc(TILE_PX * TILE_PX * 3);
  const step = VIEW.width / (GRID * TILE_PX * SAMPLES);
  const left = VIEW.re - VIEW.width / 2 + (column * TILE_PX * SAMPLES + 0.5) * step;
  const top = VIEW.im + VIEW.width / 2 - (row * TILE_PX * SAMPLES + 0.5) * step;
  const light = new Float64Array(3); // of one pixel, linear, summed over its samples
  let iterations = 0;
  let at = 0;
  for (let y = 0; y < TILE_PX; y++) {
    for (let x = 0; x < TILE_PX; x++) {
      light.fill(0);
      for (let s = 0; s < SAMPLES * SAMPLES; s++) {
        const re = left + (x * SAMPLES + (s % SAMPLES)) * step;
        const im = top - (y * SAMPLES + Math.floor(s / SAMPLES)) * step;
        iterations += addSample(re, im, light);
      }
      for (const sum of light) rgb[at++] = toSrgbByte(sum / (SAMPLES * SAMPLES));
    }
  }
  return { rgb, iterations };
}

/**
 * Iterates z² + c from c = (re, im) and adds the colour of that point to `light`; points of the set add nothing (black).
 * Returns the number of iterations.
 */
function addSample(re, im, light) {
  let x = 0;
  let y = 0;
  let dx = 0; // the derivative of z by c: its direction is the slope of the surface that is lit below
  let dy = 0;
  let n = 0;
  while (n < ITERATIONS_MAX && x * x + y * y < ESCAPE_SQUARED) {
    const nextDx = 2 * (x * dx - y * dy) + 1;
    dy = 2 * (x * dy + y * dx);
    dx = nextDx;
    const nextX = x * x - y * y + re;
    y = 2 * x * y + im;
    x = nextX;
    n++;
  }
  if (n === ITERATIONS_MAX) return n;

  // How fast it escaped, without steps; the logarithm spreads the colours evenly over all depths.
  const depth = Math.log(n + 1 - Math.log2(Math.log(x * x + y * y) / 2));
  // The picture as a relief, lit from the upper right: z / z' points downhill.
  const slopeX = x * dx + y * dy;
  const slopeY = y * dx - x * dy;
  const shade = (0.7071 * (slopeX + slopeY)) / Math.hypot(slopeX, slopeY);
  paint(depth, 0.68 + 0.32 * shade, light);
  return n;
}

/** Adds the palette's colour at `depth`, times `brightness`, to `light`. */
function paint(depth, brightness, light) {
  const at = (depth * TURNS_PER_DEPTH + FIRST_TURN) * PALETTE.length;
  const before = Math.floor(at);
  const t = at - before;
  const blend = t * t * (3 - 2 * t);
  const from = PALETTE[before % PALETTE.length];
  const to = PALETTE[(before + 1) % PALETTE.length];
  for (let c = 0; c < 3; c++) light[c] += (from[c] + (to[c] - from[c]) * blend) * brightness;
}

function toSrgbByte(linear) {
  return Math.round(255 * Math.min(1, Math.max(0, linear)) ** (1 / 2.2));
}

/**
 * Writes a file so that nobody ever sees half of it. The draft's name is random, for a process id is not enough: every
 * container has a process 1.
 */
function writeWhole(path, bytes) {
  const draft = `${path}.${randomUUID()}.tmp`;
  writeFileSync(draft, bytes);
  renameSync(draft, path);
}
