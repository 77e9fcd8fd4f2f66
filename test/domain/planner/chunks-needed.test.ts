import { describe, expect, test } from 'vitest';
import { CHUNK_INDEXES, type ChunkSummary, freshSummary } from '../../../shared/domain/scoreboard/board.ts';
import { chunksNeeded } from '../../../shared/domain/planner/chunks-needed.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import { extendJournal } from '../../../shared/domain/scoreboard/journal.ts';
import type { Claim, Phase, Status, Verdict } from '../../../shared/domain/scoreboard/status.ts';
import { CHUNKS_PER_PASS_MAX } from '../../../shared/domain/base/timing.ts';
import { aBoard, at, running } from '../../support/a-board.ts';

// Which chunks a pass must load. A letter is a chunk of 4,096 indexes here: S all have succeeded, . all are pending, w all are
// in back-off until 10 s, h one is and the others have succeeded, b all are Pods between two tasks, r all run, R all run and
// are asked to stop; a digit: this many run, the others have succeeded, and # as many as one pass stops run.

const LETTERS: Readonly<Record<string, Partial<ChunkSummary>>> = {
  S: { succeeded: CHUNK_INDEXES },
  '.': { pending: CHUNK_INDEXES },
  w: { pending: CHUNK_INDEXES, soonestDue: at(10) },
  h: { pending: 1, succeeded: CHUNK_INDEXES - 1, soonestDue: at(10) },
  b: { waiting: CHUNK_INDEXES, soonestDue: at(10) },
  r: { running: CHUNK_INDEXES },
  R: { running: CHUNK_INDEXES, stopping: CHUNK_INDEXES },
  '#': { running: 500, succeeded: CHUNK_INDEXES - 500 },
};

const summaries = (strip: string): readonly ChunkSummary[] =>
  Array.from(strip.replaceAll(' ', ''), (letter) => {
    const runs = Number(letter);
    const counts = Number.isInteger(runs) ? { running: runs, succeeded: CHUNK_INDEXES - runs } : LETTERS[letter];
    return { ...freshSummary(0), ...counts };
  });

type Wish = Partial<JobSpec> & { readonly phase?: Phase; readonly status?: Partial<Status> };

function needed(
  strip: string,
  { phase = { kind: 'running' }, status: also, ...spec }: Wish,
  facts: readonly Fact[],
  sec = 0,
) {
  const chunks = summaries(strip);
  const size = chunks.length * CHUNK_INDEXES;
  const { job, status } = aBoard('', {
    ...spec,
    completions: spec.completions === undefined ? size : spec.completions,
  });
  return chunksNeeded(job, { ...status, size, chunks, phase, ...also }, facts, at(sec));
}

/** A fact about the first index of a chunk. */
const inChunk = (no: number): Fact => running(no * CHUNK_INDEXES);
const claimIn = (no: number, dueSec: number): Claim => ({
  index: no * CHUNK_INDEXES,
  attempt: 1,
  nonce: 0,
  dueAt: at(dueSec),
});
const all = (chunks: number): Partial<JobSpec> => ({ parallelism: chunks * CHUNK_INDEXES });

const verdict: Verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: null };
const draining: Phase = { kind: 'draining', verdict, since: at(0) };
const finished: Phase = { kind: 'finished', verdict, since: at(0), at: at(0) };

type Row = readonly [strip: string, wish: Wish, facts: readonly Fact[], expected: readonly number[], because: string];

function table(rows: readonly Row[]): void {
  for (const [strip, wish, facts, expected, because] of rows) {
    test(`${strip} → ${expected.join(' ') || 'none'}: ${because}`, () => {
      expect(needed(strip, wish, facts)).toEqual(expected);
    });
  }
}

