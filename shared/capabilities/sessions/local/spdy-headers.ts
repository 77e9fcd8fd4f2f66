import { constants, createInflate } from 'node:zlib';
import { NotSpdy, headersIn } from '../domain/spdy-frames.ts';
import { spdyDictionary } from '../domain/spdy-dictionary.ts';

/** What the headers of one frame may be, once they are inflated. */
const HEADERS_BYTES_MAX = 65_536;

export type HeaderReader = {
  /** The headers of the next frame that has some; all frames must come, in their order. Rejects if they are none. */
  read(block: Uint8Array): Promise<ReadonlyMap<string, string>>;
  close(): void;
};

/** Reads the headers of one connection, which are one stream of zlib. */
export function createHeaderReader(): HeaderReader {
  const inflate = createInflate({ dictionary: spdyDictionary(), flush: constants.Z_SYNC_FLUSH });
  let pieces: Buffer[] = [];
  let bytes = 0;
  inflate.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > HEADERS_BYTES_MAX) inflate.destroy(new NotSpdy('headers are too long'));
    else pieces.push(piece);
  });
  let fail: (error: Error) => void = () => undefined;
  inflate.on('error', (error) => fail(error));
  inflate.on('close', () => fail(new NotSpdy('headers are too long')));
  return {
    async read(block) {
      pieces = [];
      bytes = 0;
      await new Promise<void>((resolve, reject) => {
        fail = reject;
        inflate.write(block, () => setImmediate(resolve));
      });
      return headersIn(Buffer.concat(pieces));
    },
    close: () => void inflate.destroy(),
  };
}
