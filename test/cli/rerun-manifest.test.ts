import { describe, expect, test } from 'vitest';
import { formatIndexSet } from '../../shared/domain/base/index-set.ts';
import { type EndedAttempt, type Job, JobSchema } from '../../cli/client/api-objects.ts';
import { type Again, chooseIndexes } from '../../cli/rerun/rerun-indexes.ts';
import { type RerunWish, rerunManifest } from '../../cli/rerun/rerun-manifest.ts';
import { rerunName } from '../../shared/domain/manifests/rerun-name.ts';
import { admitDocument, faultLines } from '../support/job-document.ts';

const GENERATED = {
  'batch.kubernetes.io/controller-uid': 'u',
  'batch.kubernetes.io/job-name': 'frames',
  'controller-uid': 'u',
  'job-name': 'frames',
};

/** A Job as a server shows it. */
const shown = (
  containers: readonly object[] = [{ name: 'main', image: 'a:1' }],
  { annotations = {}, labels = {}, spec = {}, status = {} }: Record<string, object> = {},
) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'frames',
    namespace: 'team',
    uid: 'u',
    resourceVersion: '7',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    generateName: 'frames-',
    labels: { ...GENERATED, ...labels },
    annotations,
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: 'c' }],
    finalizers: ['example.com/mine', 'foregroundDeletion'],
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: {
    completionMode: 'Indexed',
    completions: 10,
    parallelism: 4,
    backoffLimit: 2,
    suspend: false,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
    template: { metadata: { labels: { ...GENERATED, ...labels } }, spec: { restartPolicy: 'Never', containers } },
    ...spec,
  },
  status: { succeeded: 1, ...status },
});

const wish = (given: Partial<RerunWish> = {}): RerunWish => ({
  name: 'again',
  indexes: null,
  image: null,
  env: [],
  parallelism: null,
  ...given,
});

describe('the new manifest', () => {
  test('has nothing that belongs to the old Job alone, and is admitted', () => {
    const annotations = {
      note: 'kept',
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'muster.run/pinned-items': '{}',
      'muster.run/rerun-of': 'older',
      'muster.run/indexes': '1',
      'muster.run/after': 'prepare',
      'muster.run/after-indexes': 'map',
      'muster.run/task-token': 'AAAA',
      'muster.run/disruptions': 'count',
    };
    const manifest = rerunManifest(shown(undefined, { annotations, labels: { app: 'x' } }), wish());
    expect(manifest).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'again',
        namespace: 'team',
        labels: { app: 'x' },
        annotations: { note: 'kept', 'muster.run/disruptions': 'count', 'muster.run/rerun-of': 'frames' },
        finalizers: ['example.com/mine'],
      },
      spec: {
        completionMode: 'Indexed',
        completions: 10,
        parallelism: 4,
        backoffLimit: 2,
        suspend: false,
        template: {
          metadata: { labels: { app: 'x' } },
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a:1' }] },
        },
      },
    });
    const inDefault = {
      ...manifest,
      metadata: { ...(manifest as ReturnType<typeof shown>).metadata, namespace: 'default' },
    };
    expect(faultLines(admitDocument(inDefault))).toEqual([]);
  });

  test('a selector of its own is kept', () => {
    const spec = { manualSelector: true, selector: { matchLabels: { app: 'x' } } };
    const manifest = rerunManifest(shown(undefined, { spec, labels: { app: 'x' } }), wish());
    expect(manifest).toMatchObject({ spec: { ...spec, template: { metadata: { labels: { app: 'x' } } } } });
  });

  const two = [
    {
      name: 'main',
      image: 'a:1',
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '$(A)' },
      ],
    },
    { name: 'side', image: 'b:1' },
  ];
  test.each([
    ['of the first container takes the place of what items say', 'main=a:2', { 'muster.run/items': 'image\nx' }],
    ['of another one does not', 'side=b:2', { 'muster.run/items': 'image\nx', 'muster.run/image-from-items': 'true' }],
  ])('an image %s', (_, image, expected) => {
    const annotations = { 'muster.run/items': 'image\nx', 'muster.run/image-from-items': 'true' };
    const manifest = rerunManifest(shown(two, { annotations }), wish({ image }));
    expect(manifest).toHaveProperty('metadata.annotations', { ...expected, 'muster.run/rerun-of': 'frames' });
  });

  test.each<[because: string, containers: readonly object[], given: Partial<RerunWish>, expected: object]>([
    ['indexes', [], { indexes: '3,7-9' }, { metadata: { annotations: { 'muster.run/indexes': '3,7-9' } } }],
    ['parallelism', [], { parallelism: 9 }, { spec: { parallelism: 9 } }],
    [
      'the image of the only container',
      [{ name: 'main', image: 'a:1' }],
      { image: 'a:2' },
      { spec: { template: { spec: { containers: [{ name: 'main', image: 'a:2' }] } } } },
    ],
    [
      'the image of one of them',
      two,
      { image: 'side=b:2' },
      { spec: { template: { spec: { containers: [{ image: 'a:1' }, { image: 'b:2' }] } } } },
    ],
    [
      'a variable in its place, another at the end, of all containers',
      two,
      {
        env: [
          { name: 'A', value: '2' },
          { name: 'C', value: '' },
        ],
      },
      {
        spec: {
          template: {
            spec: {
              containers: [
                {
                  env: [
                    { name: 'A', value: '2' },
                    { name: 'B', value: '$(A)' },
                    { name: 'C', value: '' },
                  ],
                },
                {
                  env: [
                    { name: 'A', value: '2' },
                    { name: 'C', value: '' },
                  ],
                },
              ],
            },
          },
        },
      },
    ],
  ])('%s', (_, containers, given, expected) => {
    expect(rerunManifest(shown(containers), wish(given))).toMatchObject(expected);
  });

  test.each([
    ['b:2', '--image: the Job has 2 containers: write --image main=b:2'],
    ['other=b:2', '--image: there is no container "other"; there is main, side'],
    ['side=', '--image "side=": it names no image'],
  ])('--image %s is refused: %s', (image, why) => {
    expect(() => rerunManifest(shown(two), wish({ image }))).toThrow(why);
  });
});