describe('facts', () => {
  table([
    ['r r r r', all(4), [], [], 'nothing has happened, nothing is needed'],
    ['r r r r', all(4), [inChunk(2)], [2], 'a fact needs its chunk'],
    ['r r r r', all(4), [inChunk(2), inChunk(0), inChunk(2)], [2, 0], 'each once'],
    ['r r r r', all(4), [inChunk(9)], [], 'an index that the board has not needs none'],
    ['r r S S', { phase: finished }, [inChunk(1)], [1], 'also when the Job is over'],
    ['. r S S', { phase: finished }, [], [], 'but nothing else does then'],
  ]);

  test.each([
    [-1, [1], 'the last index of the board'],
    [0, [], 'the first that it has not, though a chunk has room for it'],
  ])('%i past the end → %o: %s', (past, expected) => {
    const size = CHUNK_INDEXES + 7;
    const chunks = [CHUNK_INDEXES, 7].map((succeeded) => ({ ...freshSummary(0), succeeded }));
    expect(needed('', { completions: size, status: { size, chunks } }, [running(size + past)])).toEqual(expected);
  });
});

describe('starts', () => {
  table([
    ['S . . .', {}, [], [1], 'the first that has something to start'],
    ['w . . .', {}, [], [0], 'what is in back-off holds its place: none overtakes it'],
    ['h . . .', {}, [], [0, 1], 'as far as there are places'],
    ['h h . .', {}, [], [0, 1], 'and no further'],
    ['2 . . .', {}, [], [], 'parallelism is reached'],
    ['2 . . .', {}, [inChunk(0)], [0, 1], 'what has ended may make room'],
    ['S . . .', all(4), [], [1], 'a pass claims 500 at most'],
    [
      'S . . .',
      { suspend: true, phase: { kind: 'suspended', since: at(0) } },
      [],
      [],
      'nothing starts while suspended',
    ],
  ]);
});

describe('Pods between two tasks', () => {
  test.each([
    [9, [], 'nothing is due'],
    [10, [1], 'they have waited long enough'],
  ])('at %i s: %o, %s', (sec, expected) => {
    expect(needed('r b r r', all(4), [], sec)).toEqual(expected);
  });
});

describe('a smaller Job always needs the chunk of the cut, and needs it first', () => {
  const cut = { completions: CHUNK_INDEXES + 1, parallelism: 0 };
  table([
    ['S . S S', cut, [], [1], 'to know what of it counts'],
    ['S . S S', cut, [inChunk(3)], [1, 3], 'before the facts'],
    ['S S S S', { ...cut, phase: finished }, [], [1], 'also when it is over'],
    ['S S S S', { ...cut, completions: 2 * CHUNK_INDEXES, phase: finished }, [], [2], 'cut between two: the second'],
  ]);

  test('whatever the facts', () => {
    const facts = Array.from({ length: 99 }, (_, no) => inChunk(99 - no));
    expect(needed('S'.repeat(100), cut, facts)).toContain(1);
  });
});

describe('a surplus', () => {
  table([
    ['r r r r', { parallelism: 3 * CHUNK_INDEXES }, [], [3], 'the last that has something to give up'],
    ['r r 3 S', { parallelism: 2 * CHUNK_INDEXES + 1 }, [], [2], 'which need not be the last there is'],
    ['r r 3 S', { parallelism: 2 * CHUNK_INDEXES - 1 }, [], [2, 1], 'or as many as it takes'],
    ['r r R r', { parallelism: 3 * CHUNK_INDEXES }, [], [2], 'what is being stopped is no surplus, but has its round'],
  ]);
});

describe('stops', () => {
  const round = (cursor: number) => ({ cursor, startedAt: at(0) });
  table([
    ['S 3 S 3', { phase: draining }, [], [1, 3], 'all that has something to stop'],
    ['S # # 3', { phase: draining }, [], [1], 'no more than one pass can ask'],
    ['S 3 # #', { phase: draining }, [], [1, 2], 'as few as it takes'],
    [
      '3 3 3 3',
      { phase: draining, status: { stopRound: round(2 * CHUNK_INDEXES) } },
      [],
      [2, 3],
      'from where the round is',
    ],
    [
      '3 3 S S',
      { phase: draining, status: { stopRound: round(4 * CHUNK_INDEXES) } },
      [],
      [0, 1],
      'from the beginning after a whole round',
    ],
    ['r R S r', { parallelism: 9 * CHUNK_INDEXES }, [], [1], 'while the Job runs those that were asked to'],
  ]);
});

