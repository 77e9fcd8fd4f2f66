import { describe, expect, test } from 'vitest';
import { chunksWithFailures } from '../../../shared/control/doctor/collect-failures.ts';
import { CHUNK_INDEXES, type ChunkSummary, freshSummary } from '../../../shared/domain/scoreboard/board.ts';
import { aBoard, at } from '../../support/a-board.ts';

// A letter is a chunk: S all have succeeded, . all are pending, l all start, r all run, F one has failed, b one is a Pod between
// two tasks, w one is in back-off, 1 one is pending.

const LETTERS: Readonly<Record<string, Partial<ChunkSummary>>> = {
  S: { succeeded: CHUNK_INDEXES },
  '.': { pending: CHUNK_INDEXES },
  l: { starting: CHUNK_INDEXES },
  r: { running: CHUNK_INDEXES },
  F: { failed: 1, succeeded: CHUNK_INDEXES - 1 },
  b: { waiting: 1, succeeded: CHUNK_INDEXES - 1 },
  '1': { pending: 1, succeeded: CHUNK_INDEXES - 1 },
  w: { pending: 1, succeeded: CHUNK_INDEXES - 1, soonestDue: at(10) },
};

type Counts = { readonly failed?: number; readonly restarts?: number };

const chunksOf = (strip: string, counts: Counts) => {
  const chunks = Array.from(strip, (letter) => ({ ...freshSummary(0), ...LETTERS[letter] }));
  return chunksWithFailures({ ...aBoard('r').status, chunks, ...counts });
};

describe('chunks in which something may have failed', () => {
  test.each<readonly [string, Counts, readonly number[], string]>([
    ['SrFr', {}, [2], 'an index that has failed for good'],
    ['SrbS', {}, [2], 'a Pod between two tasks'],
    ['Swrr', {}, [1], 'an index in back-off'],
    ['Sr.l', {}, [], 'nothing has failed so far'],
    ['Sr.l', { failed: 1 }, [1, 2, 3], 'something has, and is not over: it may be tried again or run now'],
    ['Sr.l', { restarts: 1 }, [1, 2, 3], 'a container has been restarted'],
    ['S1SS', { failed: 1, restarts: 1 }, [1], 'and both are counted, however many they are'],
    ['SSSS', { failed: 9 }, [], 'all have succeeded since'],
  ])('%s %j → %j: %s', (strip, counts, expected) => {
    expect(chunksOf(strip, counts)).toEqual(expected);
  });

  test.each([
    ['rrrrrrrrrFrb', [0, 1, 2, 3, 4, 5, 9, 11]],
    ['FrFFFFFFFFFF', [0, 2, 3, 4, 5, 6, 7, 8]],
  ])('of %s eight at most, those that certainly have some first: %j', (strip, expected) => {
    expect(chunksOf(strip, { failed: 1 })).toEqual(expected);
  });
});
