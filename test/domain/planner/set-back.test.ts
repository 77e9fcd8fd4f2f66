import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chunksNeeded } from '../../../shared/domain/planner/chunks-needed.ts';
import { withinClock } from '../../../shared/domain/planner/set-back.ts';
import { workOn } from '../../../shared/domain/scoreboard/launch-row.ts';
import type { Status } from '../../../shared/domain/scoreboard/status.ts';
import type { EpochMs } from '../../../shared/domain/base/time.ts';
import { anyStatus } from '../../support/arbitrary-board.ts';
import { AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import {
  type Situation,
  aBoard,
  after,
  arnOf,
  at,
  brief,
  deleted,
  ended,
  exited,
  plan,
  recordOf,
  wakeSec,
} from '../../support/a-board.ts';

// A clock that is set back, or was far ahead, does not prolong a Job's waits. r running, . pending, b a Pod between two
// tasks, c claimed.

const pass = (board: Situation, facts: Parameters<typeof plan>[1] = [], sec = 0): Situation =>
  after(board, plan(board, facts, sec));
const startsAt = (board: Situation, sec: number): boolean => brief(plan(board, [], sec)).includes('launch');

const HOUR_SEC = 3_600;
/** Just more than the clocks of functions may differ. */
const BACK_SEC = [11, 60, HOUR_SEC] as const;

describe('a clock set back during a back-off', () => {
  test.each(BACK_SEC)('of the Job, by %i s: it waits for at most the whole back-off', (backSec) => {
    const failed = pass(aBoard('r'), [exited(0, 1, 100)], 100);
    expect(startsAt(failed, 109)).toBe(false);
    const clock = 100 - backSec;
    const found = plan(failed, [], clock);
    expect(wakeSec(found)).toBeLessThanOrEqual(clock + 10);
    expect(startsAt(after(failed, found), clock + 10)).toBe(true);
  });

  test.each(BACK_SEC)('of an index, by %i s', (backSec) => {
    const perIndex = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 20 };
    const failed = pass(aBoard('r', perIndex), [exited(0, 1, 100)], 100);
    const clock = 100 - backSec;
    const found = after(failed, plan(failed, [], clock));
    expect(startsAt(failed, clock) || startsAt(found, clock + 20)).toBe(true);
  });

  test.each(BACK_SEC)('of a Pod between two tasks, by %i s', (backSec) => {
    const onFailure = { restartPolicy: 'OnFailure' } as const;
    let board = pass(aBoard('r', onFailure), [exited(0, 1, 50)], 50);
    board = pass(board, [], 50);
    board = pass(board, [exited(0, 1, 100, 1, recordOf(board, 0).nonce)], 100);
    expect(startsAt(board, 105)).toBe(false);
    const clock = 100 - backSec;
    const found = after(board, plan(board, [], clock));
    expect(startsAt(board, clock) || startsAt(found, clock + 30)).toBe(true);
  });

  test('the chunk is loaded, although its summary says that nothing is due', () => {
    const perIndex = { backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 20, parallelism: 1 };
    const { job, status } = pass(aBoard('r', perIndex), [exited(0, 1, 100)], 100);
    const waiting = { ...status, chunks: status.chunks.map((chunk) => ({ ...chunk, waiting: 1, pending: 0 })) };
    expect(waiting.chunks[0]?.soonestDue).toBe(at(110));
    expect(chunksNeeded(job, withinClock(waiting, at(-HOUR_SEC), AWS_TIMING), [], at(-HOUR_SEC))).toEqual([0]);
  });
});

