import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeChunk, encodeChunk } from '../../../shared/domain/codecs/board-codec.ts';
import {
  CHUNK_INDEXES,
  type Chunk,
  type ChunkSummary,
  chunksFor,
  emptyChunk,
  freshSummary,
} from '../../../shared/domain/scoreboard/board.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import { FRESH, type IndexRecord, isActive } from '../../../shared/domain/scoreboard/index-record.ts';
import {
  extendJournal,
  foldJournal,
  isRemoved,
  podChanges,
  unfolded,
  withRemoved,
} from '../../../shared/domain/scoreboard/journal.ts';
import { EVERY_INDEX } from '../../../shared/domain/manifests/selection.ts';
import { type Journal, chunkLength, summariesFor } from '../../../shared/domain/scoreboard/status.ts';
import { CHUNKS_PER_PASS_MAX } from '../../../shared/domain/base/timing.ts';
import { type Transition, type TransitionOp, applyTo } from '../../../shared/domain/scoreboard/transition.ts';

// The journal before the board. An entry is written `claim 3`, preceded by its sequence number where it matters.

type Plain = Exclude<TransitionOp, 'lost' | 'lostToSpot' | 'ignored' | 'unstarted'>;
type Words = `${Plain} ${number}`;
const step = (words: Words): Transition => {
  const [op, index] = words.split(' ');
  return plain(op as Plain, Number(index), 1);
};
const plain = (op: Plain, index: number, attempt: number): Transition =>
  op === 'failed' || op === 'restart' ? { op, index, attempt, notBefore: null } : { op, index, attempt };
const journal = (first: number, ...words: readonly Words[]): Journal =>
  extendJournal({ nextSeq: first, entries: [] }, words.map(step));
const seqs = ({ entries }: Journal): readonly number[] => entries.map(({ seq }) => seq);

test('a pass adds its transitions at the end', () => {
  const before = journal(7, 'claim 0', 'claim 1');
  const grown = extendJournal(before, [step('launched 0')]);
  expect(grown.nextSeq).toBe(10);
  expect(grown.entries.map(({ seq, transition: { op, index } }) => `${seq} ${op} ${index}`)).toEqual([
    '7 claim 0',
    '8 claim 1',
    '9 launched 0',
  ]);
  expect(extendJournal(before, [])).toEqual(before);
});

test.each([
  [0, 0, [7, 8, 9], 'nothing is folded'],
  [8, 0, [8, 9], 'what lies below the mark of its chunk is'],
  [10, 0, [9], 'all of the first chunk is'],
  [0, 10, [7, 8], 'all of the second is'],
  [10, 10, [], 'all is'],
])('folded up to %i and %i → open %o: %s', (first, second, open) => {
  const chunks = [first, second].map((foldedSeq) => ({ ...freshSummary(CHUNK_INDEXES), foldedSeq }));
  const entries = journal(7, 'claim 0', 'claim 1', 'claim 5000');
  expect(unfolded({ journal: entries, chunks }).map(({ seq }) => seq)).toEqual(open);
});

