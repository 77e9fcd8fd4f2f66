import { describe, expect, test } from 'vitest';
import { decodeChunk, encodeChunk } from '../../../shared/domain/codecs/board-codec.ts';
import { STATES, emptyChunk } from '../../../shared/domain/scoreboard/board.ts';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { type IndexState, NO_EXTRAS } from '../../../shared/domain/scoreboard/index-record.ts';

// Golden bytes of every way in which a chunk is stored, one table per format version. Future versions must read today's
// rows: add rows, but never change them. A new version gets a new table, and the old one stays readable.

const at = asEpochMs(1_750_000_000_000);

/** 24 records that take turns in these states, so that packing beats runs. */
function packed(...states: readonly IndexState[]) {
  const chunk = emptyChunk();
  for (let i = 0; i < 24; i++) {
    const state = states[(i + (i >> 3)) % states.length] ?? 'pending';
    chunk.states[i] = STATES.indexOf(state);
    chunk.attempts[i] = state === 'pending' ? 0 : 1;
  }
  return { chunk, length: 24 };
}

/** Runs of 10 in each of the states, in their order. */
function runs(...states: readonly IndexState[]) {
  const chunk = emptyChunk();
  for (const [no, state] of states.entries()) {
    for (let i = no * 10; i < no * 10 + 10; i++) {
      chunk.states[i] = STATES.indexOf(state);
      chunk.attempts[i] = state === 'pending' ? 0 : 1;
    }
  }
  return { chunk, length: states.length * 10 };
}

/** Runs of 10 in each of the states, none of them ever tried. */
function unrun(...states: readonly IndexState[]) {
  const board = runs(...states);
  board.chunk.attempts.fill(0);
  return board;
}

/** Four running records; the third has this in addition. */
function extra(more: Partial<typeof NO_EXTRAS>) {
  const board = attempts(1, 1, 1, 1);
  board.chunk.extras.set(2, { ...NO_EXTRAS, ...more });
  return board;
}

function attempts(...numbers: readonly number[]) {
  const chunk = emptyChunk();
  for (const [i, attempt] of numbers.entries()) {
    chunk.states[i] = STATES.indexOf('running');
    chunk.attempts[i] = attempt;
  }
  return { chunk, length: numbers.length };
}

const VERSION_1 = {
  'no record': [{ chunk: emptyChunk(), length: 0 }, '0100000000000000'],
  'fresh records': [{ chunk: emptyChunk(), length: 4096 }, '01802000f8ff010000000000'],
  'runs of each state': [
    runs('pending', 'claimed', 'launched', 'running', 'succeeded', 'failed', 'waiting'),
    '01460048494a4b4c4d4e0001000000',
  ],
  'packed by two': [packed('running', 'succeeded'), '011818aa55aa0001000000'],
  'packed by three': [packed('pending', 'running', 'succeeded'), '011819665c4140220001000000'],
  'packed by four': [packed('pending', 'launched', 'running', 'succeeded'), '01181de4e439394e4e0001000000'],
  'packed by five': [
    packed('pending', 'claimed', 'launched', 'running', 'succeeded'),
    '01181f37176f37177437170001000000',
  ],
  'packed by six': [
    packed('pending', 'claimed', 'launched', 'running', 'succeeded', 'failed'),
    '01183f4ecf72227928a4290001000000',
  ],
  'packed by seven': [
    packed('pending', 'claimed', 'launched', 'running', 'succeeded', 'failed', 'waiting'),
    '01187f071727061727060f27060f1f0001000000',
  ],
  'runs with inherited and excluded records': [unrun('succeeded', 'excluded', 'pending'), '011e004c4f480000000000'],
  'packed by all eight': [
    packed('pending', 'claimed', 'launched', 'running', 'succeeded', 'failed', 'waiting', 'excluded'),
    '0118ff081a2c3e112335071a2c3e080001000000',
  ],
  'one attempt that is odd': [attempts(1, 1, 7, 1), '0104001b00010507000000'],
  'stretches of odd attempts': [attempts(1, 1, 1, 1, 1, 1, 2, 2, 3, 1, 4, 4, 1), '010d006300010e02020103040204000000'],
  'a large attempt': [attempts(4_294_967_295), '0101000300ffffffff0f000000'],
  nonce: [extra({ nonce: 3 }), '0104001b0001000100020103'],
  stopping: [extra({ stopping: true }), '0104001b00010001000202'],
  podDeleted: [extra({ podDeleted: true }), '0104001b0001000100028001'],
  evicted: [extra({ podDeleted: true, evicted: true }), '0104001b0001000100028009'],
  failures: [extra({ failures: 200 }), '0104001b00010001000204c801'],
  ignored: [extra({ ignored: 2 }), '0104001b0001000100020802'],
  infra: [extra({ infra: 2 }), '0104001b0001000100021002'],
  spot: [extra({ spot: 2 }), '0104001b0001000100022002'],
  restarts: [extra({ restarts: 2 }), '0104001b000100010002800202'],
  earlierRestarts: [extra({ earlierRestarts: 2 }), '0104001b000100010002802002'],
  podCreatedSec: [
    extra({ restarts: 2, podCreatedSec: at / 1000 + 3600, notBefore: asEpochMs(at + 999) }),
    '0104001b00010001ceff86c2ee6502c0120002901c',
  ],
  notBefore: [extra({ notBefore: at }), '0104001b0001000180f086c2ee65024000'],
  unstartedSince: [
    extra({ unstartedSince: at, notBefore: asEpochMs(at + 10_000) }),
    '0104001b0001000180f086c2ee6502c004904e00',
  ],
} as const;

describe.each([[1, VERSION_1]] as const)('chunks of version %i', (_, table) => {
  test.each(Object.entries(table))('%s', (_name, [{ chunk, length }, hex]) => {
    const bytes = Buffer.from(hex, 'hex');
    expect(Buffer.from(encodeChunk(chunk, length)).toString('hex')).toBe(hex);
    expect(decodeChunk(bytes)).toEqual(chunk);
  });
});
