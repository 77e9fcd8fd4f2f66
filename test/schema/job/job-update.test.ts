import { describe, expect, test } from 'vitest';
import { type StoredJob, admitJobUpdate, documentOf } from '../../../shared/schema/job/job-update.ts';
import { UID, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

type Patch = { readonly [key: string]: unknown };

/** JSON merge patch (RFC 7396). */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const out: Record<string, unknown> = { ...(typeof target === 'object' && !Array.isArray(target) ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(out, key);
    else out[key] = merged(out[key], value);
  }
  return out;
}

const storedJob = (
  spec: object = {},
  {
    started = true,
    deleting = false,
    metadata = {},
  }: { started?: boolean; deleting?: boolean; metadata?: object } = {},
): StoredJob => ({
  manifest: admitted(jobDocument(spec, metadata)).manifest,
  uid: UID,
  started,
  deleting,
});

const update = (stored: StoredJob, document: unknown) =>
  admitJobUpdate(stored, document, { fieldValidation: 'Strict' });
const patched = (stored: StoredJob, patch: Patch) => update(stored, merged(documentOf(stored), patch));

/** The Job's spec as it was, a patch of the spec, and all that is wrong with that. */
type Row = readonly [what: string, spec: object, patch: object, faults: readonly string[]];

const rows = (table: readonly Row[]): void => {
  test.each(table)('%s', (_, spec, patch, faults) => {
    expect(faultLines(patched(storedJob(spec), { spec: patch }))).toEqual(faults);
  });
};

const indexed = (spec: object = {}) => ({ completionMode: 'Indexed', completions: 3, parallelism: 2, ...spec });
const immutable = (path: string, value: unknown, what = ''): string =>
  `${path}: Invalid value: ${JSON.stringify(value)}: ${what}field is immutable`;
const differs = (path: string): string =>
  `${path} differs; to run it, delete the Job first, as muster run -f FILE --replace does: `;

describe('what may always change', () => {
  test.each<[string, unknown]>([
    ['parallelism', 5],
    ['activeDeadlineSeconds', 60],
    ['backoffLimit', 0],
    ['ttlSecondsAfterFinished', 0],
    ['suspend', true],
    ['manualSelector', true],
    ['podReplacementPolicy', 'TerminatingOrFailed'],
    ['maxFailedIndexes', 2],
  ])('spec.%s', (field, value) => {
    const stored = storedJob(indexed({ backoffLimitPerIndex: 1 }));
    const answer = patched(stored, { spec: { [field]: value } });
    expect(answer).toEqual({
      kind: 'ok',
      manifest: { ...stored.manifest, spec: { ...stored.manifest.spec, [field]: value } },
      warnings: [],
      changed: 'spec',
    });
  });

  test('labels and annotations, which are not part of the spec', () => {
    const stored = storedJob({}, { metadata: { labels: { a: '1', b: '2' } } });
    const answer = patched(stored, { metadata: { labels: { a: '3', b: null }, annotations: { note: 'x' } } });
    expect(answer).toMatchObject({ kind: 'ok', changed: 'metadata' });
    expect(answer.kind === 'ok' && answer.manifest.metadata).toEqual({
      name: 'sums',
      namespace: 'default',
      labels: { a: '3' },
      annotations: { note: 'x' },
    });
  });

  test("what is taken away has its default again, which for podReplacementPolicy is Muster's", () => {
    const stored = storedJob({
      backoffLimit: 1,
      activeDeadlineSeconds: 9,
      podReplacementPolicy: 'TerminatingOrFailed',
    });
    const answer = patched(stored, {
      spec: { backoffLimit: null, activeDeadlineSeconds: null, podReplacementPolicy: null },
    });
    expect(answer.kind === 'ok' && answer.manifest).toEqual(storedJob().manifest);
  });

  test('nothing: status and what the server sets are ignored', () => {
    const stored = storedJob(indexed());
    expect(patched(stored, {})).toEqual({ kind: 'ok', manifest: stored.manifest, warnings: [], changed: 'nothing' });
    const { spec } = documentOf(stored);
    const put = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'sums', resourceVersion: '9', generation: 4, creationTimestamp: '2025-01-01T00:00:00Z' },
      spec,
      status: { succeeded: 3, conditions: [{ type: 'Complete', status: 'True' }] },
    };
    expect(update(stored, put)).toMatchObject({ kind: 'ok', changed: 'nothing' });
  });
});

