/** A line with its line end, or a part of a long one. */
export type LinePart = { readonly bytes: Uint8Array; readonly isStart: boolean };

/** A line is whole up to this length; of a longer one its parts are passed on as they come. */
const WHOLE_BYTES_MAX = 64 * 1024;
const NEWLINE = 0x0a;
const NONE = Buffer.alloc(0);

/** Cuts bytes into lines, as they are; no more than one chunk and the beginning of a line is in memory. */
export async function* lineParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LinePart> {
  let held: Buffer = NONE;
  let isStart = true;
  for await (const chunk of chunks) {
    let rest: Buffer = Buffer.concat([held, chunk]);
    held = NONE;
    for (let newline = rest.indexOf(NEWLINE); newline !== -1; newline = rest.indexOf(NEWLINE)) {
      yield { bytes: rest.subarray(0, newline + 1), isStart };
      isStart = true;
      rest = rest.subarray(newline + 1);
    }
    if (isStart && rest.length < WHOLE_BYTES_MAX) held = rest;
    else if (rest.length > 0) {
      yield { bytes: rest, isStart };
      isStart = false;
    }
  }
  if (held.length > 0) yield { bytes: held, isStart: true };
}

/** Whether these bytes end with a line end. */
export const endsLine = (bytes: Uint8Array): boolean => bytes.at(-1) === NEWLINE;
