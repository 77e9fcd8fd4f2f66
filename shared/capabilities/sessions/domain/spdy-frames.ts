/**
 * Frames of SPDY/3.1 (draft-mbelshe-httpbis-spdy-00, 2), as far as clients of Kubernetes use them: no flow control, no priorities.
 */
export type Frame =
  /** A part of a frame of data, as it arrives; `isLast`: the stream has no more. */
  | { readonly kind: 'data'; readonly stream: number; readonly bytes: Uint8Array; readonly isLast: boolean }
  | { readonly kind: 'open'; readonly stream: number; readonly headers: Uint8Array; readonly isLast: boolean }
  | { readonly kind: 'reset'; readonly stream: number }
  | { readonly kind: 'ping'; readonly id: number }
  /** More headers of a stream. They mean nothing here, but headers are only whole with them. */
  | { readonly kind: 'headers'; readonly headers: Uint8Array }
  | { readonly kind: 'goAway' }
  | { readonly kind: 'ignored' };

const TYPES = { open: 1, reply: 2, reset: 3, ping: 6, goAway: 7, headers: 8 } as const;
const FLAG_LAST = 1;
const HEADER_BYTES = 8;
const VERSION = 3;
/** Headers of streams are a few names; a frame of data may be as long as it likes. */
const CONTROL_BYTES_MAX = 65_536;

/** What arrives is not SPDY/3.1. */
export class NotSpdy extends Error {}

/** Takes a connection apart. Holds no more than one frame of control. Throws {@link NotSpdy}. */
export function createFrameReader(): (chunk: Uint8Array) => readonly Frame[] {
  let held: Uint8Array = new Uint8Array(0);
  let data: { readonly stream: number; readonly isLast: boolean; left: number } | null = null;
  return (chunk) => {
    const frames: Frame[] = [];
    let rest = held.length === 0 ? chunk : joined(held, chunk);
    held = rest.subarray(0, 0);
    while (rest.length > 0) {
      if (data !== null) {
        const bytes = rest.subarray(0, data.left);
        rest = rest.subarray(bytes.length);
        data.left -= bytes.length;
        frames.push({ kind: 'data', stream: data.stream, bytes, isLast: data.left === 0 && data.isLast });
        if (data.left === 0) data = null;
        continue;
      }
      if (rest.length < HEADER_BYTES) break;
      const head = new DataView(rest.buffer, rest.byteOffset, HEADER_BYTES);
      const [first, length] = [head.getUint32(0), head.getUint32(4) & 0xff_ff_ff];
      const isLast = (head.getUint8(4) & FLAG_LAST) !== 0;
      if (first >>> 31 === 0) {
        rest = rest.subarray(HEADER_BYTES);
        if (length > 0) data = { stream: first, isLast, left: length };
        else frames.push({ kind: 'data', stream: first, bytes: rest.subarray(0, 0), isLast });
        continue;
      }
      if (((first >>> 16) & 0x7f_ff) !== VERSION) throw new NotSpdy('a frame is not of SPDY/3.1');
      if (length > CONTROL_BYTES_MAX) throw new NotSpdy(`a frame has ${length} bytes`);
      if (rest.length < HEADER_BYTES + length) break;
      frames.push(controlFrame(first & 0xff_ff, rest.slice(HEADER_BYTES, HEADER_BYTES + length), isLast));
      rest = rest.subarray(HEADER_BYTES + length);
    }
    held = rest.slice();
    return frames;
  };
}

function controlFrame(type: number, payload: Uint8Array, isLast: boolean): Frame {
  if (payload.length < 4) {
    if (type === TYPES.open || type === TYPES.reset || type === TYPES.ping) throw new NotSpdy('a frame is too short');
    return { kind: 'ignored' };
  }
  const number = new DataView(payload.buffer, payload.byteOffset).getUint32(0);
  const stream = number & 0x7f_ff_ff_ff;
  switch (type) {
    case TYPES.open:
      if (payload.length < 10) throw new NotSpdy('a frame is too short');
      return { kind: 'open', stream, headers: payload.subarray(10), isLast };
    case TYPES.reset:
      return { kind: 'reset', stream };
    case TYPES.ping:
      return { kind: 'ping', id: number };
    case TYPES.headers:
    case TYPES.reply:
      return { kind: 'headers', headers: payload.subarray(4) };
    case TYPES.goAway:
      return { kind: 'goAway' };
    default:
      return { kind: 'ignored' };
  }
}

/** A frame of data. */
export function dataFrame(stream: number, bytes: Uint8Array, isLast: boolean): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + bytes.length);
  const head = new DataView(frame.buffer);
  head.setUint32(0, stream);
  head.setUint32(4, bytes.length);
  if (isLast) head.setUint8(4, FLAG_LAST);
  frame.set(bytes, HEADER_BYTES);
  return frame;
}

/** Accepts a stream, without headers. */
export function replyFrame(stream: number, isFirst: boolean): Uint8Array {
  return control(TYPES.reply, joined(numbers(stream), noHeaders(isFirst)));
}

/** Ends a stream in both directions, because nobody wants it any more. */
export const resetFrame = (stream: number): Uint8Array => control(TYPES.reset, numbers(stream, CANCEL));

export const pingFrame = (id: number): Uint8Array => control(TYPES.ping, numbers(id));

const CANCEL = 5;

function control(type: number, payload: Uint8Array): Uint8Array {
  return joined(numbers(((0x80_00 | VERSION) << 16) | type, payload.length), payload);
}

/**
 * A block of no headers. Headers are one stream of zlib over all blocks, with a dictionary that need not be used. Blocks in such a
 * stream may be stored as they are (RFC 1951, 3.2.4), and an empty one says that what came before is complete.
 */
function noHeaders(isFirst: boolean): Uint8Array {
  const beginning = isFirst ? Uint8Array.of(0x78, 0x01) : new Uint8Array(0);
  return joined(beginning, Uint8Array.of(0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff));
}

function numbers(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  const view = new DataView(bytes.buffer);
  for (const [nth, value] of values.entries()) view.setUint32(4 * nth, value);
  return bytes;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** The headers in a block, once it is inflated; the last of a name counts. Throws {@link NotSpdy}. */
export function headersIn(block: Uint8Array): ReadonlyMap<string, string> {
  const view = new DataView(block.buffer, block.byteOffset, block.length);
  const text = new TextDecoder();
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new NotSpdy('headers are cut off');
    at += 4;
    return view.getUint32(at - 4);
  };
  const word = (): string => {
    const length = number();
    if (length > block.length - at) throw new NotSpdy('headers are cut off');
    at += length;
    return text.decode(block.subarray(at - length, at));
  };
  const headers = new Map<string, string>();
  for (let left = number(); left > 0; left--) {
    const name = word().toLowerCase();
    headers.set(name, word());
  }
  return headers;
}