describe('claims', () => {
  const claims = { status: { inFlight: [claimIn(3, 60), claimIn(1, 90)] }, ...all(4) };
  test.each([
    [59, []],
    [60, [3]],
    [90, [3, 1]],
  ])('at %i s those are due of %o', (sec, expected) => {
    expect(needed('r r r r', claims, [], sec)).toEqual(expected);
  });

  test('by the time of the Job, where the clock is behind it', () => {
    expect(needed('r r r r', { ...claims, status: { ...claims.status, now: at(61) } }, [], 58)).toEqual([3]);
  });
});

describe('folds', () => {
  const journal = (count: number) =>
    extendJournal(
      { nextSeq: 0, entries: [] },
      Array.from(
        { length: count },
        (_, i) => ({ op: 'stopping', index: (i % 2) * 2 * CHUNK_INDEXES, attempt: 1 }) as const,
      ),
    );
  test.each([
    [249, 0, [], 'the journal is short'],
    [250, 0, [0, 2], 'this pass may fill it: the chunks of its entries'],
    [248, 1, [1], 'the facts count'],
    [249, 1, [1, 0, 2], 'as entries to come'],
  ])('%i entries, %i facts → %o: %s', (entries, facts, expected) => {
    const about = Array.from({ length: facts }, () => inChunk(1));
    expect(needed('r r r r', { ...all(4), status: { journal: journal(entries) } }, about)).toEqual(expected);
  });

  test('entries that are folded need nothing', () => {
    const chunks = summaries('r r r r').map((summary) => ({ ...summary, foldedSeq: 300 }));
    expect(needed('r r r r', { ...all(4), status: { journal: journal(300), chunks } }, [])).toEqual([]);
  });
});

describe('bounds', () => {
  const wide = 'r'.repeat(100);
  test('if more chunks have places, those where something may start come first', () => {
    const chunks = needed(`${'h'.repeat(120)}.`, { parallelism: 1_000 }, []);
    expect(chunks).toHaveLength(CHUNKS_PER_PASS_MAX);
    expect(chunks.slice(0, 2)).toEqual([120, 0]);
  });

  test('at most 90, with those of the facts first', () => {
    const facts = Array.from({ length: 80 }, (_, i) => inChunk(99 - i));
    const chunks = needed(wide, { phase: draining }, facts);
    expect(chunks).toHaveLength(81);
    expect(chunks.slice(0, 80)).toEqual(facts.map(({ index }) => index / CHUNK_INDEXES));
    const many = Array.from({ length: 100 }, (_, i) => inChunk(i));
    expect(needed(wide, { phase: draining }, many)).toHaveLength(CHUNKS_PER_PASS_MAX);
  });
});

test('slots that a larger parallelism adds to a work queue are in chunks of their own', () => {
  const queue = { completionMode: 'NonIndexed', completions: null, parallelism: 2 * CHUNK_INDEXES } as const;
  expect(needed('r', queue, [])).toEqual([1]);
});

describe('a gang that is not whole after its time', () => {
  const gang = { timeoutSec: 60, restartsMax: 1 };
  const waitsSince = (sec: number) => ({ gang: { restarts: 0, since: at(sec), isReady: false } });
  const starts = (no: number): readonly ChunkSummary[] =>
    Array.from('....', (_, each) => ({
      ...freshSummary(0),
      ...(each === no ? { starting: CHUNK_INDEXES } : { running: CHUNK_INDEXES }),
    }));

  test.each([
    [59, [], 'its time is not over'],
    [60, [2], 'the chunk of the first index that does not run, to name it'],
    [600, [2], 'however late the pass is'],
  ])('after %i s → %o: %s', (sec, expected) => {
    const status = { ...waitsSince(0), chunks: starts(2) };
    expect(needed('r r r r', { ...all(4), gang, status }, [], sec)).toEqual(expected);
  });

  test.each([
    ['all of them run', { gang: { restarts: 0, since: null, isReady: true } }],
    ['it is no gang', { gang: null }],
  ])('none where %s', (_, status) => {
    expect(needed('r r r r', { ...all(4), gang, status: { ...status, chunks: starts(2) } }, [], 600)).toEqual([]);
  });
});
