import { describe, expect, test } from 'vitest';
import { simulateJob } from '../world/simulate-job.ts';
import { NO_SCRIPT } from '../world/script.ts';
import { START, aManifest, conditionsOf, eventsOf, indexed, play, tasksOf } from './a-simulation.ts';

describe('a simulation', () => {
  test('a Job without a script: every task runs for a second', async () => {
    const { report, end } = await play(indexed(3, { parallelism: 2 }));
    expect(end.kind).toBe('complete');
    expect(tasksOf(report)).toEqual(['0/0 0-1 Completed 0', '1/0 0-1 Completed 0', '2/0 1-2 Completed 0']);
    expect(report).toMatchObject({ taskSeconds: 3, makespanSec: 2 });
    expect(report.final).toMatchObject({ succeeded: 3, completedIndexes: '0-2', startTime: '2026-01-01T00:00:00Z' });
    expect(report.final).toMatchObject({ completionTime: '2026-01-01T00:00:02Z' });
    expect(eventsOf(report)).toEqual(['0 SuccessfulCreate 2', '1 SuccessfulCreate 1', '2 Completed Job completed']);
  });

  test('what Pods name outside of themselves is taken to be there', async () => {
    const job = aManifest(
      { completionMode: 'Indexed', completions: 2, parallelism: 2 },
      {
        containers: [{ name: 'main', image: 'busybox', envFrom: [{ secretRef: { name: 'db' } }] }],
        volumes: [
          { name: 'conf', configMap: { name: 'app' } },
          { name: 'data', persistentVolumeClaim: { claimName: 'shared' } },
        ],
      },
    );
    expect((await play(job)).end.kind).toBe('complete');
  });

  test('failed tries are tried again after 10 s, then 20 s', async () => {
    const { report } = await play(indexed(1), { attempts: [{ attempt: '0-1', run: '2s', exitCode: 7 }] });
    expect(tasksOf(report)).toEqual(['0/0 0-2 Error 7', '0/1 12-14 Error 7', '0/2 34-35 Completed 0']);
    expect(report.final).toMatchObject({ succeeded: 1, failed: 2 });
  });

  test('beyond its back-off limit the Job fails, and what still runs is stopped and counted', async () => {
    const { report, end, judgements } = await play(indexed(3, { backoffLimit: 0 }), {
      attempts: [{ index: 1, run: '5s', exitCode: 3 }, { run: '1h' }],
      limits: { stopDelay: '2s' },
    });
    expect(end).toEqual({ kind: 'failed', decidedBy: 1 });
    expect(tasksOf(report)).toEqual(['0/0 0-7 Stopped 143', '1/0 0-5 Error 3', '2/0 0-7 Stopped 143']);
    expect(report.final).toMatchObject({ failed: 3, terminating: 0 });
    expect(report.final.active).toBeUndefined();
    expect(conditionsOf(report.final)).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
    expect(eventsOf(report)).toEqual([
      '0 SuccessfulCreate 3',
      '5 SuccessfulDelete 2',
      '7 BackoffLimitExceeded Job has reached the specified backoff limit',
    ]);
    expect(judgements.map((judgement) => judgement?.as)).toEqual(['failed', 'failed', 'failed']);
  });

  test('limits: launches are paced, start and stop take their time', async () => {
    const { report } = await play(indexed(3), { limits: { launchesPerSecond: 2, startDelay: '15s' } });
    expect(tasksOf(report)).toEqual([
      '0/0 15.02-16.02 Completed 0',
      '1/0 15.54-16.54 Completed 0',
      '2/0 16.06-17.06 Completed 0',
    ]);
    expect(report).toMatchObject({ makespanSec: 17.06, taskSeconds: 3 });
  });

  test('infrastructure spends no attempt of the user', async () => {
    const { report } = await play(indexed(2, { backoffLimit: 0 }), {
      attempts: [
        { index: 0, attempt: 0, run: '3s', end: 'SpotInterruption' },
        { index: 1, attempt: 0, run: '3s', end: 'InfrastructureHealth' },
      ],
    });
    expect(report.attempts.map(({ cause }) => cause)).toEqual([
      'SpotInterruption',
      'Completed',
      'InfrastructureHealth',
      'Completed',
    ]);
    expect(conditionsOf(report.final).at(-1)).toBe('Complete CompletionsReached');
    expect(report.final.failed).toBeUndefined();
  });

  test('a NonIndexed Job: its slots are matched as indexes', async () => {
    const { report, end } = await play(aManifest({ completions: 3, parallelism: 3 }), {
      attempts: [{ index: 1, attempt: 0, exitCode: 1 }],
    });
    expect(end.kind).toBe('complete');
    expect(report.final).toMatchObject({ succeeded: 3, failed: 1 });
    expect(report.final.completedIndexes).toBeUndefined();
  });

  test('a work queue starts nothing more once one Pod has succeeded', async () => {
    const { report } = await play(aManifest({ parallelism: 3 }), { attempts: [{ index: 2, run: '5s' }] });
    expect(report.final).toMatchObject({ succeeded: 3 });
    expect(report).toMatchObject({ makespanSec: 5 });
    expect(report.attempts).toHaveLength(3);
  });

  test('restartPolicy OnFailure: the same Pod, a new task', async () => {
    const manifest = aManifest({ completionMode: 'Indexed', completions: 1 }, { restartPolicy: 'OnFailure' });
    const { report, judgements } = await play(manifest, { attempts: [{ attempt: 0, exitCode: 1 }] });
    expect(report.attempts.map(({ attempt, cause }) => [attempt, cause])).toEqual([
      [0, 'Error'],
      [1, 'Completed'],
    ]);
    expect(judgements.map((judgement) => judgement?.as)).toEqual(['restarted', 'succeeded']);
    expect(eventsOf(report).filter((line) => line.includes('SuccessfulCreate'))).toEqual(['0 SuccessfulCreate 1']);
  });

  test('completions 0 is complete at once', async () => {
    const { report } = await play(indexed(0));
    expect(report).toMatchObject({ attempts: [], taskSeconds: 0, makespanSec: 0 });
    expect(conditionsOf(report.final).at(-1)).toBe('Complete CompletionsReached');
  });

  test('a deadline of hours passes in no time', async () => {
    const { report } = await play(indexed(2, { activeDeadlineSeconds: 7_200 }), {
      attempts: [{ index: 1, end: 'never' }],
    });
    expect(conditionsOf(report.final).at(-1)).toBe('Failed DeadlineExceeded');
    expect(report).toMatchObject({ makespanSec: 7_200 });
  });
});

