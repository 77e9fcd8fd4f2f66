import { describe, expect, test } from 'vitest';
import type { Fact } from '../../../shared/domain/base/fact.ts';
import type { JobSpec } from '../../../shared/domain/manifests/job.ts';
import type { Phase, Verdict } from '../../../shared/domain/scoreboard/status.ts';
import { type Situation, aBoard, after, at, brief, ended, exited, plan, wakeSec } from '../../support/a-board.ts';
import { conditionsOf } from '../../support/shown.ts';

// activeDeadlineSeconds, from the start or the last resume; ttlSecondsAfterFinished, from the end (kubernetes-job.md 3, 8.1).

const pass = (board: Situation, facts: readonly Fact[] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));
const edited = (board: Situation, change: Partial<JobSpec>): Situation => ({
  ...board,
  job: { ...board.job, revision: board.job.revision + 1, spec: { ...board.job.spec, ...change } },
});
const quiet = (board: Situation): Situation => ({ ...board, status: { ...board.status, alarms: [] } });

describe('the deadline', () => {
  test.each([
    [59, 'running'],
    [60, 'draining DeadlineExceeded, stop 0'],
    [61, 'draining DeadlineExceeded, stop 0'],
  ])('of 60 s, at %i s: %s', (sec, expected) => {
    expect(brief(plan(edited(aBoard('r'), { activeDeadlineSec: 60 }), [], sec))).toBe(expected);
  });

  test('a pass requests a wake-up at exactly that time', () => {
    expect(wakeSec(plan(quiet(aBoard('r', { activeDeadlineSec: 60 })), [], 1))).toBe(60);
    expect(wakeSec(plan(quiet(aBoard('. .', { activeDeadlineSec: 60, parallelism: 0 })), [], 1))).toBe(60);
  });

  test('running Pods count as failed when they have stopped', () => {
    const board = pass(aBoard('r r', { activeDeadlineSec: 60 }), [], 60);
    expect(pass(board, [ended(0, 'Stopped', 61), ended(1, 'Stopped', 61)], 61).status).toMatchObject({
      failed: 2,
      phase: { kind: 'finished', verdict: { reason: 'DeadlineExceeded', decidedBy: null } },
    });
  });

  test('a success in the second of the deadline comes too late', () => {
    const board = aBoard('r', { activeDeadlineSec: 60 });
    expect(conditionsOf(pass(board, [exited(0, 0, 60)], 60))).toBe('FailureTarget Failed');
    expect(conditionsOf(pass(board, [exited(0, 0, 59)], 59))).toBe('SuccessCriteriaMet Complete');
  });

  test('no time passes while it is suspended, and it starts over at the resume', () => {
    const suspended = pass(edited(aBoard('. .', { activeDeadlineSec: 60 }), { suspend: true }), [], 50);
    expect(brief(plan(suspended, [], 5_000))).not.toContain('Deadline');
    expect(wakeSec(plan(quiet(suspended), [], 51))).toBeNull();
    const resumed = pass(edited(suspended, { suspend: false }), [], 5_000);
    expect(brief(plan(resumed, [], 5_059))).not.toContain('Deadline');
    expect(brief(plan(resumed, [], 5_060))).toContain('DeadlineExceeded');
  });

  test('nor while its Pods still stop before the resume', () => {
    const suspended = pass(edited(aBoard('r .', { activeDeadlineSec: 60 }), { suspend: true }), [], 50);
    expect(brief(plan(edited(suspended, { suspend: false }), [], 5_000))).toContain('suspended');
  });

  test('a suspend in the second of the deadline wins', () => {
    const board = edited(aBoard('. .', { activeDeadlineSec: 60 }), { suspend: true });
    expect(brief(plan(board, [], 60))).toBe('suspended');
  });

  test('it may be set, moved, and removed while the Job runs', () => {
    const board = aBoard('r');
    expect(brief(plan(edited(board, { activeDeadlineSec: 10 }), [], 30))).toContain('DeadlineExceeded');
    const later = edited(edited(board, { activeDeadlineSec: 10 }), { activeDeadlineSec: 40 });
    expect(brief(plan(later, [], 30))).not.toContain('Deadline');
    expect(brief(plan(edited(later, { activeDeadlineSec: null }), [], 90))).not.toContain('Deadline');
  });

  test('a finished Job has none', () => {
    const done = pass(aBoard('S', { activeDeadlineSec: 60 }), [], 1);
    expect(conditionsOf(pass(done, [], 61))).toBe('SuccessCriteriaMet Complete');
  });
});

describe('the time to live', () => {
  const complete: Verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null };
  const failed: Verdict = { kind: 'failed', reason: 'BackoffLimitExceeded', message: '', decidedBy: null };
  const finished = (verdict: Verdict): Phase => ({ kind: 'finished', verdict, since: at(0), at: at(100) });
  const outlived = (board: Situation, sec: number): boolean => plan(board, [], sec).outlived;

  test.each([
    ['Complete', complete],
    ['Failed', failed],
  ] as const)('of 30 s after %s, at its second', (_, verdict) => {
    const board = aBoard('S', { phase: finished(verdict), ttlSecAfterFinished: 30 });
    expect(outlived(board, 129)).toBe(false);
    expect(outlived(board, 130)).toBe(true);
    expect(wakeSec(plan(board, [], 101))).toBe(130);
  });

  test('of 0 s: in the pass that finishes it', () => {
    const next = plan(aBoard('r', { ttlSecAfterFinished: 0 }), [exited(0, 0, 7)], 7);
    expect(next).toMatchObject({ outlived: true, status: { phase: { kind: 'finished' } } });
  });

  test('none: it stays', () => {
    expect(outlived(aBoard('S', { phase: finished(complete) }), 1e9)).toBe(false);
  });

  test('only a finished Job has one', () => {
    const draining: Phase = { kind: 'draining', verdict: failed, since: at(0) };
    for (const phase of [{ kind: 'running' }, { kind: 'suspended', since: at(0) }, draining] as const) {
      expect(outlived(aBoard('r .', { phase, ttlSecAfterFinished: 0 }), 500)).toBe(false);
    }
  });

  test('it may be raised, lowered, set, and removed after the end', () => {
    const board = aBoard('S', { phase: finished(complete), ttlSecAfterFinished: 30 });
    expect(outlived(edited(board, { ttlSecAfterFinished: 60 }), 130)).toBe(false);
    expect(outlived(edited(board, { ttlSecAfterFinished: 60 }), 160)).toBe(true);
    expect(outlived(edited(board, { ttlSecAfterFinished: 5 }), 105)).toBe(true);
    expect(outlived(edited(board, { ttlSecAfterFinished: null }), 1e9)).toBe(false);
    expect(outlived(edited(aBoard('S', { phase: finished(complete) }), { ttlSecAfterFinished: 10 }), 110)).toBe(true);
  });

  test('a later pass deletes the Job if a pass died before that', () => {
    const board = aBoard('S', { phase: finished(complete), ttlSecAfterFinished: 30 });
    const first = plan(board, [], 130);
    expect(wakeSec(first)).toBe(190);
    expect(outlived(after(board, first), 190)).toBe(true);
  });

  test('of a Job that was scaled down', () => {
    const board = aBoard('S S S', { completions: 2, phase: finished(complete), ttlSecAfterFinished: 30 });
    expect(outlived(board, 130)).toBe(true);
  });
});
