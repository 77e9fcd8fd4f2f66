import { describe, expect, it } from 'vitest';
import type { Parallelism } from '../../domain/furiko-job.ts';
import { indexCount, parallelIndexAt } from '../../domain/parallel-index.ts';
import { type Counters, type IndexStanding, countIndexes } from '../../domain/view/index-standing.ts';
import { at } from '../../../../../test/support/a-board.ts';
import { ANY, FAILURE, KILLED, SUCCESS, type Wish, draining, finished, shown } from './a-furiko-job.ts';

const ANY_OF: Parallelism = { withCount: 3, completionStrategy: 'AnySuccessful' };

/** Each index as `State[/Result][ (reason)]`, with how many tasks it has had. */
function inWords(strip: string, wish: Wish = {}): readonly string[] {
  return (shown(strip, wish).parallelStatus?.indexes ?? []).map(
    ({ state, result, reason, createdTasks }) =>
      `${createdTasks} ${state}${result === undefined ? '' : `/${result}`}${reason === undefined ? '' : ` (${reason})`}`,
  );
}

// furiko.md 4.1, row by row.
describe('where an index of a Furiko Job stands', () => {
  it.each<[string, string, Wish, readonly string[]]>([
    ['no task', '.', {}, ['0 NotCreated']],
    ['it failed, and is tried again', '2', {}, ['2 RetryBackoff']],
    ['infrastructure took it, and it is tried again', 'w', {}, ['1 RetryBackoff']],
    ['less runs at once, and its task was taken away', '.', { records: { 0: { attempt: 1 } } }, ['1 NotCreated']],
    ['it has succeeded', 'S', {}, ['1 Terminated/Succeeded']],
    ['it has failed for good', 'F', {}, ['1 Terminated/Failed']],
    ['it runs', 'r', {}, ['1 Running']],
    ['it runs again', '.', { records: { 0: { state: 'running', attempt: 2, failures: 1 } } }, ['2 Running']],
    ['it is being stopped', 'R', {}, ['1 Running']],
    ['its container is started again', 'b', {}, ['1 Running']],
    ['it starts', 'cl', {}, ['1 Starting', '1 Starting']],
    [
      'its Job has failed without it',
      'F1.',
      { phase: finished(FAILURE) },
      ['1 Terminated/Failed', '1 Terminated/Killed (AllSuccessful failed)', '0 NotCreated'],
    ],
    [
      'its Job has succeeded without it',
      'S1r',
      { phase: draining(ANY), parallelism: ANY_OF },
      ['1 Terminated/Succeeded', '1 Terminated/Killed (ended by AnySuccessful)', '1 Running'],
    ],
    [
      'its Job was killed',
      'S1F',
      { phase: finished(KILLED) },
      ['1 Terminated/Succeeded', '1 Terminated/Killed (the Job was killed)', '1 Terminated/Failed'],
    ],
    [
      'its Job was deleted',
      '1',
      { phase: { kind: 'deleted', since: at(1), at: at(2) } },
      ['1 Terminated/Killed (the Job was deleted)'],
    ],
  ])('%s', (_, strip, wish, words) => {
    expect(inWords(strip, wish)).toEqual(words);
  });

  it('never waits to be tried again in a Job that is over', () => {
    for (const verdict of [FAILURE, KILLED, SUCCESS, ANY])
      expect(inWords('123wS', { phase: finished(verdict), maxAttempts: 5 }).join()).not.toContain('RetryBackoff');
  });
});

// furiko.md 4.3.
describe('whether a Furiko Job is complete', () => {
  it.each<[string, Wish, { complete: boolean; successful?: boolean }]>([
    ['it is open', {}, { complete: false }],
    ['a strategy has succeeded', { phase: draining(ANY) }, { complete: true, successful: true }],
    ['a strategy has failed', { phase: draining(FAILURE) }, { complete: true, successful: false }],
    ['it has ended', { phase: finished(SUCCESS) }, { complete: true, successful: true }],
    ['it was killed: no strategy has decided', { phase: finished(KILLED) }, { complete: false }],
  ])('%s', (_, wish, words) => {
    const { indexes: _indexes, ...summary } = shown('SS', wish).parallelStatus ?? { indexes: [] };
    expect(summary).toEqual(words);
  });

  it('is only said with a parallelism block', () => {
    expect(shown('S', { parallelism: null }).parallelStatus).toBeUndefined();
  });
});