describe('changes that a watch of Pods receives', () => {
  test.each<readonly [entries: readonly Words[], since: number, told: string, because: string]>([
    [[], 0, '', 'nothing'],
    [['claim 0'], 0, '0 claimed', 'a new Pod'],
    [['claim 0', 'launched 0', 'running 0'], 0, '0 running', 'each Pod once, as it is now'],
    [['claim 0', 'launched 0', 'running 0'], 2, '0 running', 'from the mark on'],
    [['claim 0', 'running 0'], 2, '', 'all has been told'],
    [['claim 1', 'claim 0', 'running 1'], 0, '1 running, 0 claimed', 'several Pods'],
    [['running 0', 'succeeded 0'], 0, '0 succeeded', 'its success'],
    [['running 0', 'failed 0'], 0, '0 pending', 'its end: the record of the attempt has it'],
    [['running 0', 'failedForGood 0'], 0, '0 failed', 'its last failure'],
    [['running 0', 'released 0'], 0, '0 gone', 'we ended it'],
    [['claim 0', 'released 0'], 0, '', 'nobody has ever been told of it'],
    [['claim 0', 'released 0'], 1, '0 gone', 'somebody has'],
    [['claim 0', 'renonce 0'], 0, '0 claimed', 'a launch that is refused changes no Pod'],
    [['running 0', 'stopping 0'], 0, '0 running', 'one that is asked to stop still runs'],
    [['running 0', 'stopping 0'], 1, '0 stopping', 'what it is has been told, that it is being deleted has not'],
    [['running 0', 'podDeleted 0'], 1, '0 stopping', 'the same, for a user'],
    [['succeeded 0', 'removed 0'], 1, '0 gone', 'a user has deleted a Pod that had ended'],
    [['claim 0', 'succeeded 0', 'removed 0'], 0, '', 'one that nobody has ever been told of'],
    [['failed 0', 'lingers 0'], 0, '0 stopping', 'it has counted, and its task still stops'],
    [['failed 0', 'lingers 0', 'removed 0'], 2, '0 gone', 'that has stopped, too'],
    [['restart 0'], 0, '0 waiting', 'it has crashed'],
    [['restart 0', 'relaunch 0'], 1, '0 claimed', 'and goes on in another task'],
  ])('%o since %i → %s: %s', (entries, since, told) => {
    const changes = podChanges(journal(0, ...entries), since);
    expect(changes.map(({ index, state }) => `${index} ${state}`).join(', ')).toBe(told);
  });

  test('every attempt of an index, and which of them are new', () => {
    const { entries, nextSeq } = journal(0, 'claim 0', 'failed 0');
    const again = extendJournal({ entries, nextSeq }, [{ op: 'claim', index: 0, attempt: 2 }]);
    const second = { index: 0, attempt: 2, state: 'claimed', isNew: true };
    expect(podChanges(again, 0)).toEqual([{ index: 0, attempt: 1, state: 'pending', isNew: true }, second]);
    expect(podChanges(again, 1)).toEqual([{ index: 0, attempt: 1, state: 'pending' }, second]);
  });

  test('an attempt that restarts in another task is not new', () => {
    const changes = podChanges(journal(0, 'claim 0', 'restart 0', 'relaunch 0', 'running 0'), 1);
    expect(changes).toEqual([{ index: 0, attempt: 1, state: 'running' }]);
  });

  test.each(['succeeded', 'failed', 'failedForGood', 'ignored', 'lost', 'lostToSpot'] as const)(
    '%s of a Pod that was being deleted: it is gone',
    (op) => {
      const { entries, nextSeq } = journal(0, 'claim 0', 'running 0');
      const end = { op, index: 0, attempt: 1, notBefore: null, gone: true } as const;
      expect(podChanges(extendJournal({ entries, nextSeq }, [end]), 2)).toEqual([
        { index: 0, attempt: 1, state: 'gone' },
      ]);
    },
  );
});

describe('steps that the board need not know', () => {
  const counted: readonly Transition[] = [
    step('claim 0'),
    step('succeeded 0'),
    { op: 'removed', index: 0, attempt: 1 },
  ];

  test('change no record, and follow any attempt that there has been', () => {
    const record: IndexRecord = { ...FRESH, state: 'running', attempt: 3 };
    for (const op of ['lingers', 'removed'] as const) {
      for (const attempt of [1, 2, 3]) expect(applyTo(record, { op, index: 0, attempt })).toBe(record);
      expect(() => applyTo(record, { op, index: 0, attempt: 4 })).toThrow(`${op} of attempt 4 on attempt 3`);
    }
  });

  test('are not open, and leave the journal once they are published', () => {
    const entries = extendJournal({ nextSeq: 7, entries: [] }, counted);
    expect(unfolded({ journal: entries, chunks: [freshSummary(9)] }).map(({ seq }) => seq)).toEqual([7, 8]);
    expect(seqs(withRemoved(entries, [], 9))).toEqual([7, 8, 9]);
    expect(seqs(withRemoved(entries, [], 10))).toEqual([7, 8]);
    const more = withRemoved(entries, [{ index: 4, attempt: 2 }], 10);
    expect([more.nextSeq, more.entries.at(-1)]).toEqual([
      11,
      { seq: 10, transition: { op: 'removed', index: 4, attempt: 2 } },
    ]);
    const board = new WorkingBoard(
      { size: 9, chunks: summariesFor(9, [], EVERY_INDEX), restarts: 0, journal: entries },
      new Map([[0, emptyChunk()]]),
    );
    expect(seqs(foldJournal(board, entries, 10).journal)).toEqual([7, 8]);
    expect(seqs(foldJournal(board, entries, 9).journal)).toEqual([7, 8, 9]);
  });

  test('say which attempt was removed', () => {
    const entries = extendJournal({ nextSeq: 0, entries: [] }, counted);
    expect(isRemoved(entries, { index: 0, attempt: 1 })).toBe(true);
    expect([isRemoved(entries, { index: 0, attempt: 2 }), isRemoved(entries, { index: 1, attempt: 1 })]).toEqual([
      false,
      false,
    ]);
  });
});

