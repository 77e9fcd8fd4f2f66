import { describe, expect, test } from 'vitest';
import { ANNOTATION_ROWS } from '../../../shared/domain/manifests/annotations/rows.ts';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';
import { type SpecRow, indexed, specRows } from '../../support/spec-rows.ts';

describe('numbers', () => {
  const FIELDS = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ] as const;
  test.each(FIELDS)('%s is 0 or more', (field) => {
    expect(faultLines(admitDocument(jobDocument({ [field]: 0 })))).toEqual([]);
    expect(faultLines(admitDocument(jobDocument({ [field]: -1 })))).toEqual([
      `spec.${field}: Invalid value: -1: must be greater than or equal to 0`,
    ]);
  });

  specRows([
    [
      'all faults are reported at once',
      indexed({
        parallelism: -1,
        completions: -2,
        activeDeadlineSeconds: -3,
        backoffLimit: -4,
        ttlSecondsAfterFinished: -5,
        backoffLimitPerIndex: -6,
        maxFailedIndexes: -7,
      }),
      [
        'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
        'spec.completions: Invalid value: -2: must be greater than or equal to 0',
        'spec.activeDeadlineSeconds: Invalid value: -3: must be greater than or equal to 0',
        'spec.backoffLimit: Invalid value: -4: must be greater than or equal to 0',
        'spec.ttlSecondsAfterFinished: Invalid value: -5: must be greater than or equal to 0',
        'spec.backoffLimitPerIndex: Invalid value: -6: must be greater than or equal to 0',
        'spec.maxFailedIndexes: Invalid value: -7: must be greater than or equal to 0',
      ],
    ],
    ['the largest parallelism', { parallelism: 100_000 }, []],
    [
      'parallelism above the limit of Muster',
      { parallelism: 100_001 },
      ['spec.parallelism: Invalid value: 100001: must be less than or equal to 100000'],
    ],
    [
      "parallelism above Kubernetes' limit of Indexed Jobs",
      indexed({ parallelism: 100_001 }),
      ['spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed'],
    ],
    ['the most completions', { completions: 1_000_000 }, []],
    [
      'completions above the limit of Muster',
      { completions: 1_000_001 },
      ['spec.completions: Invalid value: 1000001: must be less than or equal to 1000000'],
    ],
    [
      'a number that is not of 32 bits',
      { parallelism: 2 ** 31 },
      [
        '400 Job in version "v1" cannot be handled as a Job: json: cannot unmarshal number 2147483648 into field spec.parallelism of type integer',
      ],
    ],
    ['seconds of 64 bits', { activeDeadlineSeconds: 2 ** 31 }, []],
  ]);
});

