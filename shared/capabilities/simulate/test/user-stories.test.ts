import { describe, expect, test } from 'vitest';
import { aManifest, conditionsOf, eventsOf, indexed, play } from './a-simulation.ts';

/** The board as one letter an index: S succeeded, F failed for good, . neither. */
const boardOf = (board: readonly string[]): string =>
  board.map((state) => (state === 'succeeded' ? 'S' : state === 'failed' ? 'F' : '.')).join('');

describe('KEP-2214, Indexed Jobs', () => {
  test('story 1: 100 Pods, each with its own index; one that fails is tried again with the same', async () => {
    const { report } = await play(indexed(100), { attempts: [{ index: '7,42', attempt: 0, exitCode: 1 }] });
    expect(conditionsOf(report.final)).toEqual([
      'SuccessCriteriaMet CompletionsReached',
      'Complete CompletionsReached',
    ]);
    expect(report.final).toMatchObject({ succeeded: 100, failed: 2, completedIndexes: '0-99' });
    expect(report.attempts.filter(({ attempt }) => attempt === 1).map(({ index }) => index)).toEqual([7, 42]);
  });

  test('completedIndexes is compressed while the Job goes on', async () => {
    const { report } = await play(indexed(10, { parallelism: 10 }), {
      attempts: [{ index: '0,2-5,8,9', run: '1s' }, { run: '5s' }],
    });
    expect(report.timeline.map(({ status }) => status.completedIndexes)).toContain('0,2-5,8,9');
  });

  test('lowest indexes are started first', async () => {
    const { report } = await play(indexed(6, { parallelism: 2 }), { attempts: [{ run: '10s' }] });
    expect(report.attempts.map(({ index, startSec }) => [index, startSec])).toEqual([
      [0, 0],
      [1, 0],
      [2, 10],
      [3, 10],
      [4, 20],
      [5, 20],
    ]);
  });
});

describe('KEP-3998, success policy', () => {
  const story1 = indexed(10, { successPolicy: { rules: [{ succeededIndexes: '0' }] } });
  const story2 = indexed(10, {
    successPolicy: { rules: [{ succeededIndexes: '0' }, { succeededCount: 5, succeededIndexes: '1-9' }] },
  });

  test('story 1: the leader succeeds, and the workers, which never end by themselves, are stopped', async () => {
    const { report, judgements } = await play(story1, {
      attempts: [{ index: 0, run: '30s' }, { end: 'never' }],
      limits: { stopDelay: '2s' },
    });
    expect(conditionsOf(report.final)).toEqual(['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy']);
    expect(report.final).toMatchObject({ succeeded: 1, completedIndexes: '0', terminating: 0 });
    expect(report.final.failed).toBeUndefined(); // what a success ended counts as nothing
    expect(report).toMatchObject({ makespanSec: 32 });
    const atSuccess = report.timeline.find(({ atSec }) => atSec === 30);
    expect(atSuccess?.status.conditions?.map(({ type }) => type)).toEqual(['SuccessCriteriaMet']);
    expect(atSuccess?.events.filter(({ reason }) => reason === 'SuccessfulDelete')).toHaveLength(9);
    expect(judgements.filter((judgement) => judgement?.as === 'released')).toHaveLength(9);
  });

  test('story 1: workers that fail do not matter while the back-off limit holds', async () => {
    const { report } = await play(story1, {
      attempts: [{ index: 0, run: '5m' }, { index: '1-3', attempt: 0, exitCode: 1 }, { end: 'never' }],
    });
    expect(conditionsOf(report.final).at(-1)).toBe('Complete SuccessPolicy');
    expect(report.final).toMatchObject({ succeeded: 1, failed: 3 });
  });

  test('story 2: five workers are as good as the leader', async () => {
    const { report } = await play(story2, { attempts: [{ index: '2,4-7', run: '40s' }, { end: 'never' }] });
    expect(conditionsOf(report.final).at(-1)).toBe('Complete SuccessPolicy');
    expect(report.final.conditions?.at(-1)?.message).toBe('Matched rules at index 1');
    expect(report.final).toMatchObject({ succeeded: 5, completedIndexes: '2,4-7' });
  });

  test('story 2: four workers are not', async () => {
    const { end } = await play(story2, { attempts: [{ index: '2,4-6', run: '40s' }, { end: 'never' }] });
    expect(end.kind).toBe('endless');
  });

  test('once the criteria are met, failures change nothing', async () => {
    const { report } = await play(indexed(3, { backoffLimit: 0, successPolicy: { rules: [{ succeededCount: 1 }] } }), {
      attempts: [{ index: 0, run: '10s' }, { index: 1, run: '11s', exitCode: 1 }, { end: 'never' }],
      limits: { stopDelay: '5s' },
    });
    expect(conditionsOf(report.final)).toEqual(['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy']);
  });

  const annotated = (job: ReturnType<typeof indexed>, annotations: Readonly<Record<string, string>>) => ({
    ...job,
    metadata: { ...job.metadata, annotations },
  });

  test('future: a percentage, and a reason of one’s own', async () => {
    const half = annotated(indexed(5), { 'muster.run/success-percent': '50', 'muster.run/success-reason': 'Half' });
    const { report } = await play(half, { attempts: [{ index: '0-2', run: '10s' }, { end: 'never' }] });
    expect(conditionsOf(report.final)).toEqual(['SuccessCriteriaMet Half', 'Complete Half']);
    expect(report.final.conditions?.at(-1)?.message).toBe('Matched muster.run/success-percent 50: 3 of 5 succeeded');
  });

  test('future: the lingering Pods go on', async () => {
    const sampling = annotated(
      indexed(10, { successPolicy: { rules: [{ succeededCount: 5, succeededIndexes: '1-9' }] } }),
      {
        'muster.run/when-criteria-achieved': 'Continue',
      },
    );
    const { report } = await play(sampling, {
      attempts: [{ index: '1-5', run: '10s' }, { index: 7, run: '30s', exitCode: 1 }, { run: '60s' }],
    });
    expect(report).toMatchObject({ makespanSec: 60, final: { succeeded: 9, failed: 1, completedIndexes: '0-6,8,9' } });
    expect(eventsOf(report)).toEqual([
      '0 SuccessfulCreate 10',
      '10 SuccessCriteriaMet Matched rules at index 0; its Pods go on',
      '60 Completed Job completed',
    ]);
    expect(conditionsOf(report.final)).toEqual(['SuccessCriteriaMet SuccessPolicy', 'Complete SuccessPolicy']);
  });

  test('future: a Job without indexes', async () => {
    const two = annotated(aManifest({ completions: 4, parallelism: 4 }), { 'muster.run/success-count': '2' });
    const { report } = await play(two, { attempts: [{ index: '0,1', run: '10s' }, { end: 'never' }] });
    expect(report.final).toMatchObject({ succeeded: 2 });
    expect(conditionsOf(report.final).at(-1)).toBe('Complete SuccessPolicy');
  });

  test('a failure in the same moment wins', async () => {
    const { report } = await play(indexed(3, { backoffLimit: 0, successPolicy: { rules: [{ succeededCount: 1 }] } }), {
      attempts: [{ index: 0, run: '10s' }, { index: 1, run: '10s', exitCode: 1 }, { end: 'never' }],
    });
    expect(conditionsOf(report.final).at(-1)).toBe('Failed BackoffLimitExceeded');
  });
});