/** A board of `counts.length` chunks; one pass has claimed this many indexes of each. */
function claimed(counts: readonly number[], hand: readonly number[] = counts.map((_, no) => no)) {
  const size = counts.length * CHUNK_INDEXES;
  const chunks: readonly ChunkSummary[] = summariesFor(size, [], EVERY_INDEX).map((summary) => ({
    ...summary,
    version: 4,
  }));
  const board = new WorkingBoard(
    { size, chunks, restarts: 0, journal: { nextSeq: 0, entries: [] } },
    new Map(counts.map((_, no) => [no, emptyChunk()] as const)),
  );
  for (const [no, count] of counts.entries()) {
    for (let i = 0; i < count; i++) board.apply({ op: 'claim', index: no * CHUNK_INDEXES + i, attempt: 1 });
  }
  const entries = extendJournal({ nextSeq: 0, entries: [] }, board.transitions);
  // What the next pass has loaded: the counts are STATUS's, the claims are only in the journal.
  const stored = new Map(hand.map((no) => [no, emptyChunk()] as const));
  return {
    board: new WorkingBoard({ size, chunks: board.summaries(), restarts: 0, journal: entries }, stored),
    entries,
  };
}

describe('folding', () => {
  test.each<
    readonly [
      counts: readonly number[],
      hand: readonly number[],
      folds: readonly number[],
      left: number,
      again: boolean,
      because: string,
    ]
  >([
    [[499], [0], [], 499, false, 'one entry short of the mark'],
    [[500], [0], [0], 500, false, 'at the mark'],
    [[10, 480, 20], [0, 1, 2], [1, 2, 0], 510, false, 'the chunk with most entries first'],
    [[250, 250], [0, 1], [0, 1], 500, false, 'of two that have as many the lower'],
    [[100, 400], [0], [0], 500, false, 'what is at hand is folded'],
    [[100, 400], [], [], 500, true, 'nothing is at hand: the next pass must have it'],
  ])('%o entries, %o loaded → folds %o: %s', (counts, hand, folds, left, again) => {
    const { board, entries } = claimed(counts, hand);
    const folding = foldJournal(board, entries, 0);
    expect(folding.folds.map(({ no }) => no)).toEqual(folds);
    expect(folding.journal.entries).toHaveLength(left); // none of it has been published
    expect(folding.again).toBe(again);
  });

  test('a fold replaces the version that was read, and counts one up', () => {
    const { board, entries } = claimed([500]);
    const { folds } = foldJournal(board, entries, 0);
    expect(folds[0]).toMatchObject({ no: 0, expectedVersion: 4, length: CHUNK_INDEXES });
    expect(board.summaries()[0]).toMatchObject({ version: 5, foldedSeq: 500 });
  });

  test('at most 90 chunks in one transaction, and the rest stays open', () => {
    const { board, entries } = claimed(Array.from({ length: 101 }, () => 5));
    const folding = foldJournal(board, entries, entries.nextSeq);
    expect(folding.folds).toHaveLength(CHUNKS_PER_PASS_MAX);
    expect(folding.journal.entries).toHaveLength(11 * 5);
    expect(CHUNKS_PER_PASS_MAX).toBeLessThan(100); // DynamoDB's limit, including STATUS
  });

  test.each([
    [0, 500, 'nothing is published: all stays'],
    [200, 300, 'what is folded and published goes'],
    [500, 0, 'all goes'],
  ])('published up to %i: %i entries stay, %s', (published, left) => {
    const { board, entries } = claimed([500]);
    expect(foldJournal(board, entries, published).journal.entries).toHaveLength(left);
  });

  test('published entries stay until they are folded', () => {
    const { board, entries } = claimed([499]);
    expect(foldJournal(board, entries, 499).journal).toEqual(entries);
  });

  test('sequence numbers continue where they were', () => {
    const { board, entries } = claimed([500]);
    const { journal: rest } = foldJournal(board, entries, 500);
    expect(seqs(extendJournal(rest, [step('launched 0')]))).toEqual([500]);
  });
});

