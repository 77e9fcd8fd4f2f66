import { expect, test } from 'vitest';
import { type JobRow, countStates, jobRowOf, matches, numberWords, wishedRows } from '../../ui/model/job-row.ts';
import type { Condition, Job, JobSpec, JobStatus } from '../../ui/model/objects.ts';

const TEMPLATE = { spec: { containers: [{ name: 'main' }] } };
const job = (status: JobStatus, spec: Partial<JobSpec> = {}, name = 'frames'): Job => ({
  metadata: { name, namespace: 'render', creationTimestamp: '2026-11-28T10:00:00Z', labels: { campaign: 'spring' } },
  spec: { completions: 10, completionMode: 'Indexed', template: TEMPLATE, ...spec },
  status,
});
const is = (type: string, message = ''): Condition => ({
  type,
  status: 'True',
  message,
  lastTransitionTime: '2026-11-28T10:05:00Z',
});

test.each([
  ['running', job({ active: 2 })],
  ['quiet', job({})],
  ['suspended', job({ conditions: [is('Suspended')] }, { suspend: true })],
  ['ending', job({ active: 1, conditions: [is('FailureTarget')] })],
  ['failed', job({ conditions: [is('FailureTarget'), is('Failed')] })],
  ['complete', job({ conditions: [is('SuccessCriteriaMet'), is('Complete')] })],
] as const)('a Job is %s', (state, of) => {
  expect(jobRowOf(of).state).toBe(state);
});

test('a condition that is false says nothing', () => {
  expect(jobRowOf(job({ active: 1, conditions: [{ ...is('Failed'), status: 'False' }] })).state).toBe('running');
});

test('indexes that failed for good are counted from their text, and what is left is what else waits', () => {
  const row = jobRowOf(job({ active: 2, succeeded: 3, failed: 9, failedIndexes: '1,4-5' }));
  expect([row.failedIndexes, row.failedAttempts, row.left, row.total]).toEqual([3, 9, 2, 10]);
});

test('the end of a Job that failed is when its condition says so', () => {
  const row = jobRowOf(job({ conditions: [is('Failed', 'Job has failed indexes')] }));
  expect([row.endedMs, row.message, row.left]).toEqual([
    Date.parse('2026-11-28T10:05:00Z'),
    'Job has failed indexes',
    0,
  ]);
});

test('a Job whose number of completions is open has none', () => {
  const { completions: _completions, ...spec } = job({}).spec;
  const open = { ...job({}), spec: { ...spec, completionMode: 'NonIndexed' } };
  expect(jobRowOf(open).total).toBeNull();
});

const row = (changes: Partial<JobRow>): JobRow => ({ ...jobRowOf(job({})), ...changes });

test.each([
  ['', true],
  ['FRAM', true],
  ['render/fr', true],
  ['campaign=spring', true],
  ['campaign=autumn', false],
  ['spring', false],
  ['frames -render', false],
  ['-sheet frames', true],
  ['frames sheet', false],
  ['-', true],
])('the filter %j is met: %s', (filter, isMet) => {
  expect(matches(row({}), filter)).toBe(isMet);
});

test('what goes on comes first, then what ended last', () => {
  const rows = [
    row({ key: 'old', isOver: true, endedMs: 1 }),
    row({ key: 'new', isOver: true, endedMs: 2 }),
    row({ key: 'live', createdMs: 5 }),
    row({ key: 'later', createdMs: 6 }),
    row({ key: 'runs', state: 'running', createdMs: 1 }),
    row({ key: 'held', state: 'suspended', createdMs: 9 }),
  ];
  const wish = { filter: '', state: null, namespace: null, sort: 'activity' };
  expect(wishedRows(rows, wish).map(({ key }) => key)).toEqual(['runs', 'later', 'live', 'held', 'new', 'old']);
  expect(wishedRows(rows, { ...wish, namespace: 'other' })).toEqual([]);
});

test('rows are ordered as is wished', () => {
  const rows = [
    row({ key: 'a', name: 'b', succeeded: 1, failedIndexes: 0 }),
    row({ key: 'b', name: 'a', succeeded: 9, failedIndexes: 0 }),
    row({ key: 'c', name: 'c', succeeded: 0, failedIndexes: 4 }),
  ];
  const by = (sort: string) =>
    wishedRows(rows, { filter: '', state: null, namespace: null, sort }).map(({ key }) => key);
  expect([by('name'), by('progress'), by('failed')]).toEqual([
    ['b', 'a', 'c'],
    ['b', 'a', 'c'],
    ['c', 'a', 'b'],
  ]);
});

test('states are counted', () => {
  expect(countStates([row({ state: 'failed' }), row({ state: 'failed' }), row({})]).get('failed')).toBe(2);
});

test('thousands are apart', () => {
  expect([0, 999, 1_000, 1_234_567].map(numberWords)).toEqual(['0', '999', '1\u2009000', '1\u2009234\u2009567']);
});
