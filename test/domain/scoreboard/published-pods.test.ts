import { expect, test } from 'vitest';
import {
  NOTHING_PUBLISHED,
  type PublishedPods,
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