describe('what may not change', () => {
  rows([
    [
      'completions of a NonIndexed Job',
      { completions: 3, parallelism: 3 },
      { completions: 5, parallelism: 5 },
      [immutable('spec.completions', 5)],
    ],
    [
      'completions taken away',
      { completions: 3, parallelism: 3 },
      { completions: null },
      [immutable('spec.completions', null)],
    ],
    ['completions given to a work queue', { parallelism: 3 }, { completions: 3 }, [immutable('spec.completions', 3)]],
    [
      'completionMode',
      { completions: 3 },
      { completionMode: 'Indexed' },
      [immutable('spec.completionMode', 'Indexed')],
    ],
    [
      'completionMode back, and completions with it',
      indexed(),
      { completionMode: null, completions: 4 },
      [immutable('spec.completions', 4), immutable('spec.completionMode', 'NonIndexed')],
    ],
    ['backoffLimitPerIndex set', indexed(), { backoffLimitPerIndex: 1 }, [immutable('spec.backoffLimitPerIndex', 1)]],
    [
      'backoffLimitPerIndex changed',
      indexed({ backoffLimitPerIndex: 1 }),
      { backoffLimitPerIndex: 2 },
      [immutable('spec.backoffLimitPerIndex', 2)],
    ],
    [
      'backoffLimitPerIndex unset',
      indexed({ backoffLimitPerIndex: 1 }),
      { backoffLimitPerIndex: null },
      [immutable('spec.backoffLimitPerIndex', null)],
    ],
    ['managedBy set', {}, { managedBy: 'a.io/b' }, [immutable('spec.managedBy', 'a.io/b')]],
    ['managedBy unset', { managedBy: 'a.io/b' }, { managedBy: null }, [immutable('spec.managedBy', null)]],
    [
      'podFailurePolicy added',
      {},
      { podFailurePolicy: { rules: [] } },
      [immutable('spec.podFailurePolicy', { rules: [] })],
    ],
    [
      'podFailurePolicy changed',
      { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'A' }] }] } },
      { podFailurePolicy: { rules: [{ action: 'Count', onPodConditions: [{ type: 'A' }] }] } },
      [
        immutable(
          'spec.podFailurePolicy',
          { rules: [{ action: 'Count', onPodConditions: [{ type: 'A', status: 'True' }] }] },
          differs('spec.podFailurePolicy.rules[0].action'),
        ),
      ],
    ],
    [
      'podFailurePolicy said again, its defaults included',
      { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'A' }] }] } },
      { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'A' }] }] } },
      [],
    ],
    [
      'podFailurePolicy removed',
      { podFailurePolicy: { rules: [] } },
      { podFailurePolicy: null },
      [immutable('spec.podFailurePolicy', null)],
    ],
    [
      'successPolicy added',
      indexed(),
      { successPolicy: { rules: [{ succeededCount: 1 }] } },
      [immutable('spec.successPolicy', { rules: [{ succeededCount: 1 }] })],
    ],
    [
      'successPolicy changed',
      indexed({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
      { successPolicy: { rules: [{ succeededCount: 2 }] } },
      [
        immutable(
          'spec.successPolicy',
          { rules: [{ succeededCount: 2 }] },
          differs('spec.successPolicy.rules[0].succeededCount'),
        ),
      ],
    ],
    [
      'successPolicy removed',
      indexed({ successPolicy: { rules: [{ succeededCount: 1 }] } }),
      { successPolicy: null },
      [immutable('spec.successPolicy', null)],
    ],
  ]);

  test.each([
    ['name', 'other'],
    ['namespace', 'other'],
    ['uid', 'uid-2'],
  ])('metadata.%s', (field, value) => {
    expect(faultLines(patched(storedJob(), { metadata: { [field]: value } }))).toEqual([
      immutable(`metadata.${field}`, value),
    ]);
  });

  test('the selector', () => {
    const matchLabels = { 'batch.kubernetes.io/controller-uid': UID, 'job-name': 'sums' };
    expect(faultLines(patched(storedJob(), { spec: { selector: { matchLabels } } }))).toEqual([
      immutable('spec.selector', { matchLabels }, differs('spec.selector.matchLabels.job-name')),
    ]);
  });

  test('the selector, which is not the same as none even if it is empty', () => {
    const stored = storedJob({ manualSelector: true, selector: {} });
    expect(faultLines(patched(stored, { spec: { selector: null } }))).toContain(immutable('spec.selector', null));
    expect(faultLines(patched(stored, { spec: { selector: { matchLabels: {}, matchExpressions: [] } } }))).toEqual([]);
  });

  test('but the same in other words is no change: order of keys, empty lists', () => {
    const matchLabels = { 'batch.kubernetes.io/controller-uid': UID, 'job-name': 'sums' };
    const stored = storedJob({ selector: { matchLabels } });
    const other = { matchLabels: Object.fromEntries(Object.entries(matchLabels).reverse()), matchExpressions: [] };
    const document = { ...documentOf(stored), spec: { ...documentOf(stored).spec, selector: other } };
    expect(update(stored, document)).toMatchObject({ kind: 'ok', changed: 'nothing' });
  });

  test('all of it at once, with what is wrong anyhow', () => {
    const stored = storedJob(indexed());
    const patch = {
      metadata: { name: 'other', finalizers: ['a'], labels: { x: '-' } },
      spec: {
        completions: 9,
        backoffLimit: -1,
        managedBy: 'me',
        suspend: true,
        template: { spec: { containers: [] } },
      },
    };
    expect(faultLines(patched(stored, patch)).map((line) => line.split(': {')[0])).toEqual([
      immutable('metadata.name', 'other'),
      expect.stringMatching(/^metadata\.labels: Invalid value: "-"/),
      expect.stringMatching(/^metadata\.finalizers\[0\]: Invalid value: "a"/),
      'spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0',
      'spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")',
      'spec.template.spec.containers: Required value',
      'spec.completions: Invalid value: 9: can only be modified in tandem with spec.parallelism',
      'spec.template: Invalid value',
      immutable('spec.managedBy', 'me'),
    ]);
  });
});

