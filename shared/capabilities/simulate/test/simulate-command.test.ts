import { describe, expect, test } from 'vitest';
import { aManifest, indexed } from './a-simulation.ts';
import { simulate } from './run-simulate.ts';

describe('muster simulate', () => {
  test('-o json prints the report and nothing else', async () => {
    const files = { 'job.yaml': indexed(2) };
    const { code, out, err } = await simulate('-f job.yaml -o json', files);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const report = JSON.parse(out) as Record<string, unknown>;
    expect(Object.keys(report)).toEqual(['final', 'timeline', 'attempts', 'taskSeconds', 'makespanSec']);
    expect(report['attempts']).toEqual([
      { index: 0, attempt: 0, startSec: 0, endSec: 1, cause: 'Completed', exitCode: 0 },
      { index: 1, attempt: 0, startSec: 0, endSec: 1, cause: 'Completed', exitCode: 0 },
    ]);
    expect((await simulate('-f job.yaml -o json', files)).out).toBe(out);
    expect((await simulate('-f job.yaml -o json --seed 2', files)).out).not.toBe(out);
  });

  test('a JobConfig is refused: it is no Job', async () => {
    const files = {
      'weekly.json': { apiVersion: 'execution.furiko.io/v1alpha1', kind: 'JobConfig', metadata: { name: 'weekly' } },
    };
    const { code, out, err } = await simulate('-f weekly.json', files);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('weekly.json holds a JobConfig: muster simulate takes a Job');
  });

  test('the Job from standard input, the script as YAML, at another time', async () => {
    const fates = 'attempts:\n  - {index: 1, attempt: 0, run: 5s, exitCode: 3}\n';
    const line = '-f - --script fates.yaml -o json --now 2026-03-01T06:00:00Z';
    const { code, out } = await simulate(line, { 'fates.yaml': fates }, JSON.stringify(indexed(2)));
    expect(code).toBe(0);
    expect(out).toContain('"startTime": "2026-03-01T06:00:00Z"');
    expect(JSON.parse(out)).toMatchObject({ final: { succeeded: 2, failed: 1 }, makespanSec: 16 });
  });

  test('a rerun in text: what it inherits and what it leaves out have signs of their own', async () => {
    const job = indexed(6, { parallelism: 2 });
    const annotations = { 'muster.run/rerun-of': 'before', 'muster.run/indexes': '3,4' };
    const files = { 'job.yaml': { ...job, metadata: { ...job.metadata, annotations } } };
    const { code, out } = await simulate('-f job.yaml --succeeded 0,1', files);
    expect(code).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "work  default, simulated  complete after 1s

      Phases
              0s  running    2 Pods created, 2 succeeded
              1s  complete   2 succeeded

      Decisions
              1s  SuccessCriteriaMet CompletionsReached: Reached expected number of succeeded pods
              1s  Complete CompletionsReached: Reached expected number of succeeded pods

      Indexes
        0  ▪ ▪ – ■ ■ –
        ▪ 2 inherited   – 2 excluded   ■ 2 succeeded

      Forecast
        makespan    1s
        task time   2s (2 s)
        launches    2
        at once     2 at most
      "
    `);
    expect((await simulate('-f job.yaml', files)).code).toBe(2);
  });

  test('as text: phases, decisions with their reasons, the indexes, the forecast', async () => {
    const { code, out } = await simulate('-f job.yaml --script fates.yaml', {
      'job.yaml': indexed(6, { backoffLimitPerIndex: 1 }),
      'fates.yaml': {
        attempts: [
          { index: 1, run: '5s', exitCode: 3 },
          { index: 4, attempt: 0, end: 'SpotInterruption' },
        ],
        user: [{ at: '2s', patch: { spec: { completions: 9 } } }],
      },
    });
    expect(code).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "work  default, simulated  failed after 20s

      Phases
              0s  running    8 Pods created, 5 succeeded, 1 failed
             20s  failed     1 failed

      Decisions
             20s  FailureTarget FailedIndexes: Job has failed indexes (index 1 decided)
             20s  Failed FailedIndexes: Job has failed indexes
               1x  counted as failed: exit code 3 (index 1)
               1x  counted as failed, no more retries of the index: exit code 3 (index 1)
               1x  lost, spent no attempt: Your Spot Task was interrupted. (index 4)

      Refused
              2s  Invalid Job.batch "work" is invalid: spec.completions: Invalid value: 9: can only be modified in tandem with spec.parallelism

      Indexes
        0  ■ × ■ ■ ■ ■
        ■ 5 succeeded   × 1 failed

      Forecast
        makespan    20s
        task time   16s (16 s)
        launches    8
        at once     6 at most
      "
    `);
  });

  test('items that a script names need a work list', async () => {
    const { code, out, err } = await simulate('-f plain.yaml --script fates.yaml', {
      'plain.yaml': indexed(1),
      'fates.yaml': 'attempts: [{item: a}]\n',
    });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/fates.yaml is refused: attempts\[0\].item: the Job has no work list/);
  });

  test('a Job that does not end: exit 1, and what it waits for', async () => {
    const files = { 'job.yaml': indexed(2), 'fates.yaml': { attempts: [{ index: 1, end: 'never' }] } };
    const { code, out, err } = await simulate('-f job.yaml --script fates.yaml -o json', files);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ makespanSec: null, final: { active: 1 } });
    expect(err).toBe('still running: index 1 runs until stopped, and there is no activeDeadlineSeconds\n');
  });

  test('a suspended one likewise', async () => {
    const { err } = await simulate('-f job.yaml', { 'job.yaml': indexed(2, { suspend: true }) });
    expect(err).toBe('still suspended: it is suspended, and nobody resumes it\n');
  });

  test('a refused patch: exit 1 though the Job is complete', async () => {
    const { code, out } = await simulate('-f job.yaml --script fates.yaml', {
      'job.yaml': indexed(1, { parallelism: 2 }),
      'fates.yaml': { user: [{ at: 0.5, patch: { spec: { completionMode: 'NonIndexed' } } }] },
    });
    expect(code).toBe(1);
    expect(out).toContain('complete after 1s');
    expect(out).toContain('Invalid Job.batch "work" is invalid: ');
    expect(out).toContain('spec.completionMode: Invalid value: "NonIndexed": field is immutable');
  });

  test.each([
    ['-f job.yaml', { 'job.yaml': aManifest({ completions: -1 }) }, 'error: job.yaml is refused: spec.completions: '],
    ['-f job.yaml', { 'job.yaml': '{' }, 'error: job.yaml cannot be read: '],
    [
      '-f job.yaml',
      { 'job.yaml': 'kind: Job\n---\nkind: Job\n' },
      'error: job.yaml has 2 objects; simulate takes one Job',
    ],
    ['-f nowhere.yaml', {}, 'error: nowhere.yaml does not exist'],
    [
      '-f job.yaml --script s.yaml',
      { 'job.yaml': indexed(1), 's.yaml': { attempts: [{ run: 'x' }], users: [] } },
      'error: s.yaml is refused:\n* attempts[0].run: must be a length of time up to a year, such as 5s, 2m, 1h30m or 250ms, not "x"\n* users: unknown field\n',
    ],
    [
      '-f job.yaml --script s.yaml',
      { 'job.yaml': indexed(1), 's.yaml': { attempts: [{ exitCodes: { side: 1 } }] } },
      'error: s.yaml is refused: attempts[0].exitCodes.side: the Job has no such container, but main',
    ],
    ['-f - --script -', {}, 'error: standard input can hold the Job or the script, not both'],
    ['-f job.yaml --now noon', {}, 'It must be a time such as 2026-01-01T00:00:00Z.'],
    ['-f job.yaml -o xml', {}, 'Allowed choices are text, json, yaml.'],
    ['-o json', {}, "required option '-f, --file <file>' not specified"],
  ])('%s %j: exit 2', async (line, files, expected) => {
    const { code, out, err } = await simulate(line, files);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(expected);
  });

  test('--help has examples and fits a terminal', async () => {
    const { code, out } = await simulate('--help', {});
    expect(code).toBe(0);
    expect(out).toContain('Examples:\n  muster simulate -f job.yaml');
    expect(Math.max(...out.split('\n').map((each) => each.length))).toBeLessThanOrEqual(110);
  });
});
