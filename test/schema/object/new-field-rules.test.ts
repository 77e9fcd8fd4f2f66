import { expect, test } from 'vitest';
import { newFieldErrors } from '../../../shared/schema/object/new-field-rules.ts';

const job = (annotations: Record<string, string>, pod: object = {}, spec: object = {}) => ({
  metadata: { name: 'sums', annotations },
  spec: { ...spec, template: { metadata: { annotations: {} }, spec: { containers: [{ name: 'main' }], ...pod } } },
});
const paths = (object: unknown, before: unknown = null) =>
  newFieldErrors(object, before, 'previous').map(({ path, kind }) => `${kind} ${path}`);

test('what the release before knows, too, is admitted', () => {
  expect(paths(job({ 'muster.run/items': 'a', team: 'x' }, {}, { activeDeadlineSeconds: 9 }))).toEqual([]);
});

test('what only this release knows is refused by its path, wherever it is', () => {
  expect(paths(job({ 'muster.run/gang': 'all' }, { activeDeadlineSeconds: 9 }))).toEqual([
    'Forbidden metadata.annotations[muster.run/gang]',
    'Forbidden spec.template.spec.activeDeadlineSeconds',
  ]);
  const reads = (fieldPath: string) => ({
    containers: [{ name: 'main', env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath } } }] }],
  });
  expect(paths(job({}, reads('metadata.name')))).toEqual([]);
  expect(paths(job({}, reads('status.podIP')))).toEqual([
    'Forbidden spec.template.spec.containers[0].env[0].valueFrom.fieldRef.fieldPath',
  ]);
  const cron = { spec: { jobTemplate: job({ 'muster.run/after': 'prepare' }, {}, { activeDeadlineSeconds: 9 }) } };
  expect(paths(cron)).toEqual(['Forbidden spec.jobTemplate.metadata.annotations[muster.run/after]']);
  const furiko = { spec: { template: { taskTemplate: { pod: { spec: { activeDeadlineSeconds: 1 } } } } } };
  expect(paths(furiko)).toEqual(['Forbidden spec.template.taskTemplate.pod.spec.activeDeadlineSeconds']);
});

test('an object of a kind that only this release knows is refused whole, and may be changed if it is there', () => {
  const config = { apiVersion: 'execution.furiko.io/v1alpha1', kind: 'JobConfig', spec: {} };
  expect(paths(config)).toEqual(['Forbidden kind']);
  expect(paths(config, config)).toEqual([]);
  for (const kind of ['Service', 'ServiceAccount', 'ResourceQuota', 'LimitRange'])
    expect(paths({ apiVersion: 'v1', kind })).toEqual(['Forbidden kind']);
  for (const kind of ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'])
    expect(paths({ apiVersion: 'rbac.authorization.k8s.io/v1', kind })).toEqual(['Forbidden kind']);
  expect(paths({ apiVersion: 'batch/v1', kind: 'Job' })).toEqual([]);
});

test('an object that has it already may be changed, but gets no more of it', () => {
  const before = job({ 'muster.run/gang': 'all' });
  expect(paths(job({ 'muster.run/gang': 'all' }), before)).toEqual([]);
  expect(paths(job({ 'muster.run/gang': 'all', 'muster.run/after': 'x' }), before)).toEqual([
    'Forbidden metadata.annotations[muster.run/after]',
  ]);
});

test('an installation that stays with this release takes everything', () => {
  expect(newFieldErrors(job({ 'muster.run/gang': 'all' }), null, 'current')).toEqual([]);
});
