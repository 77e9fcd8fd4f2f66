import { describe, expect, test } from 'vitest';
import { FailuresSchema, JobSchema } from '../../../cli/client/api-objects.ts';
import { failedAttemptsText, limitHint } from '../../../cli/follow/limit-hint.ts';

const job = (reason: string, spec: object = {}, failed = 0) =>
  JobSchema.parse({
    metadata: {
      name: 'agg',
      namespace: 'default',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: {
      completionMode: 'Indexed',
      completions: 9,
      template: { spec: { containers: [{ name: 'main' }] } },
      ...spec,
    },
    status: {
      failed,
      conditions: [{ type: 'Failed', status: 'True', reason, lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  });

describe('the limit that has ended a Job', () => {
  test('is named where its users may not have known it', () => {
    expect(limitHint(job('BackoffLimitExceeded'))).toMatch(/--retries N \(spec\.backoffLimitPerIndex/);
    expect(limitHint(job('MaxFailedIndexesExceeded', { backoffLimitPerIndex: 1, maxFailedIndexes: 4 }))).toBe(
      'more than 4 indexes have failed; --max-failed N (spec.maxFailedIndexes) lets more fail',
    );
  });

  test.each([
    ['one index', job('BackoffLimitExceeded', { completions: 1 })],
    ['no indexes', job('BackoffLimitExceeded', { completionMode: 'NonIndexed' })],
    ['each index has its own limit', job('BackoffLimitExceeded', { backoffLimitPerIndex: 1 })],
    ['another reason', job('FailedIndexes')],
    ['a share', job('MaxFailedIndexesExceeded', { backoffLimitPerIndex: 1 })],
  ])('is not named: %s', (_, each) => {
    expect(limitHint(each)).toBeNull();
  });
});

describe('attempts that failed', () => {
  const group = (count: number, stoppedWithJob: boolean) => ({
    reason: 'Error',
    cause: 'exit code 1',
    exitCode: 1,
    verdict: 'failed: exit code 1',
    stoppedWithJob,
    count,
    example: { pod: 'agg-0-x', attempt: 0, log: [] },
  });
  const failures = (more: boolean) => FailuresSchema.parse({ more, groups: [group(3, false), group(5, true)] });

  test.each([
    [0, null, ''],
    [1, null, '1 attempt failed'],
    [8, null, '8 attempts failed'],
    [8, failures(false), '3 attempts failed, 5 stopped'],
    [5, failures(false), '5 stopped'],
    [800, failures(true), '800 attempts failed'],
  ])('%d', (failed, known, text) => {
    expect(failedAttemptsText(job('BackoffLimitExceeded', {}, failed), known)).toBe(text);
  });
});
