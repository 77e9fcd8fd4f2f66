import { describe, expect, it } from 'vitest';
import { at } from '../../../../../test/support/a-board.ts';
import { ANY, FAILURE, KILLED, SUCCESS, type Wish, draining, ended, finished, live, shown } from './a-furiko-job.ts';

const QUEUED = { status: { startTime: null } } as const;
const STARTING_AGAIN = { state: 'claimed', attempt: 2, failures: 1 } as const;

/** Phase, state, and the part of the condition that is set, with its reason or result. */
function inWords(strip: string, wish: Wish = {}): string {
  const { phase, state, condition } = shown(strip, wish);
  const [[part, told] = ['none', {}], ...more] = Object.entries(condition) as [string, Record<string, unknown>][];
  expect(more).toEqual([]);
  const { reason = '', result = '', terminatingTasks = '' } = told;
  const words = [part, result, reason, terminatingTasks].filter((word) => word !== '').join(' ');
  return `${phase} · ${state} · ${words}`;
}

/** Their tasks were taken away: nothing has failed. */
const TAKEN = { 2: { attempt: 1 }, 3: { attempt: 1 } } as const;

// furiko.md 4.5, row by row; boards are strips of letters (a-board.ts).
describe('where a Furiko Job stands', () => {
  it.each<[string, string, Wish, string]>([
    [
      'it could not be admitted',
      '...',
      { admissionError: 'no such thing', ...QUEUED },
      'AdmissionError · Finished · finished AdmissionError AdmissionError',
    ],
    [
      'it starts later',
      '...',
      { ...QUEUED, spec: { startPolicy: { startAfter: '2030-01-01T00:00:00Z', concurrencyPolicy: 'Enqueue' } } },
      'Queued · Queued · queueing NotYetDue',
    ],
    [
      'it waits for its turn',
      '...',
      {
        status: { startTime: null },
        phase: { kind: 'suspended', since: at(0) },
        spec: { startPolicy: { concurrencyPolicy: 'Enqueue' } },
      },
      'Queued · Queued · queueing Queued',
    ],
    ['it has just been made', '...', QUEUED, 'Queued · Queued · queueing'],
    [
      'killed, and all is over',
      'Sk',
      { phase: finished(KILLED), records: { 1: { attempt: 1, failures: 1 } } },
      'Killed · Finished · finished Killed Killed',
    ],
    [
      'killed before it started',
      '...',
      { ...QUEUED, phase: finished(KILLED) },
      'Killed · Finished · finished Killed Killed',
    ],
    ['killed, and tasks run', 'Srr', { phase: draining(KILLED) }, 'Killing · Waiting · waiting DeletingTasks'],
    ['started, without tasks', '...', {}, 'Starting · Waiting · waiting PendingCreation'],
    ['some tasks are made', 'r..', {}, 'Pending · Waiting · waiting PendingCreation'],
    ['some tasks are made, one waits after a failure', 'r1.', {}, 'RetryBackoff · Waiting · waiting PendingCreation'],
    [
      'some tasks are made, one again',
      'r..',
      { records: { 1: STARTING_AGAIN } },
      'Retrying · Waiting · waiting PendingCreation',
    ],
    ['some were taken away, and others run', 'rr..', { records: TAKEN }, 'Running · Running · running'],
    [
      'all were taken away',
      '..',
      { records: { 0: { attempt: 1 }, 1: { attempt: 1 } } },
      'Pending · Waiting · waiting PendingCreation',
    ],
    [
      'some were taken away, and others are to be made',
      'r..',
      { records: { 1: { attempt: 1 } } },
      'Pending · Waiting · waiting PendingCreation',
    ],
    ['one waits after a failure', 'rr1', {}, 'RetryBackoff · Waiting · waiting RetryBackoff'],
    ['one waits after a failure, and another starts', 'c1r', {}, 'RetryBackoff · Waiting · waiting RetryBackoff'],
    ['one starts', 'crS', {}, 'Pending · Waiting · waiting WaitingForTasks'],
    ['one starts again', 'rr.', { records: { 2: STARTING_AGAIN } }, 'Retrying · Waiting · waiting WaitingForTasks'],
    ['all run', 'rrr', {}, 'Running · Running · running'],
    ['the last one runs', 'SSr', {}, 'Running · Running · running'],
    ['a container is started again', 'br', {}, 'Running · Running · running'],
    ['decided by a failure, and tasks run', 'FrR', { phase: draining(FAILURE) }, 'Terminating · Running · running 2'],
    ['decided by a success, and tasks run', 'Src', { phase: draining(ANY) }, 'Terminating · Running · running 2'],
    ['all have succeeded', 'SSS', { phase: finished(SUCCESS) }, 'Succeeded · Finished · finished Success'],
    ['one has failed', 'SF1', { phase: finished(FAILURE) }, 'Failed · Finished · finished Failed RetryLimitExceeded'],
    [
      'its launch was refused',
      '...',
      { phase: finished({ ...FAILURE, kind: 'failed', reason: 'LaunchRefused' }) },
      'Failed · Finished · finished Failed LaunchRefused',
    ],
    [
      'deleted, and tasks run',
      'rS',
      { phase: { kind: 'terminating', since: at(9), ended: null } },
      'Killing · Waiting · waiting DeletingTasks',
    ],
    [
      'deleted',
      '1S',
      { phase: { kind: 'deleted', since: at(9), at: at(10) } },
      'Killed · Finished · finished Killed JobDeleted',
    ],
    [
      'deleted after it had ended',
      'SS',
      {
        phase: {
          kind: 'purging',
          since: at(50),
          ended: { kind: 'finished', verdict: SUCCESS, since: at(20), at: at(30) },
        },
      },
      'Succeeded · Finished · finished Success',
    ],
    // Without a parallelism block: the last task tells.
    ['single: it waits after a failure', '1', { parallelism: null }, 'RetryBackoff · Waiting · waiting RetryBackoff'],
    [
      'single: it starts again',
      '.',
      { parallelism: null, records: { 0: STARTING_AGAIN } },
      'Retrying · Waiting · waiting WaitingForTasks',
    ],
    ['single: it starts', 'c', { parallelism: null }, 'Pending · Waiting · waiting WaitingForTasks'],
    ['single: it runs', 'r', { parallelism: null }, 'Running · Running · running'],
  ])('%s', (_, strip, wish, words) => {
    expect(inWords(strip.replace('k', '.'), wish)).toBe(words);
  });

  it.each<[string, Wish, string]>([
    ['Srr', { phase: draining(KILLED) }, '2 of 3 tasks are to be stopped'],
    ['r..', {}, '2 of 3 tasks are to be made'],
    ['rr1', {}, '1 of 3 tasks wait to be tried again'],
    ['crc', {}, '2 of 3 tasks do not run yet'],
  ])('says how many tasks it waits for: %s', (strip, wish, message) => {
    expect(shown(strip, wish).condition).toMatchObject({ waiting: { message } });
  });

  it('is not killed by a kill time that has not come: tasks go on', () => {
    const later = { spec: { killTimestamp: '2099-01-01T00:00:00Z' } };
    expect(inWords('rr1', later)).toBe('RetryBackoff · Waiting · waiting RetryBackoff');
  });

  it('has succeeded although a kill time was set for later', () => {
    const later = { spec: { killTimestamp: '2099-01-01T00:00:00Z' }, phase: finished(SUCCESS) };
    expect(inWords('SS', later)).toBe('Succeeded · Finished · finished Success');
  });

  it('says when the latest task was made, began, and ended', () => {
    const running = shown('rr', { tasks: [live(0, { runningAt: at(4) }), live(1, { runningAt: at(6) })] });
    expect(running.condition).toEqual({
      running: { latestTaskCreationTimestamp: shownTime(1), latestRunningTimestamp: shownTime(6) },
    });
  });

  it('ends when its last task has', () => {
    const tasks = [
      ended(0, { cause: 'Completed', exitCode: 0 }, { as: 'succeeded', why: { kind: 'exited', exitCode: 0 } }),
      ended(3, { cause: 'Completed', exitCode: 0 }, { as: 'succeeded', why: { kind: 'exited', exitCode: 0 } }),
    ];
    const { condition } = shown('SS', { phase: finished(SUCCESS), tasks });
    expect(condition).toMatchObject({ finished: { finishTime: shownTime(13), latestRunningTimestamp: shownTime(4) } });
  });

  it('ends with the Job if no task was made', () => {
    const { condition } = shown('..', { phase: finished(KILLED) });
    expect(condition).toMatchObject({ finished: { finishTime: shownTime(30) } });
  });

  it.each<[string, string, Wish, string]>([
    ['a single task', 'F', { parallelism: null, maxAttempts: 3 }, 'the task has failed in all of its 3 attempts'],
    ['one of several', 'SF', {}, 'index 1 has failed in its only attempt'],
    [
      'all of them',
      'FF',
      { phase: finished({ ...FAILURE, kind: 'failed', reason: 'FailedIndexes' }) },
      'no index has succeeded',
    ],
  ])('says who has failed: %s', (_, strip, wish, message) => {
    const { condition } = shown(strip, { phase: finished(FAILURE), ...wish });
    expect(condition).toMatchObject({ finished: { message } });
  });
});

const shownTime = (sec: number): string => new Date(at(sec)).toISOString().replace('.000', '');
