import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../../../shared/runtime/memory-store.ts';
import { chunksWithFailures, collectFailures } from '../../../shared/control/failures/collect-failures.ts';
import { CHUNK_INDEXES, type ChunkSummary, freshSummary, setRecord } from '../../../shared/domain/scoreboard/board.ts';
import { FRESH, type IndexRecord } from '../../../shared/domain/scoreboard/index-record.ts';
import { WorkingBoard } from '../../../shared/domain/scoreboard/working-board.ts';
import type { EndedAttempt } from '../../../shared/domain/planner/plan.ts';
import type { LogPageBack } from '../../../shared/ports/log-reader.ts';
import { createItemCache } from '../../../shared/store/read-items.ts';
import { type Situation, aBoard, arnOf, at } from '../../support/a-board.ts';
import { aJob } from '../../support/a-job.ts';

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

const endOf = (index: number, exitCode: number, attempt = 1, of: Partial<EndedAttempt> = {}): EndedAttempt => ({
  index,
  attempt,
  nonce: 0,
  taskArn: arnOf(index, attempt),
  ending: { cause: 'Error', exitCode, container: 'main', reason: '' },
  times: { createdAt: at(0), startedAt: at(1), stoppedAt: at(2) },
  judgement: { as: 'failed', why: { kind: 'exited', exitCode } },
  failures: 0,
  ignored: 0,
  restarts: 0,
  ...of,
});

/** What is collected from a board and the records of its attempts, and what was read for that. */
async function collected({ status, stored }: Situation, records: readonly EndedAttempt[], log: readonly string[] = []) {
  const spans: (readonly [number, number])[] = [];
  const pages: LogPageBack[] = [];
  const failures = await collectFailures(
    { spec: aJob(), status, board: new WorkingBoard(status, stored) },
    {
      items: createMemoryStore({ now: () => at(0) }).items,
      itemCache: createItemCache(),
      jobs: {
        readAttempts: async (_, from, to) => {
          spans.push([from, to]);
          return records.filter(({ index }) => index >= from && index <= to);
        },
      },
      logs: {
        readBack: async (page) => {
          pages.push(page);
          const lines = log.map((text) => ({ atMs: 0, text }));
          return { kind: 'lines', lines, next: '', previous: '' };
        },
      },
    },
  );
  const groups = failures.groups.map(({ exitCode, indexes }) => [exitCode, indexes]);
  return { ...failures, told: groups, spans, pages };
}
const withRecord = (strip: string, record: Partial<IndexRecord>): Situation => {
  const situation = aBoard(strip, { status: { failed: 1 } });
  const [chunk] = situation.stored.values();
  if (chunk !== undefined) setRecord(chunk, 0, { ...FRESH, ...record });
  return situation;
};