describe('an Indexed Job is resized as a whole', () => {
  const tandem = (value: number) =>
    `spec.completions: Invalid value: ${value}: can only be modified in tandem with spec.parallelism`;
  rows([
    ['up', indexed({ parallelism: 3 }), { completions: 5, parallelism: 5 }, []],
    ['down', indexed({ parallelism: 3 }), { completions: 1, parallelism: 1 }, []],
    ['to nothing', indexed({ parallelism: 3 }), { completions: 0, parallelism: 0 }, []],
    ['from a pair that was not equal', indexed({ parallelism: 1 }), { completions: 4, parallelism: 4 }, []],
    ['to what parallelism is already', indexed({ parallelism: 2 }), { completions: 2 }, []],
    ['parallelism alone, up', indexed(), { parallelism: 9 }, []],
    ['parallelism alone, down', indexed(), { parallelism: 0 }, []],
    ['completions alone', indexed({ parallelism: 3 }), { completions: 4 }, [tandem(4)]],
    ['to another pair that is not equal', indexed(), { completions: 4, parallelism: 3 }, [tandem(4)]],
    [
      'completions taken away',
      indexed(),
      { completions: null },
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
    [
      'below what other fields say',
      indexed({ backoffLimitPerIndex: 1, maxFailedIndexes: 3, successPolicy: { rules: [{ succeededIndexes: '2' }] } }),
      { completions: 2, parallelism: 2 },
      [
        'spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions',
        'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "2": error parsing succeededIndexes: too large index: "2"',
      ],
    ],
  ]);
});

test('of a suspended Job, node affinity may go, and Pod affinity stays', () => {
  const affinity = {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] }],
      },
    },
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname' }],
    },
  };
  const pod = (fields: object) => ({ template: { spec: { ...jobDocument().spec.template.spec, ...fields } } });
  const stored = storedJob({ suspend: true, ...pod({ affinity }) }, { started: false });
  const without = (patch: object): Patch => ({ spec: { template: { spec: { affinity: patch } } } });
  expect(patched(stored, without({ nodeAffinity: null }))).toMatchObject({ kind: 'ok', changed: 'spec' });
  expect(faultLines(patched(stored, without({ podAntiAffinity: null })))).toEqual([
    expect.stringContaining('spec.template.spec.affinity.podAntiAffinity'),
  ]);
});

