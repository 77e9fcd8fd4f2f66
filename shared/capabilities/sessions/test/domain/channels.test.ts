import fc from 'fast-check';
import { expect, test } from 'vitest';
import { channelMessage, portMessage, sentMessage, sizeIn } from '../../domain/channels.ts';

const asBytes = (message: Uint8Array | string): Uint8Array =>
  typeof message === 'string' ? new TextEncoder().encode(message) : message;

test('what is sent on a channel is read on it, as bytes and in base64', () => {
  fc.assert(
    fc.property(fc.nat({ max: 9 }), fc.uint8Array({ maxLength: 200 }), fc.boolean(), (channel, bytes, isBase64) => {
      expect(channelMessage(asBytes(sentMessage({ channel, bytes }, isBase64)), isBase64)).toEqual({ channel, bytes });
    }),
  );
});

test('a message without a channel, or with something else than base64, means nothing', () => {
  expect(channelMessage(new Uint8Array(0), false)).toBeNull();
  expect(channelMessage(asBytes('0$$$'), true)).toBeNull();
  expect(channelMessage(asBytes('xYQ=='), true)).toBeNull();
});

test.each([
  ['{"Width":80,"Height":24}', { width: 80, height: 24 }],
  ['{"Width":0,"Height":24}', null],
  ['{"Width":70000,"Height":24}', null],
  ['{"width":80,"height":24}', null],
  ['[80,24]', null],
  ['null', null],
  ['{', null],
])('the size in %s is %o', (text, size) => {
  expect(sizeIn(text)).toEqual(size);
});

test('the number of a port has its low byte first', () => {
  expect([...portMessage(8080)]).toEqual([0x90, 0x1f]);
});