describe('KEP-3850, back-off limit per index', () => {
  test('story 1: all tests run, failing ones are tried once more and do not keep the others from running', async () => {
    const { report, board } = await play(indexed(10, { parallelism: 3, backoffLimitPerIndex: 1 }), {
      attempts: [{ index: '1,8', run: '2s', exitCode: 1 }, { index: 4, attempt: 0, exitCode: 1 }, { run: '5s' }],
    });
    expect(conditionsOf(report.final)).toEqual(['FailureTarget FailedIndexes', 'Failed FailedIndexes']);
    expect(report.final).toMatchObject({ succeeded: 8, failed: 5, completedIndexes: '0,2-7,9', failedIndexes: '1,8' });
    expect(boardOf(board)).toBe('SFSSSSSSFS');
    expect(report.attempts.filter(({ index }) => index === 1)).toHaveLength(2);
  });

  test('story 2: too many failing indexes end the Job early', async () => {
    const { report } = await play(indexed(10, { backoffLimitPerIndex: 0, maxFailedIndexes: 2 }), {
      attempts: [{ index: '0-2', run: '10s', exitCode: 1 }, { run: '1h' }],
    });
    expect(conditionsOf(report.final).at(-1)).toBe('Failed MaxFailedIndexesExceeded');
    expect(report).toMatchObject({ makespanSec: 10, final: { failed: 10 } }); // what still ran counts as failed
    expect(report.final.succeeded).toBeUndefined();
  });

  test('story 3: FailIndex saves the tries of an index that cannot succeed', async () => {
    const rules = [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [42] } }];
    const { report, board, judgements } = await play(
      indexed(4, { backoffLimitPerIndex: 3, podFailurePolicy: { rules } }),
      {
        attempts: [
          { index: 2, exitCode: 42 },
          { index: 3, attempt: '0-2', exitCode: 1 },
        ],
      },
    );
    expect(conditionsOf(report.final).at(-1)).toBe('Failed FailedIndexes');
    expect(boardOf(board)).toBe('SSFS');
    expect(report.attempts.filter(({ index }) => index === 2)).toHaveLength(1);
    expect(judgements[2]?.as).toBe('failedForGood');
    expect(judgements[2]?.why).toMatchObject({ kind: 'policyRule', rule: 0, action: 'FailIndex' });
  });

  test('each index has a back-off of its own: 10 s, then 20 s, whatever the others do', async () => {
    const { report } = await play(indexed(2, { backoffLimitPerIndex: 3 }), {
      attempts: [
        { index: 0, attempt: '0-1', run: '1s', exitCode: 1 },
        { index: 1, attempt: 0, run: '9s', exitCode: 1 },
      ],
    });
    const starts = report.attempts.map(({ index, attempt, startSec }) => [index, attempt, startSec]);
    expect(starts).toEqual([
      [0, 0, 0],
      [0, 1, 11],
      [0, 2, 32],
      [1, 0, 0],
      [1, 1, 19],
    ]);
  });
});

describe('KEP-3329, Pod failure policy', () => {
  test('FailJob ends the Job with the first such exit code', async () => {
    const rules = [{ action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [42] } }];
    const { report } = await play(indexed(3, { backoffLimit: 6, podFailurePolicy: { rules } }), {
      attempts: [{ index: 1, run: '5s', exitCode: 42 }, { run: '1h' }],
    });
    expect(conditionsOf(report.final)).toEqual(['FailureTarget PodFailurePolicy', 'Failed PodFailurePolicy']);
    expect(report.final.conditions?.[0]?.message).toMatch(
      /^Container main for pod default\/work-1-\w{5} failed with exit code 42 matching FailJob rule at index 0$/,
    );
  });

  test('Ignore: a disruption costs nothing even by the letter', async () => {
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }];
    const manifest = indexed(1, { backoffLimit: 0, podFailurePolicy: { rules } });
    const { report } = await play(manifest, { attempts: [{ attempt: '0-1', end: 'SpotInterruption' }] });
    expect(conditionsOf(report.final).at(-1)).toBe('Complete CompletionsReached');
    expect(report.final.failed).toBeUndefined();
  });
});
