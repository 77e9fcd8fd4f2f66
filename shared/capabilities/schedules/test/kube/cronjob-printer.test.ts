import { expect, test } from 'vitest';
import { START } from '../../../../../test/kube/a-world.ts';
import type { KubeObject } from '../../../../kube/http/kube-object.ts';
import { CRON_JOB_PRINTER } from '../../kube/cronjob-printer.ts';

const NOW = START;
const DAY = 86_400;
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();
const stored = (rest: object): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly', uid: 'u', resourceVersion: '1', creationTimestamp: ago(3 * DAY) },
  ...rest,
});
/** The row by column names, as `kubectl get -o wide` heads them. */
const row = (cron: KubeObject): Record<string, unknown> => {
  const cells = CRON_JOB_PRINTER.cells(cron, NOW);
  return Object.fromEntries(CRON_JOB_PRINTER.columns.map(({ name }, at) => [name, cells[at]]));
};

test('the rows of CronJobs', () => {
  const template = { spec: { containers: [{ name: 'main', image: 'busybox' }] } };
  const cron = (spec: object, status?: object) =>
    row(stored({ spec: { schedule: '0 3 * * *', jobTemplate: { spec: { template } }, ...spec }, status }));
  expect(cron({ suspend: false })).toEqual({
    Name: 'nightly',
    Schedule: '0 3 * * *',
    Timezone: '<none>',
    Suspend: 'False',
    Active: 0,
    'Last Schedule': '<none>',
    Age: '3d',
    Containers: 'main',
    Images: 'busybox',
    Selector: '<none>',
  });
  const busy = { active: [{}, {}], lastScheduleTime: ago(90) };
  expect(cron({ suspend: true, timeZone: 'Europe/Berlin' }, busy)).toMatchObject({
    Timezone: 'Europe/Berlin',
    Suspend: 'True',
    Active: 2,
    'Last Schedule': '90s',
  });
  expect(cron({})).toMatchObject({ Suspend: '<unset>' });
  const matchExpressions = [
    { key: 'c', operator: 'NotIn', values: ['z', 'y'] },
    { key: 'b', operator: 'Exists' },
    { key: 'd', operator: 'DoesNotExist' },
  ];
  const selector = { matchLabels: { a: '1' }, matchExpressions };
  expect(cron({ jobTemplate: { spec: { template, selector } } })).toMatchObject({
    Selector: 'a=1,b,c notin (y,z),!d',
  });
});

test('only -o wide shows what its Jobs run; each column is described', () => {
  const { columns } = CRON_JOB_PRINTER;
  const wide = columns.filter(({ priority }) => priority === 1).map(({ name }) => name);
  expect(wide).toEqual(['Containers', 'Images', 'Selector']);
  expect(columns.every(({ description }) => description !== '')).toBe(true);
});