describe('the template', () => {
  const labels = { labels: { team: 'a' } };
  const queued = storedJob({ suspend: true }, { started: false });
  const template = (patch: object): Patch => ({ spec: { template: patch } });
  const PREFERRED = {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 1, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } },
    ],
  };
  const NEAR = {
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone' } }],
  };
  const isImmutable = [expect.stringMatching(/^spec\.template: Invalid value: \{.*field is immutable$/s)];

  test.each<[string, Patch]>([
    ['labels', template({ metadata: labels })],
    ['annotations', template({ metadata: { annotations: { note: 'x' } } })],
    ['nodeSelector', template({ spec: { nodeSelector: { 'kubernetes.io/arch': 'arm64' } } })],
    ['tolerations', template({ spec: { tolerations: [{ operator: 'Exists' }] } })],
    ['node affinity', template({ spec: { affinity: { nodeAffinity: PREFERRED } } })],
    ['and it may be resumed at the same time', { spec: { suspend: false, template: { metadata: labels } } }],
  ])('of a Job that is suspended and never started may change: %s', (_, patch) => {
    const answer = patched(queued, patch);
    expect(faultLines(answer)).toEqual([]);
    expect(answer).toMatchObject({ changed: 'spec', manifest: patch });
  });

  test.each<[string, Patch]>([
    ['the image', template({ spec: { containers: [{ name: 'main', image: 'alpine' }] } })],
    ['one more container', template({ spec: { initContainers: [{ name: 'setup', image: 'busybox' }] } })],
    ['restartPolicy', template({ spec: { restartPolicy: 'OnFailure' } })],
    ['Pod affinity', template({ spec: { affinity: { podAffinity: NEAR } } })],
    [
      'Pod affinity with node affinity',
      template({ spec: { affinity: { nodeAffinity: PREFERRED, podAffinity: NEAR } } }),
    ],
    ['the grace period', template({ spec: { terminationGracePeriodSeconds: 5 } })],
    ['a label and the grace period', template({ metadata: labels, spec: { terminationGracePeriodSeconds: 5 } })],
  ])('but not: %s', (_, patch) => {
    expect(faultLines(patched(queued, patch))).toEqual(isImmutable);
  });

  test.each<[string, StoredJob]>([
    ['is running', storedJob({}, { started: true })],
    ['is about to run', storedJob({}, { started: false })],
    ['is suspended, but has run before', storedJob({ suspend: true }, { started: true })],
  ])('of a Job that %s is as it is', (_, stored) => {
    expect(faultLines(patched(stored, template({ metadata: labels })))).toEqual(isImmutable);
    expect(faultLines(patched(stored, template({ metadata: { annotations: { note: 'x' } } })))).toEqual(isImmutable);
    expect(faultLines(patched(stored, { spec: { suspend: true, template: { metadata: labels } } }))).toEqual(
      isImmutable,
    );
  });

  test('its labels still carry what was generated', () => {
    const lost = template({ metadata: { labels: { 'job-name': null, 'controller-uid': 'other' } } });
    expect(faultLines(patched(queued, lost)).map((line) => line.replace(/\{.*\}/, '{…}'))).toEqual([
      "spec.template.metadata.labels[controller-uid]: Invalid value: {…}: must be 'uid-1'",
      "spec.template.metadata.labels[job-name]: Required value: must be 'sums'",
    ]);
  });

  test('its labels are still found by the selector', () => {
    const manual = storedJob(
      {
        suspend: true,
        manualSelector: true,
        selector: { matchLabels: { app: 'sums' } },
        template: { metadata: { labels: { app: 'sums' } }, spec: jobDocument().spec.template.spec },
      },
      { started: false },
    );
    expect(faultLines(patched(manual, template({ metadata: { labels: { app: 'other' } } })))).toEqual([
      'spec.template.metadata.labels: Invalid value: {"app":"other"}: `selector` does not match template `labels`',
    ]);
  });
});

test('a replacement without what was generated is another Job, as it is for Kubernetes', () => {
  const lines = faultLines(update(storedJob(), jobDocument()));
  expect(lines.map((line) => line.replace(/\{.*\}/s, '{…}'))).toEqual([
    'spec.selector: Required value',
    'spec.template.metadata.labels: Invalid value: {…}: `selector` does not match template `labels`',
    'spec.selector: Invalid value: null: field is immutable',
    expect.stringMatching(/^spec\.template: Invalid value: .*field is immutable$/s),
  ]);
});

test('a Job that was stored before a default was known is compared as if it had it', () => {
  const { manifest, ...rest } = storedJob({ suspend: true, podFailurePolicy: { rules: [] } });
  const { terminationGracePeriodSeconds: _unknown, ...spec } = manifest.spec.template.spec;
  const early = {
    ...rest,
    manifest: {
      ...manifest,
      spec: { ...manifest.spec, template: { ...manifest.spec.template, spec } },
    } as typeof manifest,
  };
  expect(patched(early, { spec: { suspend: false } })).toMatchObject({ kind: 'ok', changed: 'spec' });
  expect(patched(early, {})).toEqual({ kind: 'ok', manifest, warnings: [], changed: 'nothing' });
});

test('what cannot be read is not judged', () => {
  const stored = storedJob();
  expect(update(stored, [])).toMatchObject({ kind: 'undecodable' });
  expect(patched(stored, { kind: 'CronJob' })).toMatchObject({ kind: 'undecodable' });
  const stray = merged(documentOf(stored), { spec: { paralelism: 3 } });
  expect(faultLines(update(stored, stray))).toEqual([
    '400 Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "spec.paralelism"',
  ]);
  expect(admitJobUpdate(stored, stray, { fieldValidation: 'Warn' })).toMatchObject({
    kind: 'ok',
    warnings: ['unknown field "spec.paralelism"'],
    changed: 'nothing',
  });
});
