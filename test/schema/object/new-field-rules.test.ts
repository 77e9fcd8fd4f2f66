import { expect, test } from 'vitest';
import { newFieldErrors } from '../../../shared/schema/object/new-field-rules.ts';

const KNOWN = {
  annotations: new Set(['muster.run/gang', 'muster.run/after']),
  kinds: new Set(['v1 Service', 'execution.furiko.io/v1alpha1 JobConfig']),
  podFields: new Set(['activeDeadlineSeconds']),
};
const job = (annotations: Record<string, string>, pod: object = {}, spec: object = {}) => ({
  metadata: { name: 'sums', annotations },
  spec: { ...spec, template: { metadata: { annotations: {} }, spec: { containers: [{ name: 'main' }], ...pod } } },
});
const paths = (object: unknown, before: unknown = null) =>
  newFieldErrors(object, before, 'previous', KNOWN).map(({ path, kind }) => `${kind} ${path}`);

test('what the release before knows, too, is admitted', () => {
  expect(paths(job({ 'muster.run/items': 'a', team: 'x' }, {}, { activeDeadlineSeconds: 9 }))).toEqual([]);
});

test('what only this release knows is refused by its path, wherever it is', () => {
  expect(paths(job({ 'muster.run/gang': 'all' }, { activeDeadlineSeconds: 9 }))).toEqual([
    'Forbidden metadata.annotations[muster.run/gang]',
    'Forbidden spec.template.spec.activeDeadlineSeconds',
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
  expect(paths({ apiVersion: 'v1', kind: 'Service' })).toEqual(['Forbidden kind']);
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
  expect(newFieldErrors(job({ 'muster.run/gang': 'all' }), null, 'current', KNOWN)).toEqual([]);
});

test('this release has nothing new yet', () => {
  expect(newFieldErrors(job({ 'muster.run/gang': 'all' }, { activeDeadlineSeconds: 9 }), null, 'previous')).toEqual([]);
});
