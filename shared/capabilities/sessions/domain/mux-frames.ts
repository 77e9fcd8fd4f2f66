/**
 * How many connections to a port share one session: smux, version 1, which the agent speaks. A frame is version, command, length of
 * the data, and number of the connection, the low byte first, and the data.
 */
export type MuxFrame = { readonly command: number; readonly stream: number; readonly data: Uint8Array };

export const MUX = { open: 0, end: 1, data: 2, nothing: 3 } as const;

const VERSION = 1;
const HEADER_BYTES = 8;
/** More in one frame would keep other connections waiting. */
export const MUX_DATA_BYTES_MAX = 32_768;

export function encodeFrame({ command, stream, data }: MuxFrame): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + data.length);
  const view = new DataView(bytes.buffer);
  bytes[0] = VERSION;
  bytes[1] = command;
  view.setUint16(2, data.length, true);
  view.setUint32(4, stream, true);
  bytes.set(data, HEADER_BYTES);
  return bytes;
}

/** Takes bytes as they come, in pieces of any length, and gives whole frames. */
export class MuxReader {
  #rest = new Uint8Array(0);

  /** null: these are no frames. */
  read(bytes: Uint8Array): readonly MuxFrame[] | null {
    const all = new Uint8Array(this.#rest.length + bytes.length);
    all.set(this.#rest);
    all.set(bytes, this.#rest.length);
    const view = new DataView(all.buffer);
    const frames: MuxFrame[] = [];
    let at = 0;
    while (all.length - at >= HEADER_BYTES) {
      if (all[at] !== VERSION) return null;
      const end = at + HEADER_BYTES + view.getUint16(at + 2, true);
      if (end > all.length) break;
      frames.push({
        command: all[at + 1] ?? 0,
        stream: view.getUint32(at + 4, true),
        data: all.slice(at + HEADER_BYTES, end),
      });
      at = end;
    }
    this.#rest = all.slice(at);
    return frames;
  }
}
