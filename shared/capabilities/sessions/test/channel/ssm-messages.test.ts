import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { read, write } from '../../../../../test/fakes/ssm-agent.ts';
import { decodeMessage, encodeMessage, flagIn, flagPayload } from '../../domain/ssm-messages.ts';

const digest = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();
const ID = '00112233-4455-6677-8899-aabbccddeeff';
const MESSAGE = {
  messageType: 'input_stream_data',
  createdMs: 1_764_000_000_000,
  sequence: 7,
  flags: 1,
  messageId: ID,
  payloadType: 1,
  payload: new TextEncoder().encode('ls\r'),
};

describe('a message of a data channel', () => {
  test('is read by an agent as it was written', () => {
    expect(read(Buffer.from(encodeMessage(MESSAGE, digest)))).toMatchObject({
      type: 'input_stream_data',
      sequence: 7,
      flags: 1,
      id: ID,
      payloadType: 1,
      payload: Buffer.from('ls\r'),
    });
  });

  test('of an agent is read as it was written, wherever it lies in a buffer', () => {
    const bytes = write({
      type: 'output_stream_data',
      sequence: 2 ** 33,
      flags: 0,
      id: ID,
      payloadType: 11,
      payload: Buffer.from('oh'),
    });
    const shifted = Buffer.concat([Buffer.from('xyz'), bytes]).subarray(3);
    expect(decodeMessage(shifted, digest)).toMatchObject({
      messageType: 'output_stream_data',
      sequence: 2 ** 33,
      messageId: ID,
      payloadType: 11,
      payload: Buffer.from('oh'),
    });
  });

  test('has its header laid out as the contracts say', () => {
    const bytes = Buffer.from(encodeMessage(MESSAGE, digest));
    expect(bytes.length).toBe(120 + 3);
    expect(bytes.toString('hex', 0, 4)).toBe('00000074');
    expect(bytes.toString('latin1', 4, 36)).toBe('input_stream_data'.padEnd(32));
    expect(bytes.toString('hex', 48, 56)).toBe('0000000000000007');
    // The halves of the id have changed places.
    expect(bytes.toString('hex', 64, 80)).toBe('8899aabbccddeeff0011223344556677');
    expect(bytes.toString('hex', 112, 120)).toBe('0000000100000003');
  });

  test('without the type of a payload has a shorter header', () => {
    const whole = Buffer.from(encodeMessage({ ...MESSAGE, messageType: 'start_publication' }, digest));
    const short = Buffer.concat([whole.subarray(0, 112), whole.subarray(116)]);
    short.writeUInt32BE(112, 0);
    expect(decodeMessage(short, digest)).toMatchObject({
      messageType: 'start_publication',
      payloadType: 0,
      payload: Buffer.from('ls\r'),
    });
  });

  test('that is cut off or changed is none', () => {
    const whole = encodeMessage(MESSAGE, digest);
    for (let length = 0; length < whole.length; length++)
      expect(decodeMessage(whole.subarray(0, length), digest)).toBeNull();
    const changed = Uint8Array.from(whole);
    changed[121] = 0x41;
    expect(decodeMessage(changed, digest)).toBeNull();
    const huge = Uint8Array.from(whole);
    huge[0] = 0xff;
    expect(decodeMessage(huge, digest)).toBeNull();
  });

  test('a flag is four bytes', () => {
    expect([...flagPayload(2)]).toEqual([0, 0, 0, 2]);
    expect([flagIn(flagPayload(3)), flagIn(new Uint8Array(2))]).toEqual([3, 0]);
  });
});
