import { describe, expect, test } from 'vitest';
import { wanted } from '../../../shared/domain/planner/launches.ts';
import { parseStatusIndexes } from '../../../shared/domain/base/index-set.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import { initialChunk } from '../../../shared/domain/scoreboard/initial-board.ts';
import { freshStatus, tally } from '../../../shared/domain/scoreboard/status.ts';
import {
  type Situation,
  aBoard,
  after,
  at,
  brief,
  ended,
  exited,
  launched,
  plan,
  stripOf,
} from '../../support/a-board.ts';

// Jobs in which not every index runs. I: inherited, x: excluded; the other letters are those of every board.

const set = (text: string) => parseStatusIndexes(text, Infinity);

/** A new Job of `completions` indexes; its board has never been stored. */
function aRerun(completions: number, inherited: string, excluded: string, spec: Partial<JobSpec> = {}): Situation {
  const selection = { inherited: set(inherited), excluded: set(excluded) };
  const { job } = aBoard('', { completions, selection, ...spec });
  return { job, status: freshStatus(job, at(0)), stored: new Map([[0, initialChunk(selection, 0)]]) };
}

/** What one pass after another does while every task succeeds, until nothing changes. */
function run(situation: Situation): { readonly said: readonly string[]; readonly last: Situation } {
  const said: string[] = [];
  let now = situation;
  for (let pass = 0; pass < 20; pass++) {
    const strip = stripOf(now).split(' ');
    const facts = [...strip.entries()].flatMap(([index, letter]) =>
      letter === 'c' ? [launched(index), ended(index, 'Completed', pass)] : [],
    );
    const next = plan(now, facts, pass);
    if (next.status === null) break;
    said.push(brief(next));
    now = after(now, next);
    if (next.status.phase.kind === 'finished') break;
  }
  return { said, last: now };
}

describe('a whole Job', () => {
  test.each<[because: string, inherited: string, excluded: string, said: readonly string[], strip: string]>([
    [
      'only what is neither inherited nor excluded is launched',
      '0,1',
      '4',
      ['running, launch 2 3', 'running, launch 5', 'finished CompletionsReached'],
      'I I S S x S',
    ],
    ['only the chosen ones', '', '0-3,5', ['running, launch 4', 'finished CompletionsReached'], 'x x x x S x'],
    ['only what is left', '0-4', '', ['running, launch 5', 'finished CompletionsReached'], 'I I I I I S'],
  ])('%s', (_, inherited, excluded, said, strip) => {
    const { said: heard, last } = run(aRerun(6, inherited, excluded));
    expect({ heard, strip: stripOf(last) }).toEqual({ heard: said, strip });
  });

  test('every success counts, and nothing else does', () => {
    const { last } = run(aRerun(6, '0,1', '4'));
    expect(tally(last.status.chunks)).toMatchObject({ succeeded: 5, excluded: 1, pending: 0, failed: 0 });
    expect(last.status.failed).toBe(0);
  });
});

describe('parallelism', () => {
  test.each<[because: string, strip: string, spec: Partial<JobSpec>, expected: string]>([
    ['excluded and inherited indexes take no place', 'I x I x . . .', { parallelism: 2 }, 'running, launch 4 5'],
    ['nor do they count as running', 'I x r . . .', { parallelism: 2 }, 'running, launch 3'],
  ])('%s', (_, strip, spec, expected) => {
    expect(brief(plan(aBoard(strip, spec)))).toBe(expected);
  });
});

test.each<[strip: string, start: number]>([
  ['I x . . x x', 2],
  ['I x S . x x', 1],
  ['x x x x x x', 0],
])('of %s, no more than %i are wanted', (strip, start) => {
  const { job, status } = aBoard(strip, { parallelism: 9 });
  const all = tally(status.chunks);
  expect(wanted(job.spec, { all, within: all })).toEqual({ start, surplus: 0, outOfRange: 0 });
});

describe('the end', () => {
  const perIndex = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 0 };
  const listed = (text: string | null, count: number | null) => ({
    successPolicy: [{ indexes: text === null ? null : set(text), count }],
  });
  test.each<[because: string, strip: string, spec: Partial<JobSpec>, expected: string]>([
    ['all chosen ones have succeeded', 'I S x S', {}, 'finished CompletionsReached'],
    ['one has not', 'I S x r', {}, 'nothing changes'],
    ['a failed one beside excluded ones', 'I F x S', perIndex, 'finished FailedIndexes'],
    ['one failed, one left', 'I F x r', perIndex, 'nothing changes'],
    ['too many failed', 'I F x F r', { ...perIndex, maxFailedIndexes: 1 }, 'draining MaxFailedIndexesExceeded, stop 4'],
    ['excluded ones have not failed', 'x x F r', { ...perIndex, maxFailedIndexes: 1 }, 'nothing changes'],
    [
      'a policy that an inherited success would meet together with one more',
      'I S x .',
      listed('0,1', null),
      'finished SuccessPolicy',
    ],
    ['a policy that counts successes counts inherited ones', 'I S x .', listed(null, 2), 'finished SuccessPolicy'],
    ['and no excluded ones', 'I x x r', listed(null, 2), 'nothing changes'],
    ['the limit of failures', 'I 7 x .', {}, 'finished BackoffLimitExceeded'],
    ['suspended', 'I . x .', { suspend: true }, 'suspended'],
  ])('%s', (_, strip, spec, expected) => {
    expect(brief(plan(aBoard(strip, spec)))).toBe(expected);
  });
});

test('a fact about an index that never runs changes nothing', () => {
  const board = aBoard('I x r');
  const next = plan(board, [exited(0, 1), exited(1, 1), launched(1), ended(0, 'Completed')]);
  expect(stripOf(after(board, next))).toBe('I x r');
});

test('an elastic rerun grows by indexes that run, and keeps what it has inherited when it is small again', () => {
  const small = aRerun(3, '0,1', '');
  const grown = { ...small, job: { ...small.job, spec: { ...small.job.spec, completions: 5, parallelism: 5 } } };
  const larger = plan(grown);
  expect([brief(larger), stripOf(after(grown, larger))]).toEqual(['running, launch 2 3 4', 'I I c c c']);
});