describe('completionMode', () => {
  specRows([
    ['NonIndexed', { completionMode: 'NonIndexed' }, []],
    ['Indexed', indexed(), []],
    [
      'neither',
      { completionMode: 'indexed' },
      ['spec.completionMode: Unsupported value: "indexed": supported values: "NonIndexed", "Indexed"'],
    ],
    [
      'Indexed without completions',
      { completionMode: 'Indexed', parallelism: 2 },
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
  ]);

  const long = 'a'.repeat(60);
  test.each([
    [10, []],
    [100, []],
    [101, [`metadata.name: Invalid value: "${long}": will not able to create pod with invalid DNS label: ${long}-100`]],
  ])('the hostname of the last of %i indexes is a DNS label', (completions, faults) => {
    expect(faultLines(admitDocument(jobDocument(indexed({ completions }), { name: long })))).toEqual(faults);
  });

  test('the only index makes the name longer, too; without any index nothing does', () => {
    const name = 'a'.repeat(62);
    const faults = (completions: number) => faultLines(admitDocument(jobDocument(indexed({ completions }), { name })));
    expect(faults(0)).toEqual([]);
    expect(faults(1)).toEqual([
      `metadata.name: Invalid value: "${name}": will not able to create pod with invalid DNS label: ${name}-0`,
    ]);
  });

  test('an Indexed Job has no dots in its name, for its hostnames cannot have any', () => {
    expect(faultLines(admitDocument(jobDocument(indexed(), { name: 'my.sums' })))).toEqual([
      'metadata.name: Invalid value: "my.sums": will not able to create pod with invalid DNS label: my.sums-9',
    ]);
    expect(admitted(jobDocument({}, { name: 'my.sums' })).warnings).toEqual([
      'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
    ]);
  });

  test('a name is a DNS subdomain, and so is a prefix but for its last dash', () => {
    expect(faultLines(admitDocument(jobDocument({}, { name: '', generateName: 'sums-' })))).toEqual([]);
    const lines = faultLines(admitDocument(jobDocument({}, { name: undefined, generateName: 'Sums-' })));
    expect(lines.map((line) => line.split(': a lowercase')[0])).toEqual([
      'metadata.name: Invalid value: "Sums-x7k2z"',
      'metadata.generateName: Invalid value: "Sums-"',
    ]);
  });

  test('a name is no longer than the value of a label', () => {
    const name = 'a'.repeat(64);
    const fault = `spec.template.labels: Invalid value: "${name}": must be no more than 63 characters`;
    expect(faultLines(admitDocument(jobDocument({}, { name })))).toEqual([fault, fault]);
  });
});

describe('limits for each index', () => {
  specRows([
    ['backoffLimitPerIndex alone', indexed({ backoffLimitPerIndex: 0 }), []],
    ['both', indexed({ backoffLimitPerIndex: 1, maxFailedIndexes: 10 }), []],
    [
      'a NonIndexed Job has no indexes',
      { backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
      [
        'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode',
        'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
      ],
    ],
    [
      'maxFailedIndexes alone',
      indexed({ maxFailedIndexes: 1 }),
      ['spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified'],
    ],
    [
      'more failed indexes than there are indexes',
      indexed({ backoffLimitPerIndex: 1, maxFailedIndexes: 11 }),
      ['spec.maxFailedIndexes: Invalid value: 11: must be less than or equal to completions'],
    ],
    [
      'maxFailedIndexes above its limit',
      indexed({ completions: 100_000, backoffLimitPerIndex: 1, maxFailedIndexes: 100_001 }),
      [
        'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to completions',
        'spec.maxFailedIndexes: Invalid value: 100001: must be less than or equal to 100000',
      ],
    ],
    [
      '100,000 completions are not many yet',
      indexed({ completions: 100_000, parallelism: 100_000, backoffLimitPerIndex: 1 }),
      [],
    ],
    [
      'many completions: maxFailedIndexes must be said, parallelism is limited',
      indexed({ completions: 100_001, parallelism: 10_001, backoffLimitPerIndex: 1 }),
      [
        'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
        'spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
      ],
    ],
    [
      'many completions: maxFailedIndexes is limited',
      indexed({ completions: 100_001, parallelism: 10_000, backoffLimitPerIndex: 1, maxFailedIndexes: 10_001 }),
      [
        'spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
      ],
    ],
    ['many completions without limits for each index', indexed({ completions: 100_001, parallelism: 10_001 }), []],
  ]);

  test('backoffLimit is out of the way when failures are counted for each index', () => {
    expect(admitted(jobDocument(indexed({ backoffLimitPerIndex: 1 }))).manifest.spec.backoffLimit).toBe(2_147_483_647);
    expect(
      admitted(jobDocument(indexed({ backoffLimitPerIndex: 1, backoffLimit: 3 }))).manifest.spec.backoffLimit,
    ).toBe(3);
    expect(admitted(jobDocument(indexed())).manifest.spec.backoffLimit).toBe(6);
  });
});

describe('managedBy', () => {
  const at = 'spec.managedBy';
  specRows([
    ['the controller itself', { managedBy: 'kubernetes.io/job-controller' }, []],
    ['another', { managedBy: 'kueue.x-k8s.io/multikueue' }, []],
    ['63 bytes', { managedBy: `a.io/${'b'.repeat(58)}` }, []],
    ['more', { managedBy: `a.io/${'b'.repeat(59)}` }, [`${at}: Too long: may not be more than 63 bytes`]],
    ['nothing', { managedBy: '' }, [`${at}: Required value`]],
    ...['multikueue', '/multikueue', 'kueue.x-k8s.io/'].map(
      (text): SpecRow => [
        `${text}: not host and path`,
        { managedBy: text },
        [`${at}: Invalid value: "${text}": must be a domain-prefixed path (such as "acme.io/foo")`],
      ],
    ),
    [
      'a host and a path that are none',
      { managedBy: 'Acme/a b' },
      [
        `${at}: Invalid value: "Acme": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`.replaceAll(
          '\\\\',
          '\\',
        ),
        `${at}: Invalid value: "a b": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
      ],
    ],
  ]);
});

describe('podReplacementPolicy', () => {
  specRows([
    ['Failed', { podReplacementPolicy: 'Failed' }, []],
    ['TerminatingOrFailed', { podReplacementPolicy: 'TerminatingOrFailed' }, []],
    [
      'another',
      { podReplacementPolicy: 'Never' },
      ['spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"'],
    ],
  ]);

  test("by default it is Failed, which is Muster's own default", () => {
    const policyOf = (spec: object) => admitted(jobDocument(spec)).manifest.spec.podReplacementPolicy;
    expect(policyOf({})).toBe('Failed');
    expect(policyOf({ podFailurePolicy: { rules: [] } })).toBe('Failed');
    expect(policyOf({ podReplacementPolicy: 'TerminatingOrFailed' })).toBe('TerminatingOrFailed');
  });
});

describe('restartPolicy', () => {
  const at = 'spec.template.spec.restartPolicy';
  test.each([
    ['Never', []],
    ['OnFailure', []],
    ['Always', [`${at}: Required value: valid values: "OnFailure", "Never"`]],
    [undefined, [`${at}: Required value: valid values: "OnFailure", "Never"`]],
    ['', [`${at}: Required value: valid values: "OnFailure", "Never"`]],
    ['Sometimes', [`${at}: Unsupported value: "Sometimes": supported values: "OnFailure", "Never"`]],
  ])('%s', (restartPolicy, faults) => {
    expect(faultLines(admitDocument(jobDocument({}, {}, { restartPolicy })))).toEqual(faults);
  });

  test('it is stored as it was given', () => {
    expect(
      admitted(jobDocument({}, {}, { restartPolicy: 'OnFailure' })).manifest.spec.template.spec.restartPolicy,
    ).toBe('OnFailure');
  });
});

describe("Muster's own annotations", () => {
  const DISRUPTIONS =
    'must be "count", or "losses=10,spot-interruptions=3" with numbers up to 9999 (either part may be omitted)';
  const TIMEOUT = 'must be a whole number of seconds between 1 and 9999999, without leading zeros';
  const MOMENT = 'must be a time as RFC 3339 writes it, such as 2026-01-31T12:00:00Z';
  const FLAG = 'must be "true" or "false"';
  const own = ANNOTATION_ROWS.Job.filter(({ setBy }) => setBy === undefined).map(({ key }) => key);
  const UNKNOWN = `unknown annotation; a Job may have ${own.slice(0, -1).join(', ')} and ${own.at(-1)}`;
  test.each<[string, string, string | null]>([
    ['disruptions', 'count', null],
    ['disruptions', 'losses=0', null],
    ['disruptions', 'losses=5,spot-interruptions=1', null],
    ['disruptions', 'ignore', DISRUPTIONS],
    ['disruptions', '', DISRUPTIONS],
    ['disruptions', 'losses=5, spot-interruptions=1', DISRUPTIONS],
    ['pending-timeout-seconds', '900', null],
    ['pending-timeout-seconds', '0', TIMEOUT],
    ['pending-timeout-seconds', '15m', TIMEOUT],
    ['start-timeout-seconds', '900', null],
    ['start-timeout-seconds', '0', TIMEOUT],
    ['start-after', '2026-01-31T12:00:00+01:00', null],
    ['start-after', 'tomorrow', MOMENT],
    ['kill-at', '2026-01-31T12:00:00Z', null],
    ['kill-at', '2026-02-31T12:00:00Z', MOMENT],
    ['success-first', 'false', null],
    ['success-first', 'yes', FLAG],
    ['task-token', 'AQCEAAAAKgAAAAMAAAAAAAAAAQ+/=', null],
    ['pending-timeout', '900', UNKNOWN],
    ['task-arn', 'arn:aws:ecs', UNKNOWN],
  ])('muster.run/%s: %j', (key, value, wrong) => {
    const annotations = { [`muster.run/${key}`]: value };
    expect(faultLines(admitDocument(jobDocument({}, { annotations })))).toEqual(
      wrong === null ? [] : [`metadata.annotations[muster.run/${key}]: Invalid value: "${value}": ${wrong}`],
    );
  });
});

test.each([
  ['empty', ''],
  ['with a blank', 'a b'],
  ['with a line break', 'secret\n'],
  ['not ASCII', 'sécret'],
  ['too long', 'x'.repeat(2_049)],
])('a task token that is %s is refused without being repeated', (_, token) => {
  expect(faultLines(admitDocument(jobDocument({}, { annotations: { 'muster.run/task-token': token } })))).toEqual([
    'metadata.annotations[muster.run/task-token]: Invalid value: must be a task token of Step Functions: 1 to 2048 visible characters',
  ]);
});

test('nothing that is wrong hides anything else', () => {
  const document = {
    metadata: {
      name: 'No',
      labels: { 'a b': '' },
      annotations: { 'muster.run/disruptions': 'no' },
      finalizers: ['x'],
    },
    spec: {
      parallelism: -1,
      completionMode: 'Some',
      managedBy: 'me',
      podFailurePolicy: { rules: [{ action: 'Ignore' }] },
      successPolicy: { rules: [] },
      podReplacementPolicy: 'Always',
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { 'job-name': 'other' } },
        spec: {
          restartPolicy: 'Always',
          containers: [{ name: 'main', resources: { requests: { cpu: '100' } } }],
        },
      },
    },
  };
  expect(faultLines(admitDocument(document)).map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
    'metadata.name: Invalid value',
    'metadata.labels: Invalid value',
    'metadata.annotations[muster.run/disruptions]: Invalid value',
    'metadata.finalizers[0]: Invalid value',
    'spec.template.metadata.labels[job-name]: Invalid value',
    'spec.selector: Invalid value',
    'spec.parallelism: Invalid value',
    'spec.managedBy: Invalid value',
    'spec.completionMode: Unsupported value',
    'spec.podFailurePolicy.rules[0]: Invalid value',
    'spec.successPolicy: Invalid value',
    'spec.podReplacementPolicy: Unsupported value',
    'spec.template.spec.containers[0].image: Required value',
    'spec.template.spec.restartPolicy: Required value',
    'spec.template.metadata.labels: Invalid value',
    'spec.template.spec.containers: Invalid value',
  ]);
});
