import { NO_ADDED_RULES } from '../../../domain/manifests/job.ts';
import { describe, expect, test } from 'vitest';
import { EVERY_INDEX } from '../../../domain/manifests/selection.ts';
import type { ClusterDump } from '../domain/cluster-dump.ts';
import { readClusterDump } from '../schema/read-cluster-dump.ts';
import { fieldErrorText } from '../../../schema/object/field-error.ts';

type Fields = Readonly<Record<string, unknown>>;

const META = { name: 'frames', namespace: 'team', uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z' };
const job = (spec: Fields = {}, status: Fields = {}, metadata: Fields = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { ...META, ...metadata },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [] } }, ...spec },
  status,
});
const OWNER = { apiVersion: 'batch/v1', kind: 'Job', name: 'frames', uid: 'u-1', controller: true };
const pod = (name: string, metadata: Fields = {}, status: Fields = {}, spec: Fields = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'team', uid: `uid-${name}`, ownerReferences: [OWNER], ...metadata },
  spec,
  status,
});
const list = (...items: readonly unknown[]) => ({ apiVersion: 'v1', kind: 'List', items, metadata: {} });

function read(document: unknown): ClusterDump {
  const result = readClusterDump(document);
  if (result.kind === 'invalid') throw new Error(faultsOf(document).join('\n'));
  return result.dump;
}