// furiko.md 4.2, row by row.
describe('what an index counts as', () => {
  const NONE: Counters = {
    indexes: 1,
    created: 0,
    released: 0,
    starting: 0,
    running: 0,
    retrying: 0,
    retryBackoff: 0,
    terminated: 0,
    succeeded: 0,
    failed: 0,
    tasks: 0,
  };
  it.each<[string, IndexStanding, Partial<Counters>]>([
    ['no task', { state: 'NotCreated', createdTasks: 0 }, { terminated: 1 }],
    ['its task was taken away', { state: 'NotCreated', createdTasks: 1 }, { released: 1, terminated: 1, tasks: 1 }],
    [
      'it waits after a failure',
      { state: 'RetryBackoff', createdTasks: 2 },
      { created: 1, retryBackoff: 1, terminated: 1, tasks: 2 },
    ],
    ['it starts', { state: 'Starting', createdTasks: 1 }, { created: 1, starting: 1, tasks: 1 }],
    ['it starts again', { state: 'Starting', createdTasks: 3 }, { created: 1, starting: 1, retrying: 1, tasks: 3 }],
    ['it runs', { state: 'Running', createdTasks: 2 }, { created: 1, running: 1, tasks: 2 }],
    [
      'it has succeeded',
      { state: 'Terminated', result: 'Succeeded', createdTasks: 2 },
      { created: 1, terminated: 1, succeeded: 1, tasks: 2 },
    ],
    [
      'it has failed',
      { state: 'Terminated', result: 'Failed', createdTasks: 1 },
      { created: 1, terminated: 1, failed: 1, tasks: 1 },
    ],
    [
      'it was stopped: neither',
      { state: 'Terminated', result: 'Killed', createdTasks: 1 },
      { created: 1, terminated: 1, tasks: 1 },
    ],
  ])('%s', (_, standing, counted) => {
    expect(countIndexes([standing])).toEqual({ ...NONE, ...counted });
  });

  it('adds up', () => {
    const standing = { state: 'Running', createdTasks: 2 } as const;
    expect(countIndexes([standing, standing])).toMatchObject({ indexes: 2, created: 2, running: 2, tasks: 4 });
  });
});

describe('the counters of a Furiko Job', () => {
  it('count all tasks that were ever made, and those that run', () => {
    expect(shown('S3r R b.c')).toMatchObject({ createdTasks: 8, runningTasks: 3 });
  });

  it('are all that is shown of a large one', () => {
    const { tasksTruncated, tasks, parallelStatus, createdTasks } = shown(`${'S'.repeat(1000)}r`);
    expect({ tasksTruncated, tasks, createdTasks }).toEqual({
      tasksTruncated: true,
      tasks: undefined,
      createdTasks: 1001,
    });
    expect(parallelStatus).toEqual({ complete: false, indexes: [], indexesTruncated: true });
  });

  it('come with every index up to 1,000', () => {
    const { tasksTruncated, parallelStatus } = shown('S'.repeat(1000));
    expect([tasksTruncated, parallelStatus?.indexes.length]).toEqual([undefined, 1000]);
  });
});

describe('which index it is', () => {
  const named = (parallelism: Omit<Parallelism, 'completionStrategy'> | undefined): readonly unknown[] => {
    const block =
      parallelism === undefined ? undefined : { ...parallelism, completionStrategy: 'AllSuccessful' as const };
    return Array.from({ length: indexCount(block) }, (_, no) => parallelIndexAt(block, no));
  };

  it('is a number, a key, or a combination', () => {
    expect(named(undefined)).toEqual([{ indexNumber: 0 }]);
    expect(named({ withCount: 2 })).toEqual([{ indexNumber: 0 }, { indexNumber: 1 }]);
    expect(named({ withKeys: ['b', 'a'] })).toEqual([{ indexKey: 'b' }, { indexKey: 'a' }]);
  });

  it('takes the names of a matrix in byte order, the first varies slowest, values stay as given', () => {
    expect(named({ withMatrix: { os: ['mac', 'linux'], node: ['20', '18'], a_b: ['x'] } })).toEqual([
      { matrixValues: { a_b: 'x', node: '20', os: 'mac' } },
      { matrixValues: { a_b: 'x', node: '20', os: 'linux' } },
      { matrixValues: { a_b: 'x', node: '18', os: 'mac' } },
      { matrixValues: { a_b: 'x', node: '18', os: 'linux' } },
    ]);
  });
});
