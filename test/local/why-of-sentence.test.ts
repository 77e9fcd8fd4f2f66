import { describe, expect, test } from 'vitest';
import { type Sentenced, whyOfSentence } from '../../local/store/take-over/why-of-sentence.ts';
import type { Outcome } from '../../shared/domain/planner/plan.ts';
import type { Why } from '../../shared/domain/scoreboard/why.ts';
import { WHYS } from '../domain/scoreboard/whys.ts';

// Rows of data folders have whys as sentences, which formats 1 and 2 cut after 200 characters.

const { unstarted, lost, ...others } = WHYS;

const why = (because: string, as: Outcome = 'failed'): Why => whyOfSentence({ as, because }).why;

describe('a sentence of ours becomes what it was made from', () => {
  test.each(Object.values(others).flat())('%j', (expected, because) => {
    for (const as of ['succeeded', 'failed', 'failedForGood', 'ignored', 'restarted', 'released'] as const)
      expect(whyOfSentence({ as, because })).toEqual({ as, why: expected });
  });

  test.each(unstarted)('%j', (expected, because) => {
    expect(why(because, 'unstarted')).toEqual(expected);
  });

  test.each(lost)('%j', (expected, because) => {
    expect(why(because, 'lost')).toEqual(expected);
    expect(why(because, 'lostToSpot')).toEqual(expected);
  });
});

describe('any other stays as it is', () => {
  test.each([
    '',
    'exit code 3 or so',
    'Your Spot Task was interrupted.',
    'podFailurePolicy rule 0 (Retry): exit code 3',
    'it ran longer than it should (DeadlineExceeded)',
    'my Job failed: X (y)',
  ])('%j', (because) => {
    expect(why(because)).toEqual({ kind: 'said', sentence: because });
  });

  test("ECS's words are a reason, whatever they look like", () => {
    expect(why('exit code 3', 'unstarted')).toEqual({ kind: 'unstarted', reason: 'exit code 3' });
    expect(why('the Job was deleted', 'lost')).toEqual({ kind: 'lost', reason: 'the Job was deleted' });
  });
});

describe("a user's words", () => {
  const succeeded = (message: string): Sentenced => ({
    as: 'released',
    because: `the Job succeeded: SuccessPolicy (${message})`,
  });
  const kind = 'jobSucceeded';
  const reason = 'SuccessPolicy';

  test.each([
    ['enough (DeadlineExceeded', { message: 'enough (DeadlineExceeded', decidedBy: null }],
    ['a; decided by index 5; decided by index 3', { message: 'a; decided by index 5', decidedBy: 3 }],
    ['a\nb (c); decided by index 12', { message: 'a\nb (c)', decidedBy: 12 }],
  ])('%j', (message, expected) => {
    expect(whyOfSentence(succeeded(message)).why).toEqual({ kind, reason, ...expected });
  });
});

test('of a sentence that was cut, what is left counts', () => {
  const head = 'the Job failed: PodFailurePolicy (Container main for pod ';
  const because = `${head}${'n'.repeat(200)}`.slice(0, 200);
  expect(why(because)).toEqual({
    kind: 'jobFailed',
    reason: 'PodFailurePolicy',
    message: `Container main for pod ${'n'.repeat(200 - head.length)}…`,
    decidedBy: null,
  });
});
