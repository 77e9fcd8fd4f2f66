import { describe, expect, test } from 'vitest';
import { withJobEvents } from '../../../shared/domain/events/job-events.ts';
import { FOREGROUND_DELETION, planningSpec } from '../../../shared/domain/manifests/job.ts';
import { EVENTS_MAX, type Finished, type Status, requestDeletion } from '../../../shared/domain/scoreboard/status.ts';
import { aJob } from '../../support/a-job.ts';
import { type Situation, aBoard, after, at, brief, ended, plan, wakeSec } from '../../support/a-board.ts';

const terminating = (board: Situation, held = false, sec = 1): Situation => {
  const status = requestDeletion(board.status, at(sec), 'terminating');
  if (status === null) throw new Error('deleted already');
  return { ...board, status, job: { ...board.job, spec: { ...board.job.spec, held } } };
};
const released = (board: Situation): Situation => ({
  ...board,
  job: { ...board.job, spec: { ...board.job.spec, held: false } },
});
const quiet = (board: Situation): Situation => ({ ...board, status: { ...board.status, alarms: [] } });

describe('a deleted Job that is still shown', () => {
  test('starts nothing, stops its tasks, and is deleted when they have stopped', () => {
    const board = terminating(aBoard('r . .', { parallelism: 3 }));
    const first = plan(board, [], 1);
    expect(brief(first)).toBe('terminating, stop 0');
    expect(first.expire).toBe(false);
    const last = plan(after(board, first), [ended(0, 'Stopped', 2)], 2);
    expect(last.status?.phase).toEqual({ kind: 'deleted', since: at(1), at: at(2) });
    expect(last.expire).toBe(true);
  });

  test('its end is published, even right after the last publication', () => {
    const board = terminating(aBoard('. .', { parallelism: 0 }));
    const published = { version: board.status.version, seq: 0, at: at(1) };
    const last = plan({ ...board, status: { ...board.status, published } }, [], 1);
    expect(last.status?.phase.kind).toBe('deleted');
    expect(last.publish).toBe(true);
  });

  test('a claim that has not answered holds it', () => {
    const board = terminating(
      aBoard('c', { status: { inFlight: [{ index: 0, attempt: 1, nonce: 0, dueAt: at(60) }] } }),
    );
    expect(plan(board, [], 1).status?.phase.kind).toBe('terminating');
  });

  test('a finalizer holds it, without any wake-up, until it is gone', () => {
    const board = terminating(aBoard('. .', { parallelism: 0 }), true);
    const held = plan(quiet(board), [], 2);
    expect(held.status?.phase.kind ?? board.status.phase.kind).toBe('terminating');
    expect(wakeSec(held)).toBeNull();
    expect(plan(released(quiet(board)), [], 3).status?.phase).toEqual({ kind: 'deleted', since: at(1), at: at(3) });
  });

  test('the finalizer of a foreground deletion is our own and holds nothing', () => {
    const held = (finalizers: readonly string[]) => {
      const { manifest } = aJob();
      return planningSpec({ manifest: { ...manifest, metadata: { ...manifest.metadata, finalizers } } }).held;
    };
    expect([held([]), held([FOREGROUND_DELETION]), held([FOREGROUND_DELETION, 'a/b'])]).toEqual([false, false, true]);
  });

  test('its verdict is kept', () => {
    const phase: Finished = {
      kind: 'finished',
      since: at(1),
      at: at(2),
      verdict: { kind: 'complete', reason: 'CompletionsReached', message: '', decidedBy: null },
    };
    const board = { ...aBoard('S'), status: { ...aBoard('S').status, phase } };
    const shown = terminating(board, false, 3);
    expect(shown.status.phase).toEqual({ kind: 'terminating', since: at(3), ended: phase });
    const deleted = { kind: 'deleted', since: at(3), at: at(4), ended: phase };
    expect(plan(shown, [], 4).status?.phase).toEqual(deleted);
    const hidden = requestDeletion(board.status, at(3));
    expect(hidden?.phase).toEqual({ kind: 'purging', since: at(3), ended: phase });
    if (hidden === null) throw new Error('not hidden');
    expect(plan({ ...board, status: hidden }, [], 4).status?.phase).toEqual(deleted);
  });

  test('a second deletion keeps the time of the first; a hidden Job cannot be shown again', () => {
    const { status } = terminating(aBoard('r'));
    expect(requestDeletion(status, at(9), 'terminating')).toBeNull();
    const hidden = requestDeletion(status, at(9));
    expect(hidden?.phase).toEqual({ kind: 'purging', since: at(1) });
    if (hidden === null) throw new Error('not hidden');
    expect(requestDeletion(hidden, at(10))).toBeNull();
    expect(requestDeletion(hidden, at(10), 'terminating')).toBeNull();
  });
});

describe('events that STATUS keeps', () => {
  const job = aBoard('. .').job;
  const suspended = (status: Status, sec: number): Status => ({
    ...status,
    version: status.version + 1,
    phase: { kind: 'suspended', since: at(sec) },
    now: at(sec),
  });
  const running = (status: Status, sec: number): Status => ({
    ...status,
    version: status.version + 1,
    phase: { kind: 'running' },
    resumedAt: at(sec),
    now: at(sec),
  });
  const seen = ({ events }: Status) => events.map(({ reason, count, version }) => `${reason} ${count} v${version}`);

  test('an Event is published with the commit that made it; a repeated one is counted and comes last', () => {
    const first = aBoard('. .').status;
    const v = first.version;
    const one = withJobEvents(first, suspended(first, 1), job);
    const two = withJobEvents(one, running(one, 2), job);
    const three = withJobEvents(two, suspended(two, 3), job);
    expect(seen(three)).toEqual([`Resumed 1 v${v + 2}`, `Suspended 2 v${v + 3}`]);
    expect(three.events[1]).toMatchObject({ firstAt: at(1), at: at(3), message: 'Job suspended' });
    expect(withJobEvents(three, { ...three, version: v + 4 }, job).events).toBe(three.events);
  });

  test('a pass keeps them', () => {
    const board = aBoard('. .');
    const wish = { ...board, job: { ...board.job, revision: 9, spec: { ...board.job.spec, suspend: true } } };
    expect(plan(wish, [], 5).status?.events).toMatchObject([{ reason: 'Suspended', at: at(5), count: 1 }]);
  });

  test('the oldest are dropped', () => {
    const { status } = aBoard('. .');
    const old = Array.from({ length: EVENTS_MAX }, (_, i) => ({
      type: 'Normal' as const,
      reason: `R${i}`,
      message: '',
      version: 1,
      firstAt: at(0),
      at: at(0),
      count: 1,
    }));
    const next = withJobEvents({ ...status, events: old }, suspended({ ...status, events: old }, 1), job);
    expect(next.events).toHaveLength(EVENTS_MAX);
    expect(next.events.map(({ reason }) => reason).slice(-2)).toEqual([`R${EVENTS_MAX - 1}`, 'Suspended']);
    expect(next.events[0]?.reason).toBe('R1');
  });
});

test('labels before a change are kept until the feed has published them', () => {
  const board = aBoard('r');
  const relabelled = { version: board.status.version, labels: { a: 'b' } };
  const published = (version: number) => ({ version, seq: 0, at: at(0) });
  const next = (version: number) =>
    plan(
      { ...board, status: { ...board.status, relabelled, published: published(version) } },
      [ended(0, 'Completed', 1)],
      1,
    ).status?.relabelled;
  expect(next(relabelled.version - 1)).toEqual(relabelled);
  expect(next(relabelled.version)).toBeNull();
});