describe('what people do meanwhile', () => {
  test('suspend and resume', async () => {
    const { report, patchRefused } = await play(indexed(2), {
      attempts: [{ attempt: 0, run: '1m' }, { run: '10s' }],
      user: [
        { at: '30s', patch: { spec: { suspend: true } } },
        { at: '2m', patch: { spec: { suspend: false } } },
      ],
      limits: { stopDelay: '2s' },
    });
    expect(patchRefused).toBe(false);
    expect(tasksOf(report)).toEqual([
      '0/0 0-32 Stopped 143',
      '0/1 120-130 Completed 0',
      '1/0 0-32 Stopped 143',
      '1/1 120-130 Completed 0',
    ]);
    expect(eventsOf(report)).toEqual([
      '0 SuccessfulCreate 2',
      '30 SuccessfulDelete 2',
      '30 Suspended Job suspended',

      '120 Resumed Job resumed',
      '120 SuccessfulCreate 2',
      '130 Completed Job completed',
    ]);
    expect(report.final).toMatchObject({ succeeded: 2, startTime: '2026-01-01T00:02:00Z' });
    expect(report.final.failed).toBeUndefined();
  });

  test('a smaller parallelism stops the surplus, which counts as nothing', async () => {
    const { report } = await play(aManifest({ completionMode: 'Indexed', completions: 4, parallelism: 4 }), {
      attempts: [{ run: '20s' }],
      user: [{ at: '5s', patch: { spec: { parallelism: 1 } } }],
    });
    expect(eventsOf(report)).toContain('5 SuccessfulDelete 3');
    expect(report.final).toMatchObject({ succeeded: 4 });
    expect(report.final.failed).toBeUndefined();
    expect(report).toMatchObject({ makespanSec: 80 });
  });

  test('a deleted Pod counts as failed and is tried again', async () => {
    const { report } = await play(indexed(2), {
      attempts: [{ run: '30s' }],
      user: [{ at: '10s', deletePod: { index: 1 } }],
      limits: { stopDelay: '1s' },
    });
    expect(report.final).toMatchObject({ succeeded: 2, failed: 1 });
    expect(tasksOf(report).slice(1, 2)).toEqual(['1/0 0-11 Stopped 143']);
    expect(report.attempts).toHaveLength(3);
  });

  test('podReplacementPolicy TerminatingOrFailed: the next Pod starts while the deleted one stops', async () => {
    const { report } = await play(indexed(1, { podReplacementPolicy: 'TerminatingOrFailed' }), {
      attempts: [{ run: '60s' }],
      user: [{ at: '10s', deletePod: { index: 0 } }],
      limits: { stopDelay: '30s' },
    });
    expect(tasksOf(report)).toEqual(['0/0 0-40 Stopped 143', '0/1 20-80 Completed 0']); // after the back-off
    expect(report.final).toMatchObject({ succeeded: 1, failed: 1 });
  });

  test('an Indexed Job is made larger, then smaller', async () => {
    const { report } = await play(indexed(2), {
      attempts: [{ run: '20s' }],
      user: [
        { at: '5s', patch: { spec: { completions: 5, parallelism: 5 } } },
        { at: '10s', patch: { spec: { completions: 3, parallelism: 3 } } },
      ],
    });
    expect(report.final).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    expect(eventsOf(report)).toEqual([
      '0 SuccessfulCreate 2',
      '5 SuccessfulCreate 3',
      '10 SuccessfulDelete 2',
      '25 Completed Job completed',
    ]);
  });

  test('a deleted Job stops its tasks', async () => {
    const { report, end } = await play(indexed(2), {
      attempts: [{ run: '1h' }],
      user: [{ at: '50s', delete: true }],
      limits: { stopDelay: '2s' },
    });
    expect(end).toEqual({ kind: 'deleted' });
    expect(tasksOf(report)).toEqual(['0/0 0-52 Stopped 143', '1/0 0-52 Stopped 143']);
    expect(report).toMatchObject({ makespanSec: 52, final: { terminating: 0 } });
  });

  test('a Job that is deleted after its end has ended as it had', async () => {
    const { report, end } = await play(indexed(1), { user: [{ at: '50s', delete: true }] });
    expect(end.kind).toBe('complete');
    expect(report).toMatchObject({ makespanSec: 1, final: { succeeded: 1 } });
  });

  test('single indexes are held back, given up, and put back', async () => {
    const { report, end } = await play(indexed(4, { parallelism: 1 }), {
      attempts: [{ run: '10s' }],
      user: [
        { at: '1s', hold: '1' },
        { at: '2s', cancel: '3' },
        { at: '5s', requeue: '0' },
        { at: '50s', release: '1' },
      ],
    });
    expect(end.kind).toBe('complete');
    expect(tasksOf(report)).toEqual([
      '0/0 0-5 Stopped 143',
      '0/1 5-15 Completed 0',
      '1/0 50-60 Completed 0',
      '2/0 15-25 Completed 0',
    ]);
    expect(report.final).toMatchObject({ succeeded: 3 });
    expect(report.final.failed).toBeUndefined();
  });

  test('no index of a Job that is over, and none that it has not', async () => {
    const { report } = await play(indexed(2), {
      user: [
        { at: '0.5s', hold: '7' },
        { at: '20s', requeue: '0' },
      ],
    });
    expect(eventsOf(report)).toEqual([
      '0 SuccessfulCreate 2',
      '0.5 Invalid indexes: index 7 does not exist: 0 to 1 do',
      '1 Completed Job completed',
      expect.stringMatching(/^20 Conflict it is over: /) as string,
    ]);
  });

  test('what the API refuses changes nothing, and is reported', async () => {
    const { report, patchRefused, end } = await play(indexed(2), {
      attempts: [{ run: '10s' }],
      user: [
        { at: '1s', patch: { spec: { completions: 5, backoffLimit: -1 } } },
        { at: '2s', patch: { spec: { paralelism: 1 } } },
        { at: '3s', deletePod: { index: 7 } },
        { at: '20s', delete: true },
        { at: '21s', delete: true },
        { at: '22s', patch: { spec: { suspend: true } } },
      ],
    });
    expect(end.kind).toBe('complete');
    expect(patchRefused).toBe(true);
    expect(eventsOf(report)).toEqual([
      '0 SuccessfulCreate 2',
      expect.stringMatching(/^1 Invalid Job.batch "work" is invalid: .*spec.backoffLimit.*spec.completions/),
      expect.stringMatching(/^2 BadRequest .*unknown field "spec.paralelism"/),
      '3 NotFound index 7 has no Pod that could be deleted',
      '10 Completed Job completed',
      '21 NotFound jobs.batch "work" not found',
      '22 NotFound jobs.batch "work" not found',
    ]);
    expect(report.final).toMatchObject({ succeeded: 2 });
  });
});

