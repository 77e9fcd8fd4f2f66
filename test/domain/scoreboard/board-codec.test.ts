import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeChunk, encodeChunk } from '../../../shared/domain/codecs/board-codec.ts';
import { CHUNK_INDEXES, type Chunk, STATES, emptyChunk } from '../../../shared/domain/scoreboard/board.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { DecodeError } from '../../../shared/domain/base/bytes.ts';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { type IndexState, NO_EXTRAS } from '../../../shared/domain/scoreboard/index-record.ts';
import { InvariantError } from '../../../shared/domain/base/invariant.ts';
import { anyChunk, dice } from '../../support/arbitrary-board.ts';
import { draws } from '../../verify/draws.ts';

/** The same, faster to compare. */
const plain = ({ states, attempts, extras }: Chunk): unknown => [
  Buffer.from(states).toString('hex'),
  Buffer.from(attempts.buffer).toString('hex'),
  extras,
];

test('encoded chunks are decoded, and no shorter or longer input passes', () => {
  fc.assert(
    fc.property(anyChunk, fc.nat(), ({ chunk, length }, cut) => {
      const bytes = encodeChunk(chunk, length);
      expect(plain(decodeChunk(bytes))).toEqual(plain(chunk));
      expect(() => decodeChunk(bytes.slice(0, cut % bytes.length))).toThrow(DecodeError);
      expect(() => decodeChunk(Uint8Array.of(...bytes, 0))).toThrow(DecodeError);
    }),
  );
});

/** Decoding either works or throws DecodeError; a hang or a huge allocation would break the test. */
const decodesOrSaysWhy = (bytes: Uint8Array): boolean => {
  try {
    return decodeChunk(bytes).states.length === CHUNK_INDEXES;
  } catch (error) {
    return error instanceof DecodeError || error instanceof NewerFormatError;
  }
};

test('damaged bytes are a chunk or an error of decoding', () => {
  fc.assert(
    fc.property(anyChunk, fc.nat(), fc.nat(255), ({ chunk, length }, at, value) => {
      const bytes = encodeChunk(chunk, length);
      bytes[at % bytes.length] = value;
      expect(decodesOrSaysWhy(bytes)).toBe(true);
    }),
  );
});

test('so are any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(decodesOrSaysWhy(Uint8Array.of(1, ...bytes))).toBe(true);
    }),
    { numRuns: draws(2000) },
  );
});

test.each([
  ['a version that never was', [0, 0, 0, 0, 0, 0, 0, 0], 'a board chunk of format version 0, where 1 is known'],
  ['more records than a chunk has', [1, 129, 32], 'a chunk of 4097 records'],
  ['a run past the end', [1, 2, 0, 16], 'a run of states that cannot be'],
  ['a base of one', [1, 2, 1, 0], 'states packed by 1'],
  ['a digit too many', [1, 2, 3, 4], 'packed states that cannot be'],
  ['attempts past the end', [1, 2, 0, 8, 0, 1, 1 + 3, 5], 'attempts past the end of the chunk'],
  ['an attempt above 2^32', [1, 2, 0, 8, 255, 255, 255, 255, 127], 'attempt 34359738367'],
  ['extras past the end', [1, 2, 0, 8, 0, 1, 0, 1, 0, 2, 2], 'extras past the end of the chunk'],
  ['an unknown extra', [1, 2, 0, 8, 0, 1, 0, 1, 0, 0, 128, 128, 128, 1], 'a field that is not known'],
])('%s is refused', (_, bytes, message) => {
  expect(() => decodeChunk(Uint8Array.from(bytes))).toThrow(new DecodeError(message));
});

test('a chunk of a later release is distinguished from one that is damaged', () => {
  expect(() => decodeChunk(Uint8Array.from([7, 0, 0]))).toThrow(new NewerFormatError('a board chunk', 7, 1));
});

const record = (chunk: Chunk, offset: number, state: IndexState, attempt: number): void => {
  chunk.states[offset] = STATES.indexOf(state);
  chunk.attempts[offset] = attempt;
};
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('golden bytes: future versions must read them', () => {
  test('runs, an odd attempt, extras', () => {
    const chunk = emptyChunk();
    for (let i = 0; i < 50; i++) record(chunk, i, 'succeeded', 1);
    record(chunk, 50, 'pending', 1);
    record(chunk, 51, 'running', 3);
    chunk.extras.set(50, { ...NO_EXTRAS, failures: 1, notBefore: asEpochMs(1_750_000_000_000) });
    chunk.extras.set(51, { ...NO_EXTRAS, nonce: 2, stopping: true, failures: 1, ignored: 3, infra: 4, spot: 5 });
    const bytes = encodeChunk(chunk, 60);
    expect(hex(bytes)).toMatchInlineSnapshot(`"013c008c03000338000165010103000280f086c2ee6532440100003f0201030405"`);
    expect(decodeChunk(bytes)).toEqual(chunk);
  });

  test('packed by three', () => {
    const chunk = emptyChunk();
    for (let i = 0; i < 24; i++) record(chunk, i, i % 3 === 0 ? 'launched' : i % 3 === 1 ? 'running' : 'succeeded', 1);
    const bytes = encodeChunk(chunk, 24);
    expect(hex(bytes)).toMatchInlineSnapshot(`"01181c6641c466410001000000"`);
    expect(decodeChunk(bytes)).toEqual(chunk);
  });
});

