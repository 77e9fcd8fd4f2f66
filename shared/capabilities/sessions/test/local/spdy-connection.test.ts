import { Duplex } from 'node:stream';
import { constants, deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createFrameReader, dataFrame, pingFrame, resetFrame } from '../../domain/spdy-frames.ts';
import { spdyDictionary } from '../../domain/spdy-dictionary.ts';
import { SpdyConnection, type SpdyStream } from '../../local/spdy-connection.ts';

/** A connection whose other side is the test, which takes what is sent, or nothing. */
function aConnection(onStream: (stream: SpdyStream) => void, takes = true) {
  const sent: Buffer[] = [];
  const line = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      sent.push(Buffer.from(chunk));
      if (takes) done();
    },
  });
  const connection = new SpdyConnection(line, onStream);
  const over = connection.run();
  return {
    connection,
    over,
    line,
    /** What has been sent so far, in words. */
    sent: () =>
      createFrameReader()(Buffer.concat(sent)).map((frame) =>
        frame.kind === 'data'
          ? `${frame.stream}: ${Buffer.from(frame.bytes).toString()}${frame.isLast ? ' (end)' : ''}`
          : frame.kind,
      ),
    send: (...frames: readonly Uint8Array[]): void => {
      for (const frame of frames) line.push(Buffer.from(frame));
    },
  };
}

const numbered = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [nth, value] of values.entries()) bytes.writeUInt32BE(value, 4 * nth);
  return bytes;
};
const worded = (text: string): Buffer => Buffer.concat([numbered(text.length), Buffer.from(text)]);

/** Opens a stream: the first of its connection. */
function openFrame(stream: number, headers: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(headers);
  const plain = Buffer.concat([numbered(pairs.length), ...pairs.flatMap((pair) => pair.map(worded))]);
  const block = deflateSync(plain, { dictionary: spdyDictionary(), finishFlush: constants.Z_SYNC_FLUSH });
  const payload = Buffer.concat([numbered(stream, 0), Buffer.of(0, 0), block]);
  return Buffer.concat([numbered(0x80_03_00_01, payload.length), payload]);
}

/** A stream that the client has opened. */
async function aStream(headers: Readonly<Record<string, string>>) {
  let opened: (stream: SpdyStream) => void = () => undefined;
  const stream = new Promise<SpdyStream>((resolve) => (opened = resolve));
  const connection = aConnection(opened);
  connection.send(openFrame(1, headers));
  return { ...connection, stream: await stream };
}

test('a stream has its headers, and carries both ways; either side ends its half', async () => {
  const { stream, send, sent } = await aStream({ streamType: 'data', port: '80' });
  expect([...stream.headers]).toEqual([
    ['streamtype', 'data'],
    ['port', '80'],
  ]);
  send(dataFrame(1, Buffer.from('question'), true));
  let asked = '';
  stream.on('data', (chunk: Buffer) => (asked += chunk.toString()));
  await new Promise((resolve) => stream.once('end', resolve));
  expect([asked, stream.writable]).toEqual(['question', true]);
  stream.end('answer');
  await expect.poll(sent).toEqual(['headers', '1: answer', '1:  (end)']);
});

test('a client that asks whether the server is there hears that it is', async () => {
  const { send, sent } = aConnection(() => undefined);
  send(pingFrame(2), pingFrame(1));
  await expect.poll(sent).toEqual(['ping']);
});

test('a client that asks without end, and takes no answer, is not read any more', async () => {
  const { line, send } = aConnection(() => undefined, false);
  send(...Array.from({ length: 1_000 }, () => pingFrame(1)));
  await expect.poll(() => line.writableLength).toBeGreaterThan(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(line.writableLength).toBe(pingFrame(1).length);
});

test('a connection is not read while the reader of a stream has enough, and is read again after', async () => {
  const { stream, send } = await aStream({ streamType: 'stdin' });
  const piece = Buffer.alloc(200_000);
  for (let n = 0; n < 10; n++) send(dataFrame(1, piece, false));
  await expect.poll(() => stream.readableLength).toBeGreaterThan(0);
  await new Promise((resolve) => setImmediate(resolve));
  expect(stream.readableLength).toBeLessThan(3 * piece.length);
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await expect.poll(() => bytes).toBe(10 * piece.length);
});

test('a stream that the client gives up is over, and so are all when the connection is', async () => {
  const { stream, send, line, over } = await aStream({ streamType: 'data' });
  send(resetFrame(1));
  await expect.poll(() => stream.destroyed).toBe(true);
  line.destroy();
  await over;
});

test('what is not SPDY ends the connection', async () => {
  const { line, over } = aConnection(() => undefined);
  line.push('\u0080GET / HTTP/1.1\r\n\r\n', 'latin1');
  await over;
  expect(line.destroyed).toBe(true);
});

test('headers that are short on the line, and too long once they are inflated, end the connection', async () => {
  const first = await new Promise((resolve) => {
    const { send, over } = aConnection(() => resolve('a stream'));
    void over.then(() => resolve('the end'));
    send(openFrame(1, { streamType: 'a'.repeat(1_000_000) }));
  });
  expect(first).toBe('the end');
});
