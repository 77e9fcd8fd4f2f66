import { expect, test } from 'vitest';
import { JobSchema } from '../../cli/client/api-objects.ts';
import { JobState, progressOf } from '../../cli/follow/job-state.ts';

// One Job as the live view has it, from the Job alone.

const STARTED = '2026-01-01T00:00:00Z';
const condition = (type: string, reason: string) => ({
  type,
  status: 'True',
  reason,
  message: 'enough',
  lastTransitionTime: STARTED,
});

const shownOf = (status: object) => {
  const job = JobSchema.parse({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'sums', namespace: 'default', uid: 'u', creationTimestamp: STARTED },
    spec: {
      completions: 4,
      parallelism: 4,
      completionMode: 'Indexed',
      template: { spec: { containers: [{ name: 'main', image: 'any' }] } },
    },
    status: { startTime: STARTED, succeeded: 1, ...status },
  });
  const { phase, message } = new JobState(progressOf(job), Date.parse(STARTED)).progress();
  return { phase, message };
};

test('a Job whose criteria are met while its Pods go on is running, and says so', () => {
  const met = [condition('SuccessCriteriaMet', 'Half')];
  expect(shownOf({ active: 3, conditions: met })).toEqual({
    phase: 'running',
    message: 'Half: enough; its Pods go on',
  });
  expect(shownOf({ terminating: 3, conditions: met })).toEqual({ phase: 'ending', message: '' });
  const over = [...met, condition('Complete', 'Half')];
  expect(shownOf({ conditions: over, completionTime: STARTED })).toEqual({ phase: 'complete', message: '' });
  expect(shownOf({ active: 3 })).toEqual({ phase: 'running', message: '' });
});