describe('other waits', () => {
  const back = -HOUR_SEC;
  test('unanswered claims are sent again after the usual time', () => {
    const found = pass(aBoard('c'), [], back);
    expect(startsAt(found, back + 59)).toBe(false);
    expect(startsAt(found, back + 60)).toBe(true);
  });

  test('stops are asked for again after the usual time', () => {
    const asked = pass(aBoard('R'), [], 0);
    const found = pass(asked, [], back);
    expect(brief(plan(found, [], back + 30))).toContain('stop 0');
  });

  test('active attempts are looked up after the usual time', () => {
    const found = pass(aBoard('r'), [], back);
    expect(found.status.inspect?.at).toBe(at(back + 300));
  });

  test('publications continue', () => {
    const told = { published: { version: 5, seq: 0, at: at(0) } };
    const board = aBoard('r .', { status: told });
    const found = pass(board, [exited(0, 0, back)], back);
    expect(plan(found, [], back + 1).publish).toBe(true);
  });

  test('so they do after a publication of a clock that was minutes ahead', () => {
    const board = aBoard('r .', { status: { published: { version: 5, seq: 0, at: at(300) } } });
    expect(plan(board, [exited(0, 0, 1)], 1).publish).toBe(true);
  });

  test('the deadline comes after its time, counted from now at the latest', () => {
    const board = pass(aBoard('r', { activeDeadlineSec: 60, status: { startTime: at(0) } }), [], back);
    expect(board.status.startTime).toBe(at(back));
    expect(brief(plan(board, [], back + 59))).toBe('running');
    expect(brief(plan(board, [], back + 60))).toContain('DeadlineExceeded');
  });

  test('so does the time to live of what is finished', () => {
    const verdict = { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null } as const;
    const phase = { kind: 'finished', verdict, since: at(0), at: at(0) } as const;
    const board = aBoard('S', { ttlSecAfterFinished: 10, phase });
    expect(plan(board, [], back + 9).outlived).toBe(false);
    const found = pass(board, [], back);
    expect(plan(found, [], back + 10).outlived).toBe(true);
  });

  test('an attempt that cannot start ends after its time, counted from its next try at the latest', () => {
    const board = pass(aBoard('c', { pendingTimeoutSec: 900 }), [ended(0, 'StartFailed', 0)], 0);
    const tried = pass(pass(board, [], back), [ended(0, 'StartFailed', back + 20, 1, 1)], back + 20);
    expect(recordOf(tried, 0).unstartedSince).toBe(at(back + 20));
  });

  test('a launch recorded by a wrong clock may have any age, so its task is searched for', () => {
    const slot = { index: 0, attempt: 1, nonce: 0, state: 'launching', since: at(0) } as const;
    const work = workOn({ row: 0, version: 1, slots: [slot] }, { launch: [slot], stop: [] }, at(back));
    expect(work.find).toHaveLength(1);
  });

  test('the Job is published with the times of the current clock', () => {
    const board = aBoard('r', { phase: { kind: 'suspended', since: at(0) }, suspend: true });
    const found = plan(board, [deleted(0), ended(0, 'Stopped', back)], back);
    expect(found.status?.phase).toMatchObject({ since: at(back) });
    expect(plan(after(board, found), [], back + 1).publish).toBe(true);
  });
});

test('a clock that is slightly late is ignored, and the time of the Job stands still', () => {
  const failed = pass(aBoard('r'), [exited(0, 1, 100)], 100);
  expect(withinClock(failed.status, at(90), AWS_TIMING)).toBe(failed.status);
  expect(plan(failed, [], 90).status?.now ?? at(100)).toBe(at(100));
  expect(withinClock(failed.status, at(89), AWS_TIMING).now).toBe(at(89));
});

describe('every field of STATUS that may be a time', () => {
  const CLOCK = at(-HOUR_SEC);
  const seen = (status: Status): Status => withinClock({ ...status, now: at(0) }, CLOCK, AWS_TIMING);

  test('of a summary of a chunk is a moment that is over, or a number that stays', () => {
    fc.assert(
      fc.property(anyStatus, (status) => {
        for (const [no, chunk] of seen(status).chunks.entries())
          for (const [name, value] of Object.entries<number | null>(chunk)) {
            const before = (status.chunks[no] as Readonly<Record<string, number | null>> | undefined)?.[name] ?? null;
            const latest = name.endsWith('Since') ? CLOCK / 1000 : name.endsWith('Due') ? CLOCK : Infinity;
            expect([name, value]).toEqual([name, before === null ? null : Math.min(before, latest)]);
          }
      }),
      { numRuns: 50 },
    );
  });

  test('is not in the future, but for what is waited for', () => {
    const future = at(HOUR_SEC);
    const late = Object.entries(seen(inFuture(future)))
      .filter(([, value]) => JSON.stringify(value).includes(String(future)))
      .map(([name]) => name);
    expect(late).toEqual(['resumedAt', 'endedSuspendedSince', 'journal', 'events']);
  });

  /** All of its times are this one. */
  function inFuture(then: EpochMs): Status {
    const { status } = aBoard('r');
    const verdict = { kind: 'complete', reason: 'SuccessPolicy', message: '', decidedBy: null } as const;
    return {
      ...status,
      phase: { kind: 'finished', verdict, since: then, at: then },
      startTime: then,
      resumedAt: then,
      endedSuspendedSince: then,
      replacedTasks: [{ index: 0, attempt: 1, nonce: 0, taskArn: arnOf(0), since: then }],
      backoff: { failures: 1, lastFailureAt: then },
      inFlight: [{ index: 0, attempt: 1, nonce: 0, dueAt: then }],
      stopRound: { cursor: 0, startedAt: then },
      inspect: { at: then, intervalMs: 1 },
      alarms: [then],
      journal: { nextSeq: 1, entries: [{ seq: 0, transition: { index: 0, attempt: 1, op: 'lost', notBefore: then } }] },
      events: [{ type: 'Normal', reason: '', message: '', version: 1, firstAt: then, at: then, count: 1 }],
      published: { version: 1, seq: 0, at: then },
      unannounced: { changes: [], dueAt: then },
      achieved: { verdict, since: then },
      gang: { restarts: 0, since: then, isReady: false },
    };
  }
});