/** The steps of one pass on a range of indexes: any valid step on each. */
const stretch = fc.record({
  from: fc.nat(2 * CHUNK_INDEXES),
  length: fc.integer({ min: 1, max: 450 }),
  op: fc.constantFrom<Plain>(
    'claim',
    'claim',
    'launched',
    'running',
    'succeeded',
    'failed',
    'stopping',
    'released',
    'renonce',
  ),
  /** how much of it is published when the pass runs */
  published: fc.double({ min: 0, max: 1, noNaN: true }),
  hand: fc.subarray([0, 1, 2], { minLength: 1 }),
});

/** The transition, if it can follow. */
function following(record: IndexRecord, op: Plain, index: number): Transition | null {
  const attempt = op === 'claim' ? record.attempt + 1 : record.attempt;
  if (op === 'claim' ? record.state !== 'pending' : !isActive(record.state)) return null;
  if (op === 'launched' && record.state !== 'claimed') return null;
  if (op === 'running' && record.state === 'running') return null;
  return plain(op, index, attempt);
}

test('stored chunks and the journal are the board, whatever was folded and published', () => {
  const size = 2 * CHUNK_INDEXES + 500;
  fc.assert(
    fc.property(fc.array(stretch, { minLength: 1, maxLength: 12 }), (passes) => {
      const model: IndexRecord[] = Array.from({ length: size }, () => FRESH);
      const stored = new Map<number, Uint8Array>();
      const fetch = (no: number): Chunk => {
        const bytes = stored.get(no);
        return bytes === undefined ? emptyChunk() : decodeChunk(bytes);
      };
      const every = Array.from({ length: chunksFor(size) }, (_, no) => no);
      let status = { size, chunks: summariesFor(size, [], EVERY_INDEX), restarts: 0, journal: journal(0) };

      for (const { from, length, op, published, hand } of passes) {
        const board = new WorkingBoard(status, new Map(hand.map((no) => [no, fetch(no)] as const)));
        for (let index = from; index < Math.min(size, from + length); index++) {
          const transition = following(model[index]!, op, index);
          if (transition === null || board.record(index) === null) continue;
          board.apply(transition);
          model[index] = applyTo(model[index]!, transition);
        }
        const extended = extendJournal(status.journal, board.transitions);
        const { journal: rest, folds } = foldJournal(board, extended, Math.floor(published * extended.nextSeq));
        for (const { no, chunk, length: records } of folds) {
          expect(records).toBe(chunkLength(size, no));
          stored.set(no, encodeChunk(chunk, records));
        }
        status = { ...status, chunks: board.summaries().map((summary) => ({ ...summary })), journal: rest };
      }

      const board = new WorkingBoard(status, new Map(every.map((no) => [no, fetch(no)] as const)));
      const wrong = model.flatMap((record, index) => (same(record, board.record(index)) ? [] : [index]));
      expect(wrong).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

const same = (a: IndexRecord, b: IndexRecord | null): boolean =>
  b !== null &&
  a.state === b.state &&
  a.attempt === b.attempt &&
  a.nonce === b.nonce &&
  a.stopping === b.stopping &&
  a.failures === b.failures;