describe('states take the shorter of two forms', () => {
  /** So many records in runs of two states in turn, all about as long. */
  const inRuns = (runs: number, length: number): Uint8Array => {
    const chunk = emptyChunk();
    for (let i = 0; i < length; i++)
      record(chunk, i, Math.floor((i * runs) / length) % 2 === 0 ? 'running' : 'succeeded', 1);
    return encodeChunk(chunk, length);
  };
  const REST_BYTES = 8; // version, length, which form, attempts, extras

  // Eight records of two states fit into a byte, and so does a run of up to sixteen.
  test.each([
    [2, 20, 2],
    [3, 20, 3],
    [4, 20, 3],
    [3, 24, 3],
    [4, 24, 3],
    [4, 40, 4],
    [5, 40, 5],
    [9, 40, 5],
  ])('%i runs in %i records: %i bytes', (runs, length, bytes) => {
    expect(inRuns(runs, length)).toHaveLength(REST_BYTES + bytes);
  });

  test('runs, where both are as long', () => {
    expect(hex(inRuns(3, 20))).toMatchInlineSnapshot(`"01140033342b0001000000"`);
    expect(hex(inRuns(3, 24))).toMatchInlineSnapshot(`"0118003b3c3b0001000000"`);
  });
});

test('an extra beyond the records throws', () => {
  const chunk = emptyChunk();
  chunk.extras.set(9, { ...NO_EXTRAS, failures: 1 });
  expect(() => encodeChunk(chunk, 9)).toThrow(InvariantError);
});

/** A full chunk without failures; about `shares[state]` of 1,000 records are in that state, in any order. */
const mixed = (shares: Partial<Record<IndexState, number>>, seed: number): Chunk => {
  const roll = dice(seed);
  const bag = Object.entries(shares).flatMap(([state, share]) => Array<IndexState>(share).fill(state as IndexState));
  const chunk = emptyChunk();
  for (let i = 0; i < CHUNK_INDEXES; i++) {
    const state = bag[roll(bag.length)] ?? 'pending';
    record(chunk, i, state, state === 'pending' ? 0 : 1);
  }
  return chunk;
};

/** A running Job: claims go up in index order, completions come in any order. */
const underWay = (claimedUpTo: number, succeeded: number, seed: number): Chunk => {
  const roll = dice(seed);
  const chunk = emptyChunk();
  for (let i = 0; i < claimedUpTo; i++) {
    const young = i > claimedUpTo - 300;
    record(
      chunk,
      i,
      young ? (roll(2) === 0 ? 'claimed' : 'launched') : roll(1000) < succeeded ? 'succeeded' : 'running',
      1,
    );
  }
  return chunk;
};

describe('a chunk of 4,096 without failures stays under 1 KB in its item', () => {
  test.each([
    ['fresh', emptyChunk()],
    ['all done', mixed({ succeeded: 1000 }, 1)],
    ['half done, shuffled', mixed({ running: 500, succeeded: 500 }, 2)],
    ['nearly done, shuffled', mixed({ running: 20, succeeded: 980 }, 3)],
    ['launched, running and succeeded in equal parts', mixed({ launched: 333, running: 333, succeeded: 333 }, 4)],
    ['pending among them', mixed({ pending: 250, launched: 50, running: 350, succeeded: 350 }, 5)],
    ['all five states', mixed({ pending: 20, claimed: 60, launched: 100, running: 420, succeeded: 400 }, 6)],
    ['early', underWay(1200, 100, 7)],
    ['in the middle', underWay(CHUNK_INDEXES, 500, 8)],
    ['late', underWay(CHUNK_INDEXES, 950, 9)],
  ])('%s', (_, chunk) => {
    const raw = encodeChunk(chunk, CHUNK_INDEXES);
    const deflated = deflateRawSync(raw).length;
    expect(deflated).toBeLessThan(1024);
    expect(raw.length).toBeLessThan(1400);
  });
});

test('one failure in ten costs few bytes, even if all have been started again', () => {
  const chunk = mixed({ pending: 100, running: 450, succeeded: 450 }, 10);
  for (let i = 0; i < CHUNK_INDEXES; i++) {
    chunk.attempts[i] = chunk.attempts[i]! + 1;
    if (i % 10 === 0) chunk.extras.set(i, { ...NO_EXTRAS, failures: 1 });
  }
  expect(deflateRawSync(encodeChunk(chunk, CHUNK_INDEXES)).length).toBeLessThan(1100);
});
