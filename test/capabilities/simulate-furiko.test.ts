import { describe, expect, test } from 'vitest';
import { NO_SCRIPT } from '../../shared/capabilities/simulate/world/script.ts';
import { simulateJob } from '../../shared/capabilities/simulate/world/simulate-job.ts';
import { furikoDocument, jobOfConfig } from '../../shared/capabilities/furiko/test/furiko-document.ts';
import { START, conditionsOf, play, tasksOf } from '../../shared/capabilities/simulate/test/a-simulation.ts';

const ALL = { parallelism: { withKeys: ['a', 'b', 'c'] } };
const ANY = { parallelism: { ...ALL.parallelism, completionStrategy: 'AnySuccessful' } };
const fails = (index: string, run: string) => ({ index, run, exitCode: 1 });
const takes = (index: string, run: string) => ({ index, run });

// furiko.md 4.3, 4.4, and 4.6: when a Job of Furiko is complete, which tasks are made when, and what stops them.
describe('a Job of Furiko in a simulation', () => {
  test.each<[string, object, object, object, readonly string[], string]>([
    [
      'AllSuccessful: all have succeeded',
      ALL,
      {},
      { attempts: [takes('0', '1s'), takes('1', '2s'), takes('2', '3s')] },
      ['0/0 0-1 Completed 0', '1/0 0-2 Completed 0', '2/0 0-3 Completed 0'],
      'Complete CompletionsReached',
    ],
    [
      'AllSuccessful: one has failed, and the rest is stopped',
      ALL,
      {},
      { attempts: [fails('0', '1s'), takes('1-2', '9s')] },
      ['0/0 0-1 Error 1', '1/0 0-1 Stopped 143', '2/0 0-1 Stopped 143'],
      'Failed MaxFailedIndexesExceeded',
    ],
    [
      'AnySuccessful: one has succeeded, and the rest is stopped',
      ANY,
      {},
      { attempts: [fails('0', '1s'), takes('1', '2s'), takes('2', '9s')] },
      ['0/0 0-1 Error 1', '1/0 0-2 Completed 0', '2/0 0-2 Stopped 143'],
      'Complete SuccessPolicy',
    ],
    [
      'AnySuccessful: all have failed',
      ANY,
      {},
      { attempts: [fails('0', '1s'), fails('1', '2s'), fails('2', '3s')] },
      ['0/0 0-1 Error 1', '1/0 0-2 Error 1', '2/0 0-3 Error 1'],
      'Failed FailedIndexes',
    ],
    [
      'AnySuccessful: a success and the last failure at once are a success',
      ANY,
      {},
      { attempts: [fails('0-1', '1s'), takes('2', '1s')] },
      ['0/0 0-1 Error 1', '1/0 0-1 Error 1', '2/0 0-1 Completed 0'],
      'Complete SuccessPolicy',
    ],
    [
      'an index has its attempts, each as long after the last',
      { ...ALL, maxAttempts: 3, retryDelaySeconds: 5 },
      {},
      { attempts: [{ index: '0', attempt: '0-1', run: '1s', exitCode: 1 }] },
      ['0/0 0-1 Error 1', '0/1 6-7 Error 1', '0/2 12-13 Completed 0', '1/0 0-1 Completed 0', '2/0 0-1 Completed 0'],
      'Complete CompletionsReached',
    ],
    [
      'without a delay at once',
      { maxAttempts: 2 },
      {},
      { attempts: [{ attempt: '0', run: '1s', exitCode: 1 }] },
      ['0/0 0-1 Error 1', '0/1 1-2 Completed 0'],
      'Complete CompletionsReached',
    ],
    [
      'a kill time stops what runs, and nothing is tried again',
      { ...ALL, maxAttempts: 9 },
      { killTimestamp: '2026-01-01T00:00:05Z' },
      { attempts: [takes('0', '1s'), takes('1-2', '1h')] },
      ['0/0 0-1 Completed 0', '1/0 0-5 Stopped 143', '2/0 0-5 Stopped 143'],
      'Failed Killed',
    ],
    [
      'a kill time that does not come changes nothing',
      { maxAttempts: 2 },
      { killTimestamp: '2026-01-01T01:00:00Z' },
      { attempts: [{ attempt: '0', run: '1s', exitCode: 1 }] },
      ['0/0 0-1 Error 1', '0/1 1-2 Completed 0'],
      'Complete CompletionsReached',
    ],
    [
      'a task that does not start in time uses up an attempt',
      { maxAttempts: 2, taskPendingTimeoutSeconds: 10 },
      {},
      { limits: { startDelay: '60s' } },
      // Pods are dated by whole seconds, so that the last one is waited for.
      ['0/0 ·-11 Stopped 143', '0/1 ·-22 Stopped 143'],
      'Failed MaxFailedIndexesExceeded',
    ],
  ])('%s', async (_, template, spec, script, tasks, condition) => {
    const { report } = await play(furikoDocument(template, spec), script);
    expect(tasksOf(report).toSorted()).toEqual(tasks);
    expect(conditionsOf(report.final).at(-1)).toBe(condition);
  });

  test('has no JobConfig', async () => {
    const wish = { script: NO_SCRIPT, seed: 1, start: START };
    expect(await simulateJob({ document: jobOfConfig(), ...wish })).toEqual({
      kind: 'refused',
      what: 'Job',
      errors: [{ path: 'spec.configName', message: 'Not found: "config"' }],
    });
  });
});
