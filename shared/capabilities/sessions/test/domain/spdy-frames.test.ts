import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Frame,
  NotSpdy,
  createFrameReader,
  dataFrame,
  headersIn,
  pingFrame,
  replyFrame,
  resetFrame,
} from '../../domain/spdy-frames.ts';
import { spdyDictionary } from '../../domain/spdy-dictionary.ts';

/** The frames in bytes that arrive in pieces of these sizes; what a frame of data carries is put together. */
function framesIn(bytes: Uint8Array, cuts: readonly number[]): readonly Frame[] {
  const read = createFrameReader();
  const frames: Frame[] = [];
  let at = 0;
  for (const size of [...cuts, bytes.length]) {
    for (const frame of read(bytes.subarray(at, at + size))) {
      const before = frames.at(-1);
      if (frame.kind === 'data' && before?.kind === 'data' && before.stream === frame.stream && !before.isLast)
        frames[frames.length - 1] = { ...frame, bytes: Buffer.concat([before.bytes, frame.bytes]) };
      else frames.push(frame);
    }
    at += size;
  }
  return frames.map((frame) => (frame.kind === 'data' ? { ...frame, bytes: Buffer.from(frame.bytes) } : frame));
}

test('frames are read as they were written, wherever they are cut', () => {
  const content = fc.uint8Array({ minLength: 1, maxLength: 50 });
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 30 });
  fc.assert(
    fc.property(content, fc.integer({ min: 1, max: 999 }), cuts, (bytes, id, sizes) => {
      const all = Buffer.concat([
        dataFrame(7, bytes, true),
        pingFrame(id),
        resetFrame(9),
        dataFrame(11, new Uint8Array(0), true),
      ]);
      expect(framesIn(all, sizes)).toEqual([
        { kind: 'data', stream: 7, bytes: Buffer.from(bytes), isLast: true },
        { kind: 'ping', id },
        { kind: 'reset', stream: 9 },
        { kind: 'data', stream: 11, bytes: Buffer.alloc(0), isLast: true },
      ]);
    }),
  );
});

test('what is no frame of SPDY/3.1, or too long to be kept, is an error', () => {
  const read = (...bytes: readonly number[]) => createFrameReader()(Uint8Array.from(bytes));
  expect(() => read(0x80, 2, 0, 1, 0, 0, 0, 10)).toThrow(NotSpdy);
  expect(() => read(0x80, 3, 0, 1, 0, 2, 0, 0)).toThrow('a frame has 131072 bytes');
  expect(() => read(0x80, 3, 0, 1, 0, 0, 0, 4, 0, 0, 0, 1)).toThrow('too short');
  expect(() => read(0x80, 3, 0, 6, 0, 0, 0, 0)).toThrow('too short');
});

test('frames that mean nothing here are passed over', () => {
  const settings = Uint8Array.of(0x80, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0);
  expect(framesIn(Buffer.concat([settings, pingFrame(3)]), [])).toEqual([{ kind: 'ignored' }, { kind: 'ping', id: 3 }]);
});

test('replies have no headers, in one stream of zlib', () => {
  const blocks = [replyFrame(1, true), replyFrame(3, false)].map((frame) => frame.subarray(12));
  const inflated = inflateSync(Buffer.concat(blocks), { finishFlush: 2, dictionary: Buffer.from(spdyDictionary()) });
  expect([...inflated]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

test('headers that are cut off are an error', () => {
  const word = (text: string): number[] => [0, 0, 0, text.length, ...Buffer.from(text)];
  const block = Uint8Array.from([0, 0, 0, 1, ...word('streamType'), ...word('stdin')]);
  expect([...headersIn(block)]).toEqual([['streamtype', 'stdin']]);
  for (let length = 0; length < block.length; length++)
    expect(() => headersIn(block.subarray(0, length))).toThrow(NotSpdy);
  expect(() => headersIn(Uint8Array.from([0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff]))).toThrow(NotSpdy);
});

test('the dictionary is that of the draft', () => {
  const dictionary = spdyDictionary();
  expect(dictionary.length).toBe(1_423);
  expect(createHash('sha256').update(dictionary).digest('hex')).toBe(
    '51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02',
  );
});
