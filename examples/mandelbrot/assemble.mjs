// Puts the 64 tiles together: reads tiles/<index>.ppm, writes mandelbrot.png, both in MUSTER_WORKSPACE (or, when that is
// not set, in this folder). Ends with 1 and says what is missing if a tile is not there or is not whole.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { PNG } from 'pngjs';

const GRID = 8;
const TILE_PX = 128;
const TILE_HEADER = `P6\n${TILE_PX} ${TILE_PX}\n255\n`;

const workspace = process.env.MUSTER_WORKSPACE ?? import.meta.dirname;
const picture = new PNG({ width: GRID * TILE_PX, height: GRID * TILE_PX, colorType: 2 });
const missing = [];
for (let index = 0; index < GRID * GRID; index++) {
  const rgb = readTile(join(workspace, 'tiles', `${index}.ppm`));
  if (rgb === null) missing.push(index);
  else place(rgb, (index % GRID) * TILE_PX, Math.floor(index / GRID) * TILE_PX);
}
if (missing.length > 0) {
  console.error(
    `${missing.length} of ${GRID * GRID} tiles are missing or damaged in ${join(workspace, 'tiles')}: ${missing.join(', ')}`,
  );
  console.error('Has the Job completed? Nothing was written.');
  process.exit(1);
}
const target = join(workspace, 'mandelbrot.png');
writeFileSync(`${target}.tmp`, PNG.sync.write(picture, { colorType: 2 }));
renameSync(`${target}.tmp`, target);
console.log(
  `${relative(process.cwd(), target)}: ${picture.width} × ${picture.height} pixels from ${GRID * GRID} tiles`,
);

/** The pixels of one tile, or null when the file is absent or is not a whole tile. */
function readTile(path) {
  let bytes;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
  const whole = bytes.length === TILE_HEADER.length + TILE_PX * TILE_PX * 3;
  return whole && bytes.subarray(0, TILE_HEADER.length).toString('latin1') === TILE_HEADER
    ? bytes.subarray(TILE_HEADER.length)
    : null;
}

function place(rgb, left, top) {
  for (let y = 0; y < TILE_PX; y++) {
    for (let x = 0; x < TILE_PX; x++) {
      const from = (y * TILE_PX + x) * 3;
      const to = ((top + y) * picture.width + left + x) * 4;
      rgb.copy(picture.data, to, from, from + 3);
      picture.data[to + 3] = 255;
    }
  }
}