describe('a Job that does not end', () => {
  test.each([
    [
      { attempts: [{ index: 1, end: 'never' }] },
      {},
      'index 1 runs until stopped, and there is no activeDeadlineSeconds',
    ],
    [{}, { suspend: true }, 'it is suspended, and nobody resumes it'],
    [{}, { parallelism: 0 }, 'parallelism is 0'],
    [{}, { managedBy: 'example.com/other' }, 'managedBy names another controller, so Muster does nothing about it'],
  ])('%j %j', async (script, spec, waitsFor) => {
    const { end, report } = await play(indexed(2, spec), script);
    expect(end).toEqual({ kind: 'endless', waitsFor });
    expect(report.makespanSec).toBeNull();
  });

  test('a Job that tries for ever is given up', async () => {
    const rules = [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }];
    const manifest = indexed(1, { backoffLimit: 0, podFailurePolicy: { rules } });
    const { end, report } = await play(manifest, { attempts: [{ run: '1h', exitCode: 3 }] }, { horizonMs: 86_400_000 });
    expect(report.attempts).toHaveLength(22); // an hour each, and the back-off between them
    const waitsFor = end.kind === 'endless' ? end.waitsFor : end.kind;
    expect(waitsFor).toMatch(/^after 22 tasks in 23 hours it still starts new ones$/);
  });

  test('a task that hangs has no end in the report', async () => {
    const { report } = await play(indexed(1), { attempts: [{ end: 'never' }] });
    expect(tasksOf(report)).toEqual(['0/0 0-· Running ·']);
    expect(report).toMatchObject({ taskSeconds: 0, final: { active: 1 } });
  });
});

