import { describe, expect, test } from 'vitest';
import {
  type Why,
  decidingIndex,
  isPastDeadline,
  whyText,
  withDecidingItem,
  withinBounds,
} from '../../../shared/domain/scoreboard/why.ts';
import type { Verdict } from '../../../shared/domain/scoreboard/status.ts';
import { aBoard, after, at, ended, exited, plan } from '../../support/a-board.ts';
import { ALL_WHYS } from './whys.ts';

describe('the sentence', () => {
  test.each(ALL_WHYS)('of %j: %s', (why, text) => {
    expect(whyText(why)).toBe(text);
  });

  test('names the item of the index that decided, where it is known', () => {
    const why: Why = { kind: 'jobFailed', reason: 'FailedIndexes', message: 'two; decided by index 5', decidedBy: 1 };
    expect(whyText(withDecidingItem(why, 'my banana.txt'))).toBe(
      'the Job failed: FailedIndexes (two; decided by index 5; decided by index 1: my banana.txt)',
    );
    const stopped: Why = { kind: 'scaledDown' };
    expect(withDecidingItem(stopped, 'x')).toEqual(stopped);
  });
});

describe('what decides is never read from a text', () => {
  const failJob = { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } } as const;

  test.each([10, 50, 63])('the index that decided is known, with a name of %i characters', (chars) => {
    const board = aBoard('r r', { backoffLimitPerIndex: 0, podFailurePolicy: { rules: [failJob] } });
    const named = { ...board, job: { ...board.job, name: 'n'.repeat(chars) } };
    const failing = after(named, plan(named, [exited(0, 42)]));
    const [stopped] = plan(failing, [ended(1, 'Stopped')]).ended;
    expect(stopped?.judgement.why).toMatchObject({ kind: 'jobFailed', reason: 'PodFailurePolicy', decidedBy: 0 });
  });

  /** Stopped with a Job that has succeeded by no index, with this message of its user's. */
  function stoppedWith(message: string): Why {
    const verdict: Verdict = { kind: 'complete', reason: 'SuccessPolicy', message, decidedBy: null };
    const board = aBoard('r', { phase: { kind: 'draining', verdict, since: at(0) } });
    const [stopped] = plan(board, [ended(0, 'Stopped')]).ended;
    expect(stopped?.judgement.as).toBe('released');
    return stopped?.judgement.why ?? { kind: 'said', sentence: '' };
  }

  test("a user's message forges no deadline", () => {
    const why = stoppedWith('enough (DeadlineExceeded');
    expect(whyText(why)).toBe('the Job succeeded: SuccessPolicy (enough (DeadlineExceeded)');
    expect(isPastDeadline(why)).toBe(false);
  });

  test("a user's message forges no index that decided", () => {
    const why = stoppedWith('enough; decided by index 5');
    expect(whyText(why)).toBe('the Job succeeded: SuccessPolicy (enough; decided by index 5)');
    expect(decidingIndex(why)).toBeNull();
  });
});

describe('texts of others are cut, and nothing else', () => {
  const LONG = 'ü'.repeat(1_000);
  const cut = `${'ü'.repeat(98)}…`;

  test.each<readonly [Why, object]>([
    [
      { kind: 'jobFailed', reason: 'R', message: LONG, decidedBy: 999_999 },
      { message: cut, decidedBy: 999_999 },
    ],
    [
      { kind: 'jobSucceeded', reason: LONG, message: LONG, decidedBy: 1 },
      { reason: `${'ü'.repeat(62)}…`, message: `${'ü'.repeat(35)}…`, decidedBy: 1 },
    ],
    [{ kind: 'regrouped', message: LONG }, { message: cut }],
    [
      { kind: 'policyRule', rule: 7, action: 'Count', what: LONG },
      { rule: 7, action: 'Count', what: cut },
    ],
    [{ kind: 'unstarted', reason: LONG }, { reason: cut }],
    [{ kind: 'lost', reason: LONG }, { reason: cut }],
    [
      { kind: 'startTimedOut', sec: 9, reason: LONG },
      { sec: 9, reason: cut },
    ],
    [
      { kind: 'lostTooOften', times: 9, reason: LONG },
      { times: 9, reason: cut },
    ],
    [{ kind: 'said', sentence: LONG }, { sentence: cut }],
  ])('%#', (why, expected) => {
    expect(withinBounds(why)).toEqual({ ...why, ...expected });
  });

  test('what is short stays as it is', () => {
    for (const [why] of ALL_WHYS) expect(withinBounds(why)).toEqual(why);
    const full: Why = { kind: 'said', sentence: 'x'.repeat(200) };
    expect(withinBounds(full)).toEqual(full);
  });

  test('between characters', () => {
    const { sentence } = withinBounds({ kind: 'said', sentence: 'x😀'.repeat(100) }) as { readonly sentence: string };
    expect(sentence).not.toMatch(/\p{Surrogate}/u);
    expect(sentence).toBe(`${'x😀'.repeat(39)}x…`);
  });
});
