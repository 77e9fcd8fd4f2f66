import { expect, test } from 'vitest';
import { TASK_ENV, taskEnvironment } from '../../../shared/domain/task/task-environment.ts';
import { admitted, jobDocument } from '../../support/job-document.ts';

const jobOf = (pod: object) =>
  admitted(jobDocument({ completionMode: 'Indexed', completions: 9 }, { name: 'train' }, pod)).manifest;
const told = (pod: object, zone: string | undefined, restarts = 0) =>
  taskEnvironment(jobOf(pod), { index: 7, attempt: 2, restarts }, zone);

test('a task of a Job with names gets its own name, and the pattern of all names', () => {
  expect(told({ subdomain: 'workers' }, 'muster.internal')).toEqual([
    { name: 'MUSTER_JOB_NAME', value: 'train' },
    { name: 'MUSTER_NAMESPACE', value: 'default' },
    { name: 'MUSTER_ATTEMPT', value: '2' },
    { name: 'MUSTER_HOSTS_PATTERN', value: 'train-%d.workers.default.muster.internal' },
    { name: 'MUSTER_HOSTNAME', value: 'train-7.workers.default.muster.internal' },
  ]);
});

test.each([
  ['without a subdomain', {}, 'muster.internal'],
  ['where there is no zone', { subdomain: 'workers' }, undefined],
])('there are none %s', (_, pod, zone) => {
  expect(told(pod, zone).map(({ name }) => name)).toEqual(['MUSTER_JOB_NAME', 'MUSTER_NAMESPACE', 'MUSTER_ATTEMPT']);
});

test('a restart of the same Pod increments the try', () => {
  expect(told({}, undefined, 3)).toContainEqual({ name: 'MUSTER_ATTEMPT', value: '5' });
});

test('no user variable can have one of these names', () => {
  for (const name of Object.values(TASK_ENV)) expect(name).toMatch(/^MUSTER_/); // refused: see pod-rules.test.ts
});
