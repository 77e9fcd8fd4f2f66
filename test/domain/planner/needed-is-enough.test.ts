import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHUNK_INDEXES } from '../../../shared/domain/scoreboard/board.ts';
import { chunksNeeded } from '../../../shared/domain/planner/chunks-needed.ts';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import type { Plan } from '../../../shared/domain/planner/plan.ts';
import { planJob } from '../../../shared/domain/planner/plan-job.ts';
import { AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import { type Situation, aBoard, at, brief, ended, plan, recordOf, wakeSec } from '../../support/a-board.ts';

// A pass reads only the chunks that it requests. With them it decides as if it had the whole board, and sends itself no wake-up
// for what it cannot see. S succeeded, r running, c claimed, . pending, w in back-off until 10 s, b a Pod between two tasks
// until 10 s, R asked to stop, D its Pod was deleted, F failed for good.

function withNeeded({ job, status, stored }: Situation, facts: readonly Fact[], sec: number): Plan {
  const needed = chunksNeeded(job, status, facts, at(sec));
  const hand = new Map([...stored].filter(([no]) => needed.includes(no)));
  return planJob(job, status, hand, facts, at(sec), AWS_TIMING);
}

const stretch = fc.string({
  unit: fc.constantFrom('S', 'S', 'r', 'c', '.', '.', 'w', 'b', 'R', 'D', 'F'),
  maxLength: 6,
});

test('any board of up to three chunks, grown or shrunk', () => {
  fc.assert(
    fc.property(
      fc.record({
        first: stretch,
        second: stretch,
        third: stretch,
        /** completions; the rest of the board is from a larger Job */
        cut: fc.option(fc.tuple(fc.constantFrom(0, 1, 2), fc.nat(8)), { freq: 2 }),
        parallelism: fc.nat(9),
        perIndex: fc.boolean(),
        ending: fc.subarray([0, 1, 2], { maxLength: 2 }),
        sec: fc.constantFrom(0, 9, 10, 20),
      }),
      ({ first, second, third, cut, parallelism, perIndex, ending, sec }) => {
        const full = (strip: string): string => strip.padEnd(CHUNK_INDEXES, 'S');
        const strip = full(first) + full(second) + third;
        const completions = cut === null ? strip.length : Math.min(strip.length, cut[0] * CHUNK_INDEXES + cut[1]);
        const board = aBoard(strip, {
          completions,
          parallelism,
          backoffLimit: 1_000,
          ...(perIndex ? { backoffLimitPerIndex: 5 } : {}),
          status: { alarms: [] },
        });
        const facts = ending.flatMap((no) => {
          const index = no * CHUNK_INDEXES;
          const active = index < strip.length && recordOf(board, index).state === 'running';
          return active ? [ended(index, 'Completed', sec)] : [];
        });
        const whole = plan(board, facts, sec);
        const part = withNeeded(board, facts, sec);
        expect(words(part)).toBe(words(whole));
        expect(part.inBackoff).toEqual(whole.inBackoff);
        fc.pre(!words(part).startsWith('gives'));
        expect(isAtOnce(part, sec)).toBe(isAtOnce(whole, sec));
      },
    ),
    { numRuns: 40 },
  );
});

/**
 * Compares how many attempts are stopped, not which ones: the highest loaded index comes first, whatever the other
 * chunks have.
 */
function words(next: Plan): string {
  const steps = next.status?.journal.entries.map(({ transition }) => transition.op) ?? [];
  const givenUp = steps.filter((op) => op === 'stopping' || op === 'released').length;
  return givenUp === 0 ? brief(next) : `gives ${givenUp} up`;
}

/** The pass requests the next one without waiting. */
const isAtOnce = (next: Plan, sec: number): boolean => (wakeSec(next) ?? Infinity) <= sec;

describe('earlier faults', () => {
  test('an index in back-off without a place causes no wake-up when its time has come', () => {
    const board = aBoard('r r w', { before: CHUNK_INDEXES - 2, status: { alarms: [] } });
    expect(wakeSec(withNeeded(board, [], 20))).toBe(300); // to look up the others
  });

  test('successes beyond completions do not hide open indexes within them', () => {
    const succeeded = 'S'.repeat(3_000);
    const board = aBoard(`.${succeeded.slice(1)}${succeeded}`, { completions: 5_000, parallelism: 5_000 });
    expect(brief(withNeeded(board, [], 20))).toBe('running, launch 0');
  });

  test('an index lost to infrastructure is included while the whole Job is in back-off', () => {
    const backoff = { failures: 1, lastFailureAt: at(0) };
    const board = aBoard('w 1', { parallelism: 1, status: { alarms: [], backoff } });
    expect(wakeSec(plan(board, [], 5))).toBe(10);
  });
});
