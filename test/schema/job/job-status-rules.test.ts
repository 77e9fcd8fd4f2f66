import { describe, expect, test } from 'vitest';
import type { JobManifestSpec, JobStatusDocument } from '../../../shared/domain/manifests/manifest.ts';
import { jobStatusErrors } from '../../../shared/schema/job/job-status-rules.ts';
import { job } from '../../kube/write/a-client.ts';
import { admitJob } from '../../../shared/schema/job/job-manifest.ts';

const NOW = '2024-01-01T00:00:00Z';
const LATER = '2024-01-01T00:01:00Z';
const on = (...types: string[]) => ({ conditions: types.map((type) => ({ type, status: 'True' })) });
const started = { startTime: NOW };
const done = { ...started, completionTime: NOW };

function specOf(more: Partial<JobManifestSpec>): JobManifestSpec {
  const context = { namespace: 'default', uid: 'u-1', nameSuffix: 'aaaaa', fieldValidation: 'Strict' as const };
  const admitted = admitJob(job('sums'), context);
  if (admitted.kind !== 'ok') throw new Error('not admitted');
  return { ...admitted.manifest.spec, ...more };
}

const of5: Partial<JobManifestSpec> = { completions: 5, completionMode: 'NonIndexed' };
const indexed: Partial<JobManifestSpec> = { completions: 5, completionMode: 'Indexed' };
const perIndex: Partial<JobManifestSpec> = { ...indexed, backoffLimitPerIndex: 1 };
const bySuccess: Partial<JobManifestSpec> = { ...indexed, successPolicy: { rules: [{ succeededIndexes: '0-2' }] } };

type Row = readonly [
  what: string,
  spec: Partial<JobManifestSpec>,
  before: JobStatusDocument,
  after: JobStatusDocument,
  faults: readonly string[],
];

const CONDITIONS = 'status.conditions Invalid: cannot set ';
const BOTH = `${CONDITIONS}Complete=True and Failed=true conditions`;
const NO_TARGET = `${CONDITIONS}Failed=True condition without the FailureTarget=true condition`;
const NO_CRITERIA = `${CONDITIONS}Complete=True condition without the SuccessCriteriaMet=true condition`;
const OFF = (type: string) => `status.conditions Invalid: cannot disable the terminal ${type}=True condition`;
const NO_START = 'status.startTime Required: startTime is required for finished job';
const MOVED = 'status.startTime Required: startTime cannot be removed for unsuspended job';
const ACTIVE = 'status.active Invalid: active>0 is invalid for finished job';
const UNCOUNTED = 'status.uncountedTerminatedPods Invalid: uncountedTerminatedPods needs to be empty for finished job';
const succeeded = (...pods: string[]) => ({ uncountedTerminatedPods: { succeeded: pods } });
const failed = (...pods: string[]) => ({ uncountedTerminatedPods: { failed: pods } });
const IN_ORDER = 'must be greater than or equal to 0';

