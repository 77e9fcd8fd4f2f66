import { describe, expect, test } from 'vitest';
import { asEpochMs } from '../../../shared/domain/base/time.ts';
import { AWS_TIMING } from '../../../shared/domain/base/timing.ts';
import { COMPLETED } from '../../../shared/domain/planner/decide-phase.ts';
import { planAnnouncement, withStateChange } from '../../../shared/domain/scoreboard/state-changes.ts';
import { type Phase, type StateChange, type Status, freshStatus } from '../../../shared/domain/scoreboard/status.ts';
import { aJob } from '../../support/a-job.ts';
import { toJob } from '../../../shared/store/to-job.ts';

const at = (sec: number) => asEpochMs(1_800_000_000_000 + sec * 1_000);
const fresh = freshStatus(toJob(aJob()), at(0));
const status = (phase: Phase, more: Partial<Status> = {}): Status => ({ ...fresh, phase, ...more });

const since = at(0);
const RUNNING = status({ kind: 'running' }, { startTime: at(0) });
const SUSPENDED = status({ kind: 'suspended', since });
const failed = { kind: 'failed', reason: 'FailedIndexes', message: '', decidedBy: null } as const;
const DRAINING = status({ kind: 'draining', verdict: failed, since }, { startTime: at(0) });
const FAILED = status({ kind: 'finished', verdict: failed, since, at: at(1) }, { startTime: at(0) });
const DONE = status({ kind: 'finished', verdict: COMPLETED, since, at: at(1) }, { startTime: at(0) });
const TERMINATING = status({ kind: 'terminating', since, ended: null }, { startTime: at(0) });
const PURGING = status({ kind: 'purging', since });
const GONE = status({ kind: 'deleted', since, at: at(1) });

describe('what others hear of a commit', () => {
  test.each([
    ['is created', null, fresh, null],
    ['is created suspended', null, SUSPENDED, 'Suspended'],
    ['starts', fresh, RUNNING, 'Started'],
    ['starts and ends', fresh, DONE, 'Completed'],
    ['starts and is past its deadline', fresh, DRAINING, 'Started'],
    ['goes on', RUNNING, RUNNING, null],
    ['is suspended', RUNNING, SUSPENDED, 'Suspended'],
    ['stays suspended', SUSPENDED, SUSPENDED, null],
    ['is resumed', SUSPENDED, RUNNING, 'Resumed'],
    ['completes while it is suspended', SUSPENDED, DONE, 'Completed'],
    ['is to end', RUNNING, DRAINING, null],
    ['completes', RUNNING, DONE, 'Completed'],
    ['fails', DRAINING, FAILED, 'Failed'],
    ['stays as it ended', DONE, DONE, null],
    ['is held by a finalizer', DONE, TERMINATING, null],
    ['is let go', TERMINATING, GONE, 'Deleted'],
    ['is deleted', RUNNING, PURGING, 'Deleted'],
    ['is deleted after its end', FAILED, PURGING, 'Deleted'],
    ['leaves nothing', PURGING, GONE, null],
  ])('a Job %s', (_, before, after, state) => {
    const { unannounced } = withStateChange(before, { ...after, version: 7, now: at(9) });
    expect(unannounced).toEqual(state === null ? null : { changes: [{ version: 7, state, at: at(9) }], dueAt: at(9) });
  });
});

test('what nobody takes stays in order; of a suspend and a resume too many, the oldest goes', () => {
  let last: Status = RUNNING;
  const turn = (to: Status): void => {
    last = withStateChange(last, { ...to, version: last.version + 1, unannounced: last.unannounced });
  };
  last = withStateChange(fresh, { ...RUNNING, version: 2 });
  for (let n = 0; n < 60; n++) {
    turn(SUSPENDED);
    turn(RUNNING);
  }
  turn(DONE);
  const changes = last.unannounced?.changes ?? [];
  expect(changes).toHaveLength(50);
  expect(changes.at(0)?.state).toBe('Started');
  expect(changes.at(-1)?.state).toBe('Completed');
  expect(changes.map(({ version }) => version)).toEqual(
    changes.map(({ version }) => version).toSorted((a, b) => a - b),
  );
});

describe('when a change is announced', () => {
  const change: StateChange = { version: 2, state: 'Started', at: at(0) };
  const waiting = (dueSec: number) => ({ changes: [change], dueAt: at(dueSec) });

  test('by the commit that makes it, and by nobody else for a minute', () => {
    const first = planAnnouncement(waiting(0), true, at(0), AWS_TIMING);
    expect(first).toEqual({ unannounced: waiting(60), now: true });
    expect(planAnnouncement(first.unannounced, false, at(59), AWS_TIMING)).toEqual({ ...first, now: false });
  });

  test.each([
    [60, 120],
    [120, 240],
    [3_000, 6_000],
    [5_000, 8_600],
    [90_000, 93_600],
  ])('if it is due after %i s, next after %i s', (now, next) => {
    expect(planAnnouncement(waiting(now), false, at(now), AWS_TIMING).unannounced?.dueAt).toBe(at(next));
  });

  test('a change does not wait for one that nobody has taken for long', () => {
    const both = { changes: [change, { version: 9, state: 'Failed', at: at(3_000) } as const], dueAt: at(3_000) };
    expect(planAnnouncement(both, true, at(3_000), AWS_TIMING).unannounced?.dueAt).toBe(at(3_060));
  });

  test('nothing is put off by a clock that was ahead', () => {
    expect(planAnnouncement(waiting(-100), false, at(-100), AWS_TIMING).unannounced?.dueAt).toBe(at(-40));
  });

  test('no list, no announcement', () => {
    expect(planAnnouncement(null, false, at(0), AWS_TIMING)).toEqual({ unannounced: null, now: false });
  });
});
