import { expect, test } from 'vitest';
import { CHUNK_INDEXES, chunkOf } from '../../../shared/domain/scoreboard/board.ts';
import {
  NOTHING_PUBLISHED,
  type PublishedPod,
  type PublishedPods,
  chunksOfTail,
  grownChunk,
  nextPublished,
  numbered,
  podsOfChunk,
} from '../../../shared/domain/scoreboard/published-pods.ts';
import type { PodChange } from '../../../shared/domain/scoreboard/journal.ts';

/** What is published after a row with these Pods; `stops`: of which it says that they are being deleted, too. */
const row = (
  before: PublishedPods,
  number: number,
  states: readonly PodChange['state'][],
  stops: readonly string[] = [],
) =>
  numbered(
    nextPublished(
      before,
      states.map((state, index) => ({ index, attempt: 1, state })),
      { stops: new Set(stops), isEnding: false },
    ),
    number,
  );
const shown = (published: PublishedPods) =>
  podsOfChunk(published, null, null, 0).map(({ index, state, number }) => `${index} ${state} ${number}`);

test('a Pod that is being deleted stays so until it has ended, whatever its task does', () => {
  const stopping = row(NOTHING_PUBLISHED, 1, ['stopping', 'stopping', 'stopping', 'launched']);
  expect(shown(row(stopping, 2, ['running', 'succeeded', 'gone', 'running']))).toEqual([
    '0 stopping 2',
    '1 succeeded 2',
    '3 running 2',
  ]);
});

test('so does one whose start and deletion are in one row', () => {
  expect(shown(row(NOTHING_PUBLISHED, 1, ['claimed', 'pending'], ['0/1', '1/1']))).toEqual([
    '0 stopping 1',
    '1 pending 1',
  ]);
});

test.each([3, 25])('a tail moves to %i chunks with a few looks at each of its Pods', (chunks) => {
  const length = 8_000;
  let looks = 0;
  const pods = Array.from({ length }, (_, nth): PublishedPod => {
    const index = Math.floor((nth * chunks * CHUNK_INDEXES) / length);
    return {
      get index() {
        looks++;
        return index;
      },
      attempt: 1,
      state: 'running',
      number: 2,
    };
  });
  const published = { ...NOTHING_PUBLISHED, through: 2 };
  const tail = { through: 2, pods };
  const nos = chunksOfTail(published, tail);
  const grown = nos.map((no) => grownChunk(published, tail, null, no, 3));
  expect(looks / length).toBeLessThan(2);
  expect(nos).toHaveLength(chunks);
  expect(grown.flatMap((chunk) => chunk.pods)).toEqual(pods);
  expect(grown.every((chunk, no) => chunk.pods.every(({ index }) => chunkOf(index) === no))).toBe(true);
});

test('a chunk takes what the tail has of its Pods, in order, and keeps the others', () => {
  const [at, number] = [CHUNK_INDEXES, 4];
  const pod = (index: number, attempt: number, state: PublishedPod['state'], row: number): PublishedPod => ({
    index: at + index,
    attempt,
    state,
    number: row,
  });
  const chunk = { through: 2, pods: [pod(1, 1, 'running', 1), pod(3, 1, 'stopping', 1), pod(3, 2, 'running', 2)] };
  const tail = {
    through: 3,
    pods: [
      { ...pod(-1, 1, 'running', 3) },
      pod(0, 1, 'claimed', 3),
      pod(1, 1, 'succeeded', 2), // the chunk has it, from before
      pod(3, 1, 'running', 3),
      pod(4, 1, 'launched', 3),
      { ...pod(CHUNK_INDEXES, 1, 'running', 3) },
    ],
  };
  const published = { ...NOTHING_PUBLISHED, through: 3, recent: [pod(1, 1, 'gone', 4), pod(5, 1, 'claimed', 4)] };
  expect(grownChunk(published, tail, chunk, 1, number)).toEqual({
    through: 4,
    pods: [
      pod(0, 1, 'claimed', 3),
      pod(3, 1, 'stopping', 3),
      pod(3, 2, 'running', 2),
      pod(4, 1, 'launched', 3),
      pod(5, 1, 'claimed', 4),
    ],
  });
});
