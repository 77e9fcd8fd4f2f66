import { describe, expect, it } from 'vitest';
import type { EndedAttempt } from '../../../../domain/planner/plan.ts';
import { judge, podOf } from '../../../../domain/planner/judge.ts';
import type { Ending } from '../../../../domain/base/fact.ts';
import { LOST } from '../../../../domain/planner/ending.ts';
import { FRESH, type IndexRecord } from '../../../../domain/scoreboard/index-record.ts';
import type { Phase } from '../../../../domain/scoreboard/status.ts';
import type { TaskRef } from '../../domain/view/task-ref.ts';
import { at } from '../../../../../test/support/a-board.ts';
import { plainSpec } from '../../../../../test/support/a-job.ts';
import { ANY, FAILURE, KILLED, type Wish, draining, ended, live, shown } from './a-furiko-job.ts';

const RUNNING: Phase = { kind: 'running' };

/** `State[/Result] [Reason]`, and what its tombstone adds. */
const inWords = ({ status, deletedStatus }: TaskRef): string => {
  const words = ({ state, result, reason }: TaskRef['status']): string =>
    `${state}${result === undefined ? '' : `/${result}`}${reason === undefined ? '' : ` ${reason}`}`;
  const buried = deletedStatus === undefined ? '' : ` + ${words(deletedStatus)}`;
  return words(status) + buried;
};

const only = (wish: Wish): TaskRef => {
  const [task] = shown('r', wish).tasks ?? [];
  if (task === undefined) throw new Error('no task is shown');
  return task;
};

/** What the planner makes of an attempt that ends like this, in that phase. */
function judged(phase: Phase, ending: Partial<Ending>, record: Partial<IndexRecord> = {}): EndedAttempt['judgement'] {
  const whole: Ending = { cause: 'Stopped', exitCode: null, container: null, reason: 'StopTask', ...ending };
  const spec = plainSpec({ completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 2 });
  const before = { ...FRESH, ...record };
  const { as, why } = judge({
    spec,
    phase,
    record: before,
    ending: whole,
    pod: podOf(whole),
    at: at(9),
    startedAt: at(1),
    outOfRange: false,
    isLast: false,
  });
  return { as, why };
}

