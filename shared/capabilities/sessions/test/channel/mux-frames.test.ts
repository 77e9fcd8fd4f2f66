import { expect, test } from 'vitest';
import { MUX, MuxReader, encodeFrame } from '../../domain/mux-frames.ts';

test('a frame is laid out as smux has it, the low byte first', () => {
  expect(Buffer.from(encodeFrame({ command: MUX.data, stream: 259, data: Buffer.from('hi') })).toString('hex')).toBe(
    '0102020003010000' + Buffer.from('hi').toString('hex'),
  );
});

test('frames are found however they are cut', () => {
  const frames = [
    { command: MUX.open, stream: 3, data: new Uint8Array(0) },
    { command: MUX.data, stream: 3, data: new Uint8Array(300).fill(7) },
    { command: MUX.nothing, stream: 0, data: new Uint8Array(0) },
    { command: MUX.end, stream: 3, data: new Uint8Array(0) },
  ];
  const all = Buffer.concat(frames.map(encodeFrame));
  for (const size of [1, 7, 8, 9, 100, all.length]) {
    const reader = new MuxReader();
    const found = [];
    for (let at = 0; at < all.length; at += size) found.push(...(reader.read(all.subarray(at, at + size)) ?? []));
    expect(found).toEqual(frames);
  }
});

test('what has another version is no frame', () => {
  expect(new MuxReader().read(Buffer.from('HTTP/1.1'))).toBeNull();
});