const ROWS: readonly Row[] = [
  ['nothing', {}, {}, {}, []],
  [
    'negative counts',
    {},
    {},
    { active: -1, succeeded: -1, failed: -1, ready: -2, terminating: -1 },
    [
      `status.active Invalid: ${IN_ORDER}`,
      `status.succeeded Invalid: ${IN_ORDER}`,
      `status.failed Invalid: ${IN_ORDER}`,
      `status.ready Invalid: ${IN_ORDER}`,
      `status.terminating Invalid: ${IN_ORDER}`,
      'status.failed Invalid: cannot decrease the failed counter',
      'status.succeeded Invalid: cannot decrease the succeeded counter',
    ],
  ],
  [
    'uids that are empty or stand twice',
    {},
    {},
    { uncountedTerminatedPods: { succeeded: ['a', ''], failed: ['a', 'b', 'b'] } },
    [
      'status.uncountedTerminatedPods.succeeded[1] Invalid: must not be empty',
      'status.uncountedTerminatedPods.failed[0] Duplicate: ',
      'status.uncountedTerminatedPods.failed[2] Duplicate: ',
    ],
  ],
  ['complete and failed', {}, {}, { ...done, ...on('Complete', 'Failed') }, [BOTH, NO_TARGET, NO_CRITERIA]],
  ['complete without the interim condition', {}, {}, { ...done, ...on('Complete') }, [NO_CRITERIA]],
  ['failed without the interim condition', {}, {}, { ...started, ...on('Failed') }, [NO_TARGET]],
  ['a completionTime that is taken back', {}, done, started, []],
  ['failed without a start', {}, on('FailureTarget'), on('FailureTarget', 'Failed'), [NO_START]],
  [
    'complete without a start',
    {},
    on('SuccessCriteriaMet'),
    { completionTime: NOW, ...on('SuccessCriteriaMet', 'Complete') },
    [NO_START],
  ],
  [
    'complete with active Pods',
    {},
    { ...started, active: 1, ...on('SuccessCriteriaMet') },
    { ...done, active: 1, ...on('SuccessCriteriaMet', 'Complete') },
    [ACTIVE],
  ],
  [
    'failed with active Pods',
    {},
    { ...started, active: 1, ...on('FailureTarget') },
    { ...started, active: 1, ...on('FailureTarget', 'Failed') },
    [ACTIVE],
  ],
  [
    'failed with terminating Pods',
    {},
    { ...started, terminating: 1, ...on('FailureTarget') },
    { ...started, terminating: 1, ...on('FailureTarget', 'Failed') },
    ['status.terminating Invalid: terminating>0 is invalid for finished job'],
  ],
  [
    'failed with uncounted Pods',
    {},
    { ...started, ...failed('a'), ...on('FailureTarget') },
    { ...started, ...failed('a'), ...on('FailureTarget', 'Failed') },
    [UNCOUNTED],
  ],
  [
    'complete with uncounted Pods',
    {},
    { ...started, ...succeeded('a'), ...on('SuccessCriteriaMet') },
    { ...done, ...succeeded('a'), ...on('SuccessCriteriaMet', 'Complete') },
    [UNCOUNTED],
  ],
  [
    'other uncounted Pods of a complete one',
    {},
    { ...done, ...failed('a'), ...on('Complete') },
    { ...done, ...failed('b'), ...on('Complete') },
    [UNCOUNTED],
  ],
  [
    'another condition, though Pods of a complete one are uncounted',
    {},
    { ...done, ...failed('a'), ...on('Complete') },
    { ...done, ...failed('a'), ...on('Complete', 'Custom') },
    [],
  ],
  [
    'complete without its time',
    {},
    { ...started, ...on('SuccessCriteriaMet') },
    { ...started, ...on('SuccessCriteriaMet', 'Complete') },
    ['status.completionTime Required: completionTime is required for Complete jobs'],
  ],
  [
    'a complete one without its time',
    {},
    { completionTime: NOW, ...on('Complete') },
    { ...started, ...on('Complete') },
    ['status.completionTime Required: completionTime is required for Complete jobs'],
  ],
  ['no start any more, suspended', { suspend: true }, started, {}, []],
  ['no start any more', {}, started, {}, [MOVED]],
  ['another start', {}, started, { startTime: LATER }, [MOVED]],
  [
    'another start as it resumes',
    {},
    { ...started, ...on('Suspended') },
    { startTime: LATER, conditions: [{ type: 'Suspended', status: 'False' }] },
    [],
  ],
  [
    'an end before the start',
    {},
    { startTime: LATER, ...on('SuccessCriteriaMet') },
    { startTime: LATER, completionTime: NOW, ...on('SuccessCriteriaMet', 'Complete') },
    ['status.completionTime Invalid: completionTime cannot be set before startTime'],
  ],
  [
    'another end',
    {},
    { completionTime: NOW, ...on('Complete') },
    { ...started, completionTime: LATER, ...on('Complete') },
    ['status.completionTime Invalid: completionTime cannot be mutated'],
  ],
  ['not failed any more', {}, on('Failed'), {}, [OFF('Failed')]],
  ['not complete any more', {}, on('Complete'), {}, [OFF('Complete')]],
  ['not failing any more', {}, on('FailureTarget'), {}, [OFF('FailureTarget')]],
  [
    'failing, though complete',
    {},
    { ...done, ...on('Complete') },
    { ...done, ...on('Complete', 'FailureTarget') },
    [`${CONDITIONS}Complete=True and FailureTarget=true conditions`],
  ],
  [
    'complete and failing',
    {},
    {},
    { ...done, ...on('Complete', 'FailureTarget') },
    [`${CONDITIONS}Complete=True and FailureTarget=true conditions`, NO_CRITERIA],
  ],
  [
    'an end without Complete',
    {},
    {},
    { completionTime: NOW },
    ['status.completionTime Invalid: cannot set completionTime when there is no Complete=True condition'],
  ],
  [
    'something else, though it has an end without Complete',
    {},
    { completionTime: NOW },
    { completionTime: NOW, active: 1 },
    [],
  ],
  [
    'indexes of a NonIndexed Job',
    of5,
    {},
    { ...started, completedIndexes: '0' },
    ['status.completedIndexes Invalid: cannot set non-empty completedIndexes when non-indexed completion mode'],
  ],
  [
    'something else, though a NonIndexed Job has indexes',
    of5,
    { completedIndexes: '0' },
    { completedIndexes: '0', active: 1 },
    [],
  ],
  [
    'failed indexes without a limit for each',
    indexed,
    {},
    { failedIndexes: '0' },
    ['status.failedIndexes Invalid: cannot set non-null failedIndexes when backoffLimitPerIndex is null'],
  ],
  ['fewer failed', of5, { failed: 3 }, { failed: 1 }, ['status.failed Invalid: cannot decrease the failed counter']],
  [
    'fewer succeeded',
    of5,
    { succeeded: 3 },
    { succeeded: 1 },
    ['status.succeeded Invalid: cannot decrease the succeeded counter'],
  ],
  ['fewer succeeded of an elastic Job', { ...indexed, parallelism: 5 }, { succeeded: 3 }, { succeeded: 1 }, []],
  [
    'unreadable indexes',
    indexed,
    {},
    { completedIndexes: 'x' },
    [
      'status.completedIndexes Invalid: error parsing completedIndexes: cannot convert string to integer for index: "x"',
    ],
  ],
  [
    'something else, though indexes are unreadable',
    indexed,
    { completedIndexes: 'x' },
    { completedIndexes: 'x', active: 1 },
    [],
  ],
  [
    'unreadable failed indexes',
    perIndex,
    {},
    { failedIndexes: '7' },
    ['status.failedIndexes Invalid: error parsing failedIndexes: too large index: "7"'],
  ],
  [
    'indexes that are in both',
    perIndex,
    { failedIndexes: '0,2', completedIndexes: '3-4' },
    { failedIndexes: '0,2', completedIndexes: '2-4' },
    ['status.failedIndexes Invalid: failedIndexes and completedIndexes overlap at index: 2'],
  ],
  [
    'something else, though indexes are in both',
    perIndex,
    { failedIndexes: '2', completedIndexes: '2-4' },
    { failedIndexes: '2', completedIndexes: '2-4', active: 1 },
    [],
  ],
  [
    'more ready than active',
    of5,
    {},
    { active: 1, ready: 2 },
    ['status.ready Invalid: cannot set more ready pods than active'],
  ],
  [
    'something else, though more are ready than active',
    of5,
    { active: 1, ready: 2 },
    { active: 1, ready: 2, succeeded: 1 },
    [],
  ],
  [
    'met, though failed',
    bySuccess,
    on('Failed'),
    on('Failed', 'SuccessCriteriaMet'),
    [`${CONDITIONS}SuccessCriteriaMet=True and Failed=true conditions`],
  ],
  [
    'failing, though met',
    bySuccess,
    on('SuccessCriteriaMet'),
    on('SuccessCriteriaMet', 'FailureTarget'),
    [`${CONDITIONS}SuccessCriteriaMet=True and FailureTarget=true conditions`],
  ],
  [
    'met, though complete',
    bySuccess,
    { ...done, ...on('Complete') },
    { ...done, ...on('Complete', 'SuccessCriteriaMet') },
    [`${CONDITIONS}SuccessCriteriaMet=True for Job already has Complete=true conditions`],
  ],
  [
    'complete, never met',
    bySuccess,
    {},
    { ...done, ...on('Complete') },
    [NO_CRITERIA, `${CONDITIONS}Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True`],
  ],
  [
    'not met any more',
    bySuccess,
    on('SuccessCriteriaMet'),
    {},
    ['status.conditions Invalid: cannot disable the SuccessCriteriaMet=True condition'],
  ],
  ['met', {}, {}, on('SuccessCriteriaMet'), []],
  [
    'complete',
    {},
    { ...started, ...on('SuccessCriteriaMet') },
    { ...done, ...on('SuccessCriteriaMet', 'Complete') },
    [],
  ],
  [
    'nothing to do, suspended, complete without a start',
    { suspend: true, completions: 0 },
    {},
    { completionTime: NOW, ...on('SuccessCriteriaMet', 'Complete') },
    [],
  ],
];

describe('a new status of a Job', () => {
  test.each(ROWS)('%s', (_, spec, before, after, faults) => {
    const found = jobStatusErrors(specOf(spec), before, after);
    expect(found.map(({ path, kind, message }) => `${path} ${kind}: ${message}`)).toEqual(faults);
  });
});