test.each([
  ['frames', 10, 1, 'frames-rerun'],
  ['frames', 10, 2, 'frames-rerun-2'],
  ['frames-rerun', 10, 1, 'frames-rerun'],
  ['frames-rerun-7', 10, 8, 'frames-rerun-8'],
  ['x'.repeat(63), 10, 1, `${'x'.repeat(55)}-rerun`],
  ['x'.repeat(63), 500, 12, `${'x'.repeat(50)}-rerun-12`],
  [`${'x'.repeat(54)}-yyyyyy`, 10, 1, `${'x'.repeat(54)}-rerun`],
])('%s, of %i indexes, for the time %i: %s', (old, completions, nth, name) => {
  expect(rerunName(old, completions, nth)).toBe(name);
  expect(`${name}-${completions - 1}`.length).toBeLessThanOrEqual(63);
});

describe('the indexes', () => {
  const job = (completedIndexes: string, indexes?: string): Job =>
    JobSchema.parse(
      shown(undefined, {
        status: { completedIndexes },
        annotations: indexes === undefined ? {} : { 'muster.run/indexes': indexes },
      }),
    );
  const failed = (index: number | undefined, verdict: string, cause = 'exit code 1') =>
    ({ index, verdict, cause }) as EndedAttempt;
  const FAILED = [
    failed(3, 'failed: exit code 1'),
    failed(5, 'failedForGood: exit code 137', 'OOMKilled'),
    failed(7, 'failed: podFailurePolicy rule 0 (FailIndex)'),
    failed(undefined, 'failed: exit code 1'),
  ];

  type Row = readonly [Again, Job, running: string, inherited: number, excluded: number, annotation: string | null];
  test.each<Row>([
    [{ kind: 'failed' }, job('0-2,4'), '3,5-9', 4, 0, null],
    [{ kind: 'failed' }, job(''), '0-9', 0, 0, null],
    [{ kind: 'failed' }, job('0,1', '0-4'), '2-4', 2, 5, '2-4'],
    [{ kind: 'indexes', text: '3,7-9' }, job('0-2,4'), '3,7-9', 4, 2, '3,7-9'],
    [{ kind: 'indexes', text: '0,1' }, job('0-9'), '0,1', 8, 0, '0,1'],
    [{ kind: 'verdict', text: 'exit code' }, job('0-2,4'), '3,5,7', 4, 3, '3,5,7'],
    [{ kind: 'verdict', text: 'OOMKilled' }, job('0-2,4'), '5', 4, 5, '5'],
    [{ kind: 'verdict', text: 'FailIndex' }, job('0-2,4'), '7', 4, 5, '7'],
  ])('%j', (again, old, running, inherited, excluded, annotation) => {
    const chosen = chooseIndexes(old, again, FAILED);
    expect({ ...chosen, running: formatIndexSet(chosen.running) }).toEqual({
      running,
      inherited,
      excluded,
      annotation,
    });
  });

  test.each<readonly [Again, Job, why: string]>([
    [{ kind: 'failed' }, job('0-9'), 'all 10 indexes of job.batch/frames have succeeded; --indexes runs some'],
    [{ kind: 'failed' }, job('0,1', '0,1'), 'all 2 chosen indexes of job.batch/frames have succeeded'],
    [{ kind: 'verdict', text: 'zzz' }, job(''), 'no failed index of job.batch/frames has a verdict with "zzz"'],
    [{ kind: 'verdict', text: 'OOM' }, job('5'), 'no failed index of job.batch/frames has a verdict with "OOM"'],
    [{ kind: 'indexes', text: '10' }, job(''), '--indexes: index 10 does not exist: 0 to 9 do'],
    [{ kind: 'indexes', text: '' }, job(''), '--indexes "": it names none'],
    [{ kind: 'indexes', text: '3,2' }, job(''), '--indexes "3,2": non-increasing order'],
  ])('%j is refused', (again, old, why) => {
    expect(() => chooseIndexes(old, again, FAILED)).toThrow(why);
  });
});