function faultsOf(document: unknown): readonly string[] {
  const result = readClusterDump(document);
  return result.kind === 'ok' ? [] : result.errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`);
}

const names = (document: unknown) => read(document).pods.map(({ name }) => name);

describe('the Job', () => {
  test('what a cluster prints', () => {
    const { job: dumped } = read(
      list(
        job(
          {
            parallelism: 4,
            completions: 10,
            completionMode: 'Indexed',
            backoffLimitPerIndex: 1,
            maxFailedIndexes: 5,
            activeDeadlineSeconds: 600,
            ttlSecondsAfterFinished: 60,
            suspend: true,
            managedBy: 'example.com/mine',
            podFailurePolicy: {
              rules: [
                { action: 'FailIndex', onExitCodes: { containerName: 'main', operator: 'In', values: [3, 4] } },
                { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
              ],
            },
            successPolicy: { rules: [{ succeededIndexes: '0-2,7', succeededCount: 2 }] },
            somethingNew: { of: 'a later release' },
          },
          {
            conditions: [
              {
                type: 'Suspended',
                status: 'True',
                reason: 'JobSuspended',
                message: 'Job suspended',
                lastProbeTime: '2026-01-01T00:00:01Z',
                lastTransitionTime: '2026-01-01T00:00:02Z',
              },
              { type: 'example.com/Seen', status: 'False' },
            ],
            startTime: '2026-01-01T00:00:01Z',
            active: 2,
            ready: 1,
            terminating: 3,
            succeeded: 4,
            failed: 5,
            completedIndexes: '0-3',
            failedIndexes: '',
            uncountedTerminatedPods: { failed: ['uid-x'] },
          },
          { generation: 7, deletionTimestamp: '2026-01-02T00:00:00Z' },
        ),
      ),
    );
    expect(dumped).toEqual({
      uid: 'u-1',
      namespace: 'team',
      name: 'frames',
      createdAt: Date.parse('2026-01-01T00:00:00Z'),
      revision: 7,
      deleting: true,
      completionModeKnown: true,
      ownAnnotations: [],
      spec: {
        completionMode: 'Indexed',
        parallelism: 4,
        completions: 10,
        backoffLimit: 2_147_483_647,
        backoffLimitPerIndex: 1,
        barePod: false,
        maxFailedIndexes: 5,
        podFailurePolicy: {
          rules: [
            { action: 'FailIndex', onExitCodes: { containerName: 'main', operator: 'In', values: [3, 4] } },
            { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
          ],
        },
        successPolicy: [{ indexes: { edges: [0, 3, 7, 8] }, count: 2 }],
        activeDeadlineSec: 600,
        ttlSecAfterFinished: 60,
        suspend: true,
        podReplacementPolicy: 'Failed',
        restartPolicy: 'Never',
        managed: false,
        held: false,
        ...NO_ADDED_RULES,
        disruptions: { kind: 'count' },
        pendingTimeoutSec: 900,
        selection: EVERY_INDEX,
      },
      status: {
        conditions: [
          {
            type: 'Suspended',
            status: 'True',
            reason: 'JobSuspended',
            message: 'Job suspended',
            lastProbeTime: Date.parse('2026-01-01T00:00:01Z'),
            lastTransitionTime: Date.parse('2026-01-01T00:00:02Z'),
          },
          {
            type: 'example.com/Seen',
            status: 'False',
            reason: '',
            message: '',
            lastProbeTime: null,
            lastTransitionTime: null,
          },
        ],
        startTime: Date.parse('2026-01-01T00:00:01Z'),
        completionTime: null,
        active: 2,
        ready: 1,
        terminating: 3,
        succeeded: 4,
        failed: 5,
        completedIndexes: '0-3',
        failedIndexes: '',
        uncounted: { succeeded: [], failed: ['uid-x'] },
      },
    });
  });

  test('what a dump made by hand may leave out', () => {
    const { job: dumped, pods } = read({ kind: 'Job', apiVersion: 'batch/v1', metadata: { name: 'a' } });
    expect(pods).toEqual([]);
    expect(dumped).toMatchObject({
      uid: '',
      namespace: 'default',
      createdAt: 0,
      revision: 1,
      deleting: false,
      spec: { completionMode: 'NonIndexed', parallelism: 1, completions: 1, backoffLimit: 6, suspend: false },
      status: { conditions: [], startTime: null, failed: 0, completedIndexes: '', failedIndexes: null },
    });
  });

  test.each<[Fields, Fields]>([
    [{}, { parallelism: 1, completions: 1 }],
    [{ parallelism: 3 }, { parallelism: 3, completions: null }],
    [{ completions: 3 }, { parallelism: 1, completions: 3 }],
    [
      { completions: null, parallelism: null },
      { parallelism: 1, completions: 1 },
    ],
    [{}, { podReplacementPolicy: 'TerminatingOrFailed' }],
    [{ podFailurePolicy: { rules: [] } }, { podReplacementPolicy: 'Failed' }],
    [{ podReplacementPolicy: 'Failed' }, { podReplacementPolicy: 'Failed', podFailurePolicy: null }],
    [{ backoffLimit: 0 }, { backoffLimit: 0 }],
    [{ managedBy: 'kubernetes.io/job-controller' }, { managed: true }],
    [{ template: { spec: { restartPolicy: 'OnFailure' } } }, { restartPolicy: 'OnFailure' }],
    [{ template: {} }, { restartPolicy: 'Never' }],
    [
      { completionMode: 'Indexed', completions: 3, successPolicy: { rules: [{ succeededCount: 1 }] } },
      { successPolicy: [{ indexes: null, count: 1 }] },
    ],
  ])('defaults: %j', (spec, expected) => expect(read(job(spec)).job.spec).toMatchObject(expected));

  test('a completion mode of a later release is no fault: upstream skips such a Job', () =>
    expect(read(job({ completionMode: 'Sharded' })).job.completionModeKnown).toBe(false));
});

describe('Pods', () => {
  test('what a cluster prints', () => {
    const { pods } = read(
      list(
        job({
          template: { spec: { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }, { name: 'fetch' }] } },
        }),
        pod(
          'frames-3-abcde',
          {
            creationTimestamp: '2026-01-01T00:00:00Z',
            deletionTimestamp: '2026-01-01T00:01:00Z',
            deletionGracePeriodSeconds: 30,
            finalizers: ['example.com/other', 'batch.kubernetes.io/job-tracking'],
            annotations: {
              'batch.kubernetes.io/job-completion-index': '3',
              'batch.kubernetes.io/job-index-failure-count': '2',
              'batch.kubernetes.io/job-index-ignored-failure-count': '1',
            },
          },
          {
            phase: 'Failed',
            conditions: [
              { type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:40Z' },
              { type: 'PodScheduled', status: 'True' },
            ],
            containerStatuses: [
              {
                name: 'main',
                restartCount: 2,
                state: { terminated: { exitCode: 137, finishedAt: '2026-01-01T00:00:41Z' } },
              },
            ],
            initContainerStatuses: [
              { name: 'proxy', restartCount: 1, state: { running: {} }, lastState: { terminated: { exitCode: 1 } } },
              { name: 'fetch', state: { terminated: { exitCode: 0, finishedAt: null } } },
            ],
          },
        ),
      ),
    );
    const at = (time: string) => Date.parse(`2026-01-01T00:${time}Z`);
    expect(pods).toEqual([
      {
        name: 'frames-3-abcde',
        uid: 'uid-frames-3-abcde',
        createdAt: at('00:00'),
        deletedAt: at('01:00'),
        graceSec: 30,
        hasFinalizer: true,
        index: 3,
        phase: 'Failed',
        ready: false,
        readyChangedAt: at('00:40'),
        scheduled: true,
        restarts: 3,
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'PodScheduled', status: 'True' },
        ],
        containers: [
          { name: 'main', init: false, sidecar: false, terminated: { exitCode: 137, finishedAt: at('00:41') } },
          { name: 'proxy', init: true, sidecar: true, terminated: null },
          { name: 'fetch', init: true, sidecar: false, terminated: { exitCode: 0, finishedAt: null } },
        ],
        failureCount: 2,
        ignoredFailureCount: 1,
      },
    ]);
  });

  test('what a dump made by hand may leave out', () => {
    const { pods } = read(list({ kind: 'Pod', metadata: { name: 'a' } }, { kind: 'Job', metadata: { name: 'j' } }));
    expect(pods).toMatchObject([
      { name: 'a', uid: 'a', phase: 'Pending', index: null, hasFinalizer: false, scheduled: false, containers: [] },
    ]);
  });

  const INDEX = 'batch.kubernetes.io/job-completion-index';
  test.each<[string, Fields, number | null]>([
    ['annotation', { annotations: { [INDEX]: '5' } }, 5],
    ['label', { labels: { [INDEX]: '5' } }, 5],
    ['annotation before label', { annotations: { [INDEX]: '6' }, labels: { [INDEX]: '5' } }, 6],
    ['a bad annotation beside a label', { annotations: { [INDEX]: 'x' }, labels: { [INDEX]: '5' } }, null],
    ['negative', { annotations: { [INDEX]: '-1' } }, null],
    ['a fraction', { annotations: { [INDEX]: '1.0' } }, null],
    ['huge', { annotations: { [INDEX]: '99999999999' } }, null],
    ['none', {}, null],
  ])('index: %s', (_, metadata, expected) =>
    expect(read(list(job(), pod('p', metadata))).pods[0]?.index).toBe(expected),
  );

  test.each([
    ['3', 3],
    ['2147483647', 2_147_483_647],
    ['2147483648', 0],
    ['-1', 0],
    ['x', 0],
    ['', 0],
  ])('failure count %j is %i', (text, expected) => {
    const annotations = { 'batch.kubernetes.io/job-index-failure-count': text };
    expect(read(list(job(), pod('p', { annotations }))).pods[0]?.failureCount).toBe(expected);
  });

  test('scheduled is what has a node', () => {
    const { pods } = read(list(job(), pod('a', {}, {}, { nodeName: 'n' }), pod('b', {}, {}, { nodeName: '' })));
    expect(pods.map(({ scheduled }) => scheduled)).toEqual([true, false]);
  });

  test('only those of the Job: by controller, else by selector; what says nothing is in', () => {
    const selector = { matchLabels: { 'job-name': 'frames' } };
    const orphan = (name: string, labels: Fields) => pod(name, { ownerReferences: [], labels });
    expect(
      names(
        list(
          job({ selector }),
          pod('own'),
          pod('of-another', { ownerReferences: [{ ...OWNER, uid: 'u-2' }] }),
          pod('owned-but-not-controlled', { ownerReferences: [{ ...OWNER, uid: 'u-2', controller: false }] }),
          pod('elsewhere', { namespace: 'other' }),
          orphan('adopted', { 'job-name': 'frames', more: 'x' }),
          orphan('stranger', { 'job-name': 'films' }),
          orphan('bare', {}),
        ),
      ),
    ).toEqual(['own', 'owned-but-not-controlled', 'adopted', 'bare']);
  });
});

describe('lists', () => {
  const { apiVersion: _, kind: __, ...bareJob } = job();
  const { apiVersion: ___, kind: ____, ...barePod } = pod('p');
  test.each<[string, unknown, readonly string[]]>([
    ['a Job alone', job(), []],
    ['a JobList, whose items need no kind', { kind: 'JobList', apiVersion: 'batch/v1', items: [bareJob] }, []],
    [
      'lists within a list, as jq -s makes them',
      list(job(), list(pod('a'), pod('b')), { kind: 'PodList', apiVersion: 'v1', items: [barePod] }),
      ['a', 'b', 'p'],
    ],
  ])('%s', (_name, document, expected) => expect(names(document)).toEqual(expected));
});

describe('faults', () => {
  const KINDS = '"List", "JobList", "PodList", "Job", "Pod"';
  test.each<[string, unknown, readonly string[]]>([
    ['null', null, ['the document: Invalid value: null: must be an object with kind and apiVersion']],
    ['a number', 7, ['the document: Invalid value: 7: must be an object with kind and apiVersion']],
    ['no kind', { items: [] }, ['kind: Required value: such as List']],
    ['another kind', { kind: 'Deployment' }, [`kind: Unsupported value: "Deployment": supported values: ${KINDS}`]],
    [
      'another kind in the list',
      list(job(), { kind: 'ConfigMap', apiVersion: 'v1' }),
      ['items[1].kind: Unsupported value: "ConfigMap": supported values: "Job", "Pod"'],
    ],
    [
      'an old version',
      list({ ...job(), apiVersion: 'batch/v1beta1' }),
      ['items[0].apiVersion: Unsupported value: "batch/v1beta1": supported values: "batch/v1"'],
    ],
    ['items that are no list', { kind: 'List', items: 3 }, ['items: Invalid value: 3: must be a list']],
    ['no Job', list(pod('p')), ['items: Required value: a dump needs one Job of batch/v1']],
    ['an empty list', list(), ['items: Required value: a dump needs one Job of batch/v1']],
    [
      'two Jobs',
      list(job(), pod('p'), job()),
      [
        'items[2]: Forbidden: a dump may have only one Job; `kubectl get jobs,pods -l job-name=NAME` prints one with its Pods',
      ],
    ],
    [
      'a phase that there is not',
      list(job(), pod('a'), pod('b', {}, { phase: 'Completed' })),
      [
        'items[2].status.phase: Unsupported value: "Completed": supported values: "Pending", "Running", "Succeeded", "Failed", "Unknown"',
      ],
    ],
    [
      'times, all of them',
      list(
        job({}, { startTime: 'yesterday', completionTime: 5 }, { creationTimestamp: '2026-01-01' }),
        pod('p', { deletionTimestamp: '2026-13-01T00:00:00Z' }),
      ),
      [
        'items[0].metadata.creationTimestamp: Invalid value: "2026-01-01"',
        'items[0].status.startTime: Invalid value: "yesterday"',
        'items[0].status.completionTime: Invalid value: 5',
        'items[1].metadata.deletionTimestamp: Invalid value: "2026-13-01T00:00:00Z"',
      ].map((fault) => `${fault}: must be a time in RFC 3339, such as 2026-01-31T12:00:00Z`),
    ],
    [
      'wrong types',
      job({ parallelism: '3', suspend: 'yes', completions: -1, backoffLimit: 1.5, template: [] }, { conditions: {} }),
      [
        'spec.parallelism: Invalid value: "3": must be a whole number',
        'spec.completions: Invalid value: -1: must be greater than or equal to 0',
        'spec.backoffLimit: Invalid value: 1.5: must be a whole number',
        'spec.suspend: Invalid value: "yes": must be true or false',
        'spec.template: Invalid value: []: must be an object',
        'status.conditions: Invalid value: {}: must be a list',
      ],
    ],
    [
      'a container without its name',
      list(job(), pod('p', {}, { containerStatuses: [{ state: { terminated: { exitCode: 'one' } } }] })),
      [
        'items[1].status.containerStatuses[0].name: Required value',
        'items[1].status.containerStatuses[0].state.terminated.exitCode: Invalid value: "one": must be a whole number',
      ],
    ],
    ['a nameless Job', list({ kind: 'Job' }), ['items[0].metadata: Required value']],
    ['a nameless Pod', list(job(), pod('')), ['items[1].metadata.name: Invalid value: "": must not be empty']],
    [
      'restartPolicy Always',
      job({ template: { spec: { restartPolicy: 'Always' } } }),
      ['spec.template.spec.restartPolicy: Unsupported value: "Always": supported values: "OnFailure", "Never"'],
    ],
    [
      'Indexed without completions',
      list(job({ completionMode: 'Indexed', parallelism: 2 })),
      ['items[0].spec.completions: Required value: when completion mode is Indexed'],
    ],
    [
      'limits an index where there are none',
      job({ backoffLimitPerIndex: 1 }),
      ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed job'],
    ],
    [
      'one Pod twice',
      list(job(), pod('a'), pod('a'), pod('b', { uid: 'uid-a' })),
      ['items[2].metadata.name: Duplicate value: "a"', 'items[3].metadata.uid: Duplicate value: "uid-a"'],
    ],
  ])('%s', (_, document, expected) => expect(faultsOf(document)).toEqual(expected));

  test('lists that are nested without end', () => {
    let document: unknown = job();
    for (let level = 0; level < 50; level++) document = list(document);
    expect(faultsOf(document)).toEqual([
      'items[0].items[0].items[0].items[0]: Forbidden: lists may be nested at most 4 levels deep',
    ]);
  });
});