describe('how indexes have failed last', () => {
  test('only those that have failed and not succeeded since, in groups', async () => {
    const records = [0, 1, 2, 3, 4, 5].map((index) => endOf(index, index === 4 ? 2 : 1));
    const found = await collected(aBoard('1.SF1r'), records);
    expect(found.told).toEqual([
      [1, [0, 3]],
      [2, [4]],
    ]);
    expect(found).toMatchObject({ more: false, spans: [[0, 4]] });
  });

  test.each([
    [63, [[0, 63]]],
    [
      64,
      [
        [0, 0],
        [64, 64],
      ],
    ],
  ])('records of indexes that are close are read together: 0 and %i', async (last, spans) => {
    expect((await collected(aBoard(`1${'S'.repeat(last - 1)}1`), [])).spans).toEqual(spans);
  });

  test('wherever they begin', async () => {
    expect((await collected(aBoard(`${'S'.repeat(70)}1${'S'.repeat(62)}1`), [])).spans).toEqual([[70, 133]]);
  });

  test('those of two chunks are not', async () => {
    const { spans } = await collected(aBoard('11', { before: CHUNK_INDEXES - 1 }), []);
    expect(spans).toEqual([
      [CHUNK_INDEXES - 1, CHUNK_INDEXES - 1],
      [CHUNK_INDEXES, CHUNK_INDEXES],
    ]);
  });

  const two = [endOf(0, 1, 1), endOf(0, 2, 2)];
  test.each<readonly [string, Partial<IndexRecord>, number]>([
    ['is tried again: the attempt before', { state: 'running', attempt: 2, failures: 1 }, 1],
    ['has been restarted in place: this attempt', { state: 'running', attempt: 2, failures: 1, restarts: 1 }, 2],
    ['waits for another try: the last attempt', { state: 'pending', attempt: 2, failures: 2 }, 2],
    ['has failed for good: the last attempt', { state: 'failed', attempt: 2, failures: 2 }, 2],
    ['is a Pod between two tasks: its attempt', { state: 'waiting', attempt: 2, restarts: 1 }, 2],
    ['was ignored: the attempt before', { state: 'claimed', attempt: 2, ignored: 1 }, 1],
    ['was ignored as often as it has failed: the last attempt', { attempt: 2, failures: 1, ignored: 1 }, 2],
    [
      'was restarted as often as it has failed: its attempt',
      { state: 'waiting', attempt: 2, failures: 1, restarts: 1 },
      2,
    ],
    ['cannot start: its attempt', { state: 'waiting', attempt: 2, unstartedSince: at(1) }, 2],
  ])('an index %s', async (_, record, exitCode) => {
    expect((await collected(withRecord('.r', record), two)).told).toEqual([[exitCode, [0]]]);
  });

  test.each<Partial<IndexRecord>>([
    { state: 'succeeded', attempt: 2, failures: 1 },
    { state: 'running', attempt: 1 },
  ])('not an index that has succeeded at last, or never failed: %j', async (record) => {
    expect(await collected(withRecord('.r', record), two)).toMatchObject({ told: [], spans: [] });
  });

  test('an attempt that did not fail hides no earlier one that did', async () => {
    const stopped = endOf(0, 2, 2, { judgement: { as: 'released', why: { kind: 'scaledDown' } } });
    const found = await collected(withRecord('.r', { state: 'pending', attempt: 2, failures: 1 }), [two[0]!, stopped]);
    expect(found.told).toEqual([[1, [0]]]);
  });

  test.each([
    [500, false],
    [501, true],
  ])('%i indexes: are there more? %j', async (count, more) => {
    const found = await collected(
      aBoard('1'.repeat(count)),
      Array.from({ length: count }, (_, index) => endOf(index, 1)),
    );
    expect(found.more).toBe(more);
    expect(found.groups[0]?.indexes).toHaveLength(500);
  });

  test.each([
    [10, false],
    [11, true],
  ])('%i kinds of failure: are there more? %j', async (count, more) => {
    const records = Array.from({ length: count }, (_, index) => endOf(index, index + 1));
    const found = await collected(aBoard('1'.repeat(count)), records, ['no']);
    expect(found.more).toBe(more);
    expect(found.groups).toHaveLength(10);
    expect(found.pages).toHaveLength(10);
  });

  test.each([
    [8, 1, 0, false],
    [9, 1, 0, true],
    [9, 1, 1, true],
    [9, 0, 0, false],
  ])('of %i chunks eight are read; after %i failures and %i restarts, are there more? %j', async (...row) => {
    const [count, failed, restarts, more] = row;
    const { status, ...rest } = aBoard('.', { completions: count * CHUNK_INDEXES });
    const chunks = Array.from({ length: count }, () => ({ ...freshSummary(0), pending: CHUNK_INDEXES }));
    expect((await collected({ ...rest, status: { ...status, chunks, failed, restarts } }, [])).more).toBe(more);
  });
});

describe('the log of one that has failed', () => {
  test('its last lines that are not blank, cut where they are long', async () => {
    const log = ['first', 'second', ' ', 'third  ', 'x'.repeat(401), ''];
    const { groups, pages } = await collected(aBoard('1'), [endOf(0, 1)], log);
    expect(groups[0]?.log).toEqual({ kind: 'ok', value: ['second', 'third', 'x'.repeat(400)] });
    expect(pages).toEqual([{ taskArn: arnOf(0), container: 'main', before: null, linesMax: 20 }]);
  });

  test('of the container that ended it; of the main one if none is named', async () => {
    const sidecar = endOf(0, 1, 1, { ending: { cause: 'Error', exitCode: 1, container: 'side', reason: '' } });
    const none = endOf(0, 1, 1, { ending: { cause: 'Error', exitCode: 1, container: null, reason: '' } });
    expect((await collected(aBoard('1'), [sidecar])).pages).toMatchObject([{ container: 'side' }]);
    expect((await collected(aBoard('1'), [none])).pages).toMatchObject([{ container: 'main' }]);
  });

  test('without a task there is none', async () => {
    const { groups, pages } = await collected(aBoard('1'), [endOf(0, 1, 1, { taskArn: null })], ['no']);
    expect(groups[0]?.log).toEqual({ kind: 'ok', value: [] });
    expect(pages).toEqual([]);
  });
});
