import { expect, test } from 'vitest';
import { type Action, actionsOf, cronActions, indexActions } from '../../ui/model/actions.ts';
import { kubectlLine, musterLine } from '../../ui/model/commands.ts';
import { jobRowOf } from '../../ui/model/job-row.ts';
import type { CronJob, Job, JobStatus } from '../../ui/model/objects.ts';

const job = (status: JobStatus, suspend = false): Job => ({
  metadata: {
    name: 'frames',
    namespace: 'render',
    uid: 'u',
    labels: { app: 'film', 'batch.kubernetes.io/job-name': 'frames' },
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'muster.run/items': 'a\nb' },
  },
  spec: {
    completions: 2,
    parallelism: 4,
    completionMode: 'Indexed',
    suspend,
    selector: { matchLabels: {} },
    template: { metadata: { labels: { 'job-name': 'frames', app: 'film' } }, spec: { containers: [{ name: 'main' }] } },
  },
  status,
});
const actions = (of: Job): readonly Action[] => actionsOf(of, jobRowOf(of));
const named = (list: readonly Action[], label: string): Action => list.find((each) => each.label === label)!;
const OVER: JobStatus = { conditions: [{ type: 'Failed', status: 'True' }] };

test('what can be done follows from where the Job stands', () => {
  const labels = (of: Job) => actions(of).map(({ label }) => label);
  expect(labels(job({ active: 1 }))).toEqual(['Suspend', 'Scale', 'Delete']);
  expect(labels(job({}, true))).toEqual(['Resume', 'Scale', 'Delete']);
  expect(labels(job(OVER))).toEqual(['Run failed again', 'Delete']);
});

test('each action has the command line that does the same', () => {
  expect(actions(job({ active: 1 })).map(({ command }) => command)).toEqual([
    'muster suspend frames -n render',
    'muster scale frames --parallelism 4 -n render',
    'muster delete frames -n render',
  ]);
  expect(indexActions({ namespace: 'default', name: 'frames' }, '7').map(({ command }) => command)).toEqual([
    'muster hold frames --indexes 7',
    'muster release frames --indexes 7',
    'muster requeue frames --indexes 7',
    'muster cancel frames --indexes 7',
  ]);
});

test('what is asked for stands in the request and in the command line', () => {
  const scaled = named(actions(job({ active: 1 })), 'Scale').asks?.withValue('16');
  expect([scaled?.command, scaled?.call.body]).toEqual([
    'muster scale frames --parallelism 16 -n render',
    { spec: { parallelism: 16 } },
  ]);
});

test('only what cannot be undone says so', () => {
  const all = [
    ...actions(job({ active: 1 })),
    ...actions(job(OVER)),
    ...indexActions({ namespace: 'a', name: 'b' }, '1'),
  ];
  expect(all.flatMap(({ label, isFinal }) => (isFinal ? [label] : []))).toEqual(['Delete', 'Delete', 'Cancel indexes']);
});

test('a rerun is a Job of the same indexes, without what belongs to the old one', () => {
  const { call, command, asks } = named(actions(job(OVER)), 'Run failed again');
  expect(command).toBe('muster rerun frames --name frames-rerun -n render');
  expect(asks?.withValue('2').command).toBe('muster rerun frames --name frames-rerun-2 -n render');
  expect(call.body).toMatchObject({
    metadata: {
      name: 'frames-rerun',
      labels: { app: 'film' },
      annotations: { 'muster.run/items': 'a\nb', 'muster.run/rerun-of': 'frames' },
    },
    spec: { completions: 2, template: { metadata: { labels: { app: 'film' } } } },
  });
  expect(JSON.stringify(call.body)).not.toMatch(/last-applied|selector|job-name/);
});

test('a Job of a CronJob is made as kubectl makes it', () => {
  const cron: CronJob = {
    metadata: { name: `${'n'.repeat(52)}`, namespace: 'render', uid: 'c' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: job({}).spec } },
  };
  const [now, pause, removal] = cronActions(cron);
  expect(now?.call.body).toMatchObject({
    metadata: {
      generateName: `${'n'.repeat(50)}-manual-`,
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [{ kind: 'CronJob', uid: 'c', controller: true }],
    },
  });
  expect([pause?.label, pause?.call.body, removal?.isFinal]).toEqual(['Pause', { spec: { suspend: true } }, true]);
});

test('words that a shell would read otherwise are quoted', () => {
  expect(musterLine('default', 'logs', "it's", 'a b', '$(x)')).toBe(String.raw`muster logs 'it'\''s' 'a b' '$(x)'`);
  expect(kubectlLine('team', 'get', 'job', 'frames')).toBe('kubectl get job frames -n team');
});
