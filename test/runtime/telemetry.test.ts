import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failedSyncMetrics } from '../../shared/domain/planner/job-metrics.ts';
import { JOB_METRICS, METRICS } from '../../shared/names/metrics.ts';
import { createPlainTelemetry } from '../../shared/telemetry/plain-telemetry.ts';

/** Runs the telemetry of the functions in a process of its own, and returns what it printed. */
const printed = (script: string): Record<string, unknown>[] => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      '--input-type=module',
      '-e',
      `import { createLambdaTelemetry } from './shared/telemetry/lambda-telemetry.ts'; const t = createLambdaTelemetry(); ${script}`,
    ],
    { encoding: 'utf8', cwd: new URL('../..', import.meta.url), env: { PATH: process.env['PATH'] } },
  );
  const lines = (stdout + stderr).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};

test('counts are added up and written as one metric line for each flush', () => {
  const lines = printed(
    `t.count('TasksLaunched', 2); t.count('TasksLaunched', 3); t.count('GhostsStopped', 1); t.flush(); t.flush();`,
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ TasksLaunched: 5, GhostsStopped: 1, service: 'muster' });
  expect(lines[0]?.['_aws']).toMatchObject({
    CloudWatchMetrics: [
      {
        Namespace: 'Muster',
        Dimensions: [['service']],
        Metrics: [
          { Name: 'TasksLaunched', Unit: 'Count' },
          { Name: 'GhostsStopped', Unit: 'Count' },
        ],
      },
    ],
  });
});

test('seconds are kept one by one, and more than a line takes fill the next one', () => {
  const lines = printed(
    `t.count('TasksLaunched', 1); for (let n = 0; n < 250; n++) t.count('StoppedToCounted', n / 10); t.flush(); t.flush();`,
  );
  const values = lines.flatMap((line) => line['StoppedToCounted'] as number | number[]);
  expect(values).toEqual(Array.from({ length: 250 }, (_, n) => n / 10));
  expect(lines.map((line) => line['TasksLaunched'])).toEqual([1, undefined, undefined]);
  for (const line of lines)
    expect(line).toMatchObject({ service: 'muster', _aws: { CloudWatchMetrics: [{ Dimensions: [['service']] }] } });
  expect(JSON.stringify(lines[1])).toContain('"Name":"StoppedToCounted","Unit":"Seconds"');
});

test('a log line has a constant message, and its values separately', () => {
  const [line] = printed(`t.warn('launch throttled', { job: 'u', index: 7 });`);
  expect(line).toMatchObject({
    level: 'WARN',
    message: 'launch throttled',
    values: { job: 'u', index: 7 },
    service: 'muster',
  });
});

test('a log line names its invocation, and none that was before', () => {
  const lines = printed(
    `t.begin({ function_name: 'f', function_request_id: 'r1', api_request_id: 'a1' }); t.warn('one', {});
     t.begin({ function_name: 'f', function_request_id: 'r2' }); t.warn('two', {});`,
  );
  expect(lines).toMatchObject([
    { message: 'one', function_name: 'f', function_request_id: 'r1', api_request_id: 'a1' },
    { message: 'two', function_name: 'f', function_request_id: 'r2' },
  ]);
  expect(lines[1]).not.toHaveProperty('api_request_id');
});

test('the page on metrics has every name, and no other', () => {
  const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => Array.from((row.split('|')[1] ?? '').matchAll(/`(\w+)`/g), ([, name]) => name));
  expect(new Set(named)).toEqual(new Set([...Object.keys(METRICS), ...Object.keys(JOB_METRICS)]));
});

test('at a terminal only warnings are shown; counts can be asked for', () => {
  const lines: string[] = [];
  const telemetry = createPlainTelemetry({ warn: (message) => void lines.push(message) });
  telemetry.info('fine', {});
  telemetry.warn('odd', { error: new Error('why'), index: 7 });
  telemetry.count('TasksLaunched', 2);
  telemetry.count('TasksLaunched', 3);
  telemetry.flush();
  expect(lines).toEqual(['odd']);
  expect(telemetry.counts()).toEqual({ TasksLaunched: 5 });
  telemetry.record(failedSyncMetrics('Indexed', 5));
  telemetry.record(failedSyncMetrics('Indexed', 5));
  expect(telemetry.jobCounts()).toEqual({
    'job_syncs_total{completion_mode="Indexed",result="error",action="reconciling"}': 2,
  });
});