// furiko.md 3: states, results, and tombstones, by what has ended a task.
describe('a task that has ended', () => {
  it.each<[string, Phase, Partial<Ending>, string, Partial<IndexRecord>?]>([
    [
      'its program has succeeded',
      RUNNING,
      { cause: 'Completed', exitCode: 0 },
      'Terminated/Succeeded + Terminated/Succeeded',
    ],
    [
      'its program has failed',
      RUNNING,
      { cause: 'Error', exitCode: 3 },
      'Terminated/Failed Error + Terminated/Failed Error',
    ],
    [
      'memory ran out',
      RUNNING,
      { cause: 'OOMKilled', exitCode: 137 },
      'Terminated/Failed OOMKilled + Terminated/Failed OOMKilled',
    ],
    ['it was killed', draining(KILLED), {}, 'Terminated/Killed Killed + Terminated/Killed Killed'],
    [
      'its Job failed without it',
      draining(FAILURE),
      {},
      'Terminated/Killed StoppedByStrategy + Terminated/Killed StoppedByStrategy',
    ],
    [
      'its Job succeeded without it',
      draining(ANY),
      {},
      'Terminated/Killed StoppedByStrategy + Terminated/Killed StoppedByStrategy',
    ],
    [
      'its Job was deleted',
      { kind: 'purging', since: at(8) },
      {},
      'Terminated/Killed JobDeleted + Terminated/Killed JobDeleted',
    ],
    [
      'its Pod was deleted',
      RUNNING,
      { podDeleted: true },
      'Terminated/Killed TaskDeleted + Terminated/Killed TaskDeleted',
    ],
    ['somebody stopped it', RUNNING, {}, 'Terminated/Killed TaskStopped + Terminated/Killed TaskStopped'],
    [
      'less is to run at once',
      RUNNING,
      {},
      'Terminated/Killed ScaledDown + Terminated/Killed ScaledDown',
      { stopping: true },
    ],
    [
      'Spot took it',
      RUNNING,
      { cause: 'Spot' },
      'Terminated/Killed SpotInterruption + Terminated/Killed SpotInterruption',
    ],
    [
      'its host is gone',
      RUNNING,
      { cause: 'Infrastructure' },
      'Terminated/Killed InfrastructureHealth + Terminated/Killed InfrastructureHealth',
    ],
    [
      'nobody knows how',
      RUNNING,
      LOST,
      'DeletedFinalStateUnknown InfrastructureHealth + DeletedFinalStateUnknown InfrastructureHealth',
    ],
  ])('%s', (_, phase, ending, words, record = {}) => {
    const task = ended(0, ending, judged(phase, ending, record));
    expect(inWords(only({ phase, tasks: [task] }))).toBe(words);
  });

  it('did not run in time', () => {
    const judgement = { as: 'failed', why: { kind: 'notStartedInTime', sec: 900 } } as const;
    const { status, deletedStatus } = only({ tasks: [ended(0, { cause: 'Stopped' }, judgement)] });
    expect(status).toEqual({
      state: 'Terminated',
      result: 'Killed',
      reason: 'PendingTimeout',
      message: 'it did not start within 900 s (PendingTimeout)',
    });
    expect(deletedStatus).toEqual(status);
  });

  it('says how its container has exited, in the words of Furiko', () => {
    const ending = {
      cause: 'Error',
      exitCode: 3,
      container: 'main',
      reason: 'Essential container in task exited',
    } as const;
    const { status } = only({ tasks: [ended(0, ending, { as: 'failed', why: { kind: 'exited', exitCode: 3 } })] });
    expect(status.message).toBe('Container exited with status 3');
  });

  it('says for which strategy it was stopped', () => {
    const stopped = (strategy: 'AllSuccessful' | 'AnySuccessful', phase: Phase) =>
      only({
        phase,
        parallelism: { withCount: 1, completionStrategy: strategy },
        tasks: [ended(0, {}, judged(phase, {}))],
      });
    expect(stopped('AnySuccessful', draining(ANY)).status.message).toBe('ended by AnySuccessful');
    expect(stopped('AllSuccessful', draining(FAILURE)).status.message).toBe('AllSuccessful failed');
  });

  it('shows its times, its container, its node, and which attempt it was, from 0', () => {
    const ending = { cause: 'Error', exitCode: 3, container: 'main', reason: 'exit' } as const;
    const task = only({ tasks: [ended(0, ending, { as: 'failed', why: { kind: 'exited', exitCode: 3 } }, 2)] });
    expect(task).toEqual({
      name: 'work-0-abcde',
      creationTimestamp: '2027-01-15T08:00:00Z',
      runningTimestamp: '2027-01-15T08:00:01Z',
      finishTimestamp: '2027-01-15T08:00:10Z',
      retryIndex: 1,
      parallelIndex: { indexNumber: 0 },
      status: { state: 'Terminated', result: 'Failed', reason: 'Error', message: 'exit' },
      deletedStatus: { state: 'Terminated', result: 'Failed', reason: 'Error', message: 'exit' },
      nodeName: 'fargate-1',
      containerStates: [{ exitCode: 3, reason: 'Error', message: 'exit' }],
    });
  });
});

describe('a task that has not ended', () => {
  it.each<[string, Wish, string]>([
    ['it starts', { tasks: [live(0)] }, 'Starting'],
    ['it runs', { tasks: [live(0, { runningAt: at(3) })] }, 'Running'],
    ['it is being stopped', { tasks: [live(0, { runningAt: at(3), stopping: true })] }, 'Killing'],
    [
      'it did not start in time',
      { tasks: [live(0, { stopping: true, overdue: true })] },
      'Killing + Terminated/Killed PendingTimeout',
    ],
    [
      'it is being killed with its Job',
      { phase: draining(KILLED), tasks: [live(0, { stopping: true })] },
      'Killing + Terminated/Killed Killed',
    ],
    [
      'its Job is decided without it',
      { phase: draining(FAILURE), tasks: [live(0, { stopping: true })] },
      'Killing + Terminated/Killed StoppedByStrategy',
    ],
  ])('%s', (_, wish, words) => {
    expect(inWords(only(wish))).toBe(words);
  });
});

describe('the tasks of a Furiko Job', () => {
  it('come in the order in which they were made', () => {
    const tasks = [live(2), live(0, { attempt: 2 }), live(0)];
    expect(
      shown('rrr', { tasks }).tasks?.map(({ creationTimestamp, retryIndex }) => [creationTimestamp, retryIndex]),
    ).toEqual([
      ['2027-01-15T08:00:00Z', 0],
      ['2027-01-15T08:00:00Z', 1],
      ['2027-01-15T08:00:02Z', 0],
    ]);
  });

  it('have no index without a parallelism block', () => {
    expect(only({ parallelism: null, tasks: [live(0)] })).not.toHaveProperty('parallelIndex');
  });
});