describe('the same wish gives the same simulation', () => {
  const script = { attempts: [{ index: '0-40', attempt: 0, exitCode: 1 }], limits: { launchesPerSecond: 20 } };
  const bytes = async (seed: number): Promise<string> =>
    JSON.stringify((await play(indexed(60), script, { seed })).report);

  test('byte for byte; another seed names the Pods anew, no more', async () => {
    const [first, again, other] = [await bytes(7), await bytes(7), await bytes(8)];
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    const nameless = (text: string): string => text.replaceAll(/work-(\d+)-\w+/g, 'work-$1');
    expect(nameless(other)).toBe(nameless(first));
  });
});

test('a thousand indexes with failures: every one is launched as often as it must be, and time is only told', async () => {
  const { report } = await play(indexed(1_000, { parallelism: 200, backoffLimit: 1_000 }), {
    attempts: [{ index: '0-99,500-599', attempt: '0-1', run: '5s', exitCode: 1 }, { run: '30s' }],
  });
  expect(report.final).toMatchObject({ succeeded: 1_000, failed: 400, completedIndexes: '0-999' });
  expect(report.attempts).toHaveLength(1_400);
  expect(report.timeline.length).toBeLessThan(400);
  const times = report.timeline.map(({ atSec }) => atSec);
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

describe('what cannot be simulated', () => {
  const refusal = async (document: unknown, script: Parameters<typeof simulateJob>[0]['script'] = NO_SCRIPT) => {
    const simulated = await simulateJob({ document, script, seed: 1, start: START });
    return simulated.kind === 'refused' ? { what: simulated.what, errors: simulated.errors } : null;
  };

  test('a Job with faults, all of them with their paths', async () => {
    const refused = await refusal(aManifest({ completions: -1, backoffLimit: -2 }));
    expect(refused?.what).toBe('Job');
    expect(refused?.errors.map(({ path }) => path).sort()).toEqual(['spec.backoffLimit', 'spec.completions']);
    expect(await refusal(null)).toMatchObject({ what: 'Job' });
    expect((await refusal({ ...indexed(1), extra: 1 }))?.errors[0]?.message).toContain('unknown field "extra"');
  });

  test('a script that names a container which the Job does not have', async () => {
    const attempts = [
      {
        indexes: null,
        attempts: null,
        item: null,
        runMs: 1,
        exit: { kind: 'containersExit' as const, exitCodes: new Map([['side', 1]]) },
      },
    ];
    expect(await refusal(indexed(1), { ...NO_SCRIPT, attempts })).toEqual({
      what: 'script',
      errors: [{ path: 'attempts[0].exitCodes.side', message: 'the Job has no such container, but main' }],
    });
  });
});

describe('indexes that never run', () => {
  const annotated = (annotations: object) => {
    const job = indexed(6);
    return { ...job, metadata: { ...job.metadata, annotations } };
  };

  test('only the chosen ones', async () => {
    const { report, board } = await play(annotated({ 'muster.run/indexes': '1,4' }));
    expect(tasksOf(report)).toEqual(['1/0 0-1 Completed 0', '4/0 0-1 Completed 0']);
    expect(report.final).toMatchObject({ succeeded: 2, completedIndexes: '1,4' });
    expect(board).toEqual(['excluded', 'succeeded', 'excluded', 'excluded', 'succeeded', 'excluded']);
  });

  test('a rerun: what had succeeded counts, and what it leaves out does not', async () => {
    const again = annotated({ 'muster.run/rerun-of': 'before', 'muster.run/indexes': '4' });
    const { report, end, board } = await play(again, {}, { succeededBefore: '0-2,4' });
    expect(tasksOf(report)).toEqual(['4/0 0-1 Completed 0']);
    expect(end.kind).toBe('complete');
    expect(report.timeline[0]?.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
    expect(report.final).toMatchObject({ succeeded: 4, completedIndexes: '0-2,4' });
    expect(board).toEqual(['inherited', 'inherited', 'inherited', 'excluded', 'succeeded', 'excluded']);
  });

  test.each<[succeeded: string | undefined, annotations: object, why: string]>([
    [undefined, { 'muster.run/rerun-of': 'a' }, 'say with --succeeded which indexes succeeded there'],
    ['0-9', { 'muster.run/rerun-of': 'a' }, '--succeeded "0-9": too large index: "9"'],
    ['0-5', { 'muster.run/rerun-of': 'a' }, 'nothing is left to run'],
    ['0', {}, 'is needed where indexes have succeeded before'],
  ])('succeeded before: %s, of a Job with %j', async (succeededBefore, annotations, why) => {
    const simulated = await simulateJob({
      document: annotated(annotations),
      script: NO_SCRIPT,
      seed: 1,
      start: START,
      ...(succeededBefore === undefined ? {} : { succeededBefore }),
    });
    expect(simulated).toMatchObject({
      kind: 'refused',
      what: 'Job',
      errors: [{ path: 'metadata.annotations[muster.run/rerun-of]', message: expect.stringContaining(why) as unknown }],
    });
  });
});
