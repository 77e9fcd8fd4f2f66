import { describe, expect, test } from 'vitest';
import { admitDocument, admitted, faultLines, jobDocument } from '../support/job-document.ts';

/** A fragment of `spec`, and all that is wrong with it, in order. */
type Row = readonly [what: string, spec: object, faults: readonly string[]];

const rows = (table: readonly Row[]): void => {
  test.each(table)('%s', (_, spec, faults) => {
    expect(faultLines(admitDocument(jobDocument(spec)))).toEqual(faults);
  });
};

const indexed = (spec: object = {}) => ({ completionMode: 'Indexed', completions: 10, ...spec });

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

  rows([
    [
      'all that are wrong are told at once',
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
  rows([
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
  rows([
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

describe('podFailurePolicy', () => {
  const exit = (onExitCodes: object) => ({
    action: 'FailJob',
    onExitCodes: { operator: 'In', values: [1], ...onExitCodes },
  });
  const condition = (pattern: object) => ({
    action: 'Ignore',
    onPodConditions: [{ type: 'DisruptionTarget', ...pattern }],
  });
  const policy = (...rules: readonly object[]) => ({ podFailurePolicy: { rules } });
  const at = 'spec.podFailurePolicy.rules';

  rows([
    ['no rules', policy(), []],
    ['twenty rules', policy(...Array.from({ length: 20 }, () => exit({}))), []],
    [
      'more',
      policy(...Array.from({ length: 21 }, () => exit({}))),
      [`${at}: Too many: 21: must have at most 20 items`],
    ],
    [
      'every action but FailIndex',
      policy(...['Count', 'FailJob', 'Ignore'].map((action) => ({ ...exit({}), action }))),
      [],
    ],
    [
      'no action, an unknown one, and one that wants a limit for each index',
      policy(
        { onExitCodes: exit({}).onExitCodes },
        { ...exit({}), action: 'Retry' },
        { ...exit({}), action: 'FailIndex' },
      ),
      [
        `${at}[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`,
        `${at}[1].action: Unsupported value: "Retry": supported values: "Count", "FailIndex", "FailJob", "Ignore"`,
        `${at}[2].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`,
      ],
    ],
    ['FailIndex', indexed({ backoffLimitPerIndex: 1, ...policy({ ...exit({}), action: 'FailIndex' }) }), []],
    [
      'neither exit codes nor conditions, and both',
      policy(
        { action: 'Count' },
        { action: 'Count', onPodConditions: [] },
        { ...exit({}), onPodConditions: [{ type: 'DisruptionTarget' }] },
      ),
      [
        `${at}[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
        `${at}[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
        `${at}[2]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`,
      ],
    ],
    ['a container by name', policy(exit({ containerName: 'main' })), []],
    [
      'a container that is not in the template',
      policy(exit({ containerName: 'sidecar' })),
      [
        `${at}[0].onExitCodes.containerName: Invalid value: "sidecar": must be one of the container or initContainer names in the pod template`,
      ],
    ],
    [
      'no operator, and an unknown one',
      policy(exit({ operator: '' }), exit({ operator: 'Equals' })),
      [
        `${at}[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]`,
        `${at}[1].onExitCodes.operator: Unsupported value: "Equals": supported values: "In", "NotIn"`,
      ],
    ],
    [
      'no values',
      policy(exit({ values: [] })),
      [`${at}[0].onExitCodes.values: Invalid value: []: at least one value is required`],
    ],
    ['255 values', policy(exit({ values: Array.from({ length: 255 }, (_, i) => i + 1) })), []],
    [
      'more',
      policy(exit({ values: Array.from({ length: 256 }, (_, i) => i + 1) })),
      [`${at}[0].onExitCodes.values: Too many: 256: must have at most 255 items`],
    ],
    [
      '0 is success, so no failure can be In it',
      policy(exit({ values: [0, 1] })),
      [`${at}[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator`],
    ],
    ['0 with NotIn', policy(exit({ operator: 'NotIn', values: [0, 1] })), []],
    ['negative codes', policy(exit({ values: [-1, 1] })), []],
    [
      'twice the same, and out of order',
      policy(exit({ values: [3, 3, 2] })),
      [
        `${at}[0].onExitCodes.values[1]: Duplicate value: 3`,
        `${at}[0].onExitCodes.values: Invalid value: [3,3,2]: must be ordered`,
      ],
    ],
    ['conditions', policy(condition({}), condition({ status: 'False' }), condition({ status: 'Unknown' })), []],
    [
      'more conditions than twenty',
      policy({ action: 'Ignore', onPodConditions: Array.from({ length: 21 }, () => ({ type: 'A' })) }),
      [`${at}[0].onPodConditions: Too many: 21: must have at most 20 items`],
    ],
    [
      'a type that is no qualified name, a status that nobody knows',
      policy(condition({ type: 'a b', status: 'true' })),
      [
        `${at}[0].onPodConditions[0].type: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `${at}[0].onPodConditions[0].status: Unsupported value: "true": supported values: "False", "True", "Unknown"`,
      ],
    ],
  ]);

  test('the name of an init container will do', () => {
    const pod = { initContainers: [{ name: 'setup', image: 'busybox' }] };
    expect(faultLines(admitDocument(jobDocument(policy(exit({ containerName: 'setup' })), {}, pod)))).toEqual([]);
  });

  test('a status that is not said is True', () => {
    const { manifest } = admitted(jobDocument(policy(condition({}), condition({ status: 'False' }))));
    expect(manifest.spec.podFailurePolicy?.rules.map(({ onPodConditions }) => onPodConditions?.[0]?.status)).toEqual([
      'True',
      'False',
    ]);
  });

  test('it wants Pods that are not restarted in place, and failed before they are replaced', () => {
    const spec = { ...policy(exit({})), podReplacementPolicy: 'TerminatingOrFailed' };
    expect(faultLines(admitDocument(jobDocument(spec, {}, { restartPolicy: 'OnFailure' })))).toEqual([
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ]);
  });
});

describe('successPolicy', () => {
  const policy = (...rules: readonly object[]) => indexed({ successPolicy: { rules } });
  const at = 'spec.successPolicy.rules';

  rows([
    [
      'indexes, a count, and both',
      policy({ succeededIndexes: '0-2,9' }, { succeededCount: 10 }, { succeededIndexes: '0,1', succeededCount: 2 }),
      [],
    ],
    [
      'a NonIndexed Job has no indexes: nothing else is looked at',
      { successPolicy: { rules: [{}] } },
      ['spec.successPolicy: Invalid value: {"rules":[{}]}: requires indexed completion mode'],
    ],
    [
      'no rules',
      policy(),
      [`${at}: Required value: at least one rules must be specified when the successPolicy is specified`],
    ],
    ['twenty rules', policy(...Array.from({ length: 20 }, () => ({ succeededCount: 1 }))), []],
    [
      'more',
      policy(...Array.from({ length: 21 }, () => ({ succeededCount: 1 }))),
      [`${at}: Too many: 21: must have at most 20 items`],
    ],
    [
      'a rule that says nothing',
      policy({}),
      [`${at}[0]: Required value: at least one of succeededCount or succeededIndexes must be specified`],
    ],
    ['indexes that are none: it never matches, but it is right', policy({ succeededIndexes: '' }), []],
    ...(
      [
        ['x', 'cannot convert string to integer for index: "x"'],
        ['1,', 'cannot convert string to integer for index: ""'],
        ['1, 2', 'cannot convert string to integer for index: " 2"'],
        ['-1', 'cannot convert string to integer for index: ""'],
        ['10', 'too large index: "10"'],
        ['8-10', 'too large index: "10"'],
        ['3,2', 'non-increasing order, previous: 3, current: 2'],
        ['3-3', 'non-increasing order, previous: 3, current: 3'],
        ['0-4,4', 'non-increasing order, previous: 4, current: 4'],
        [
          '1-2-3',
          `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
        ],
      ] as const
    ).map(
      ([text, reason]): Row => [
        `indexes ${JSON.stringify(text)}`,
        policy({ succeededIndexes: text }),
        [
          `${at}[0].succeededIndexes: Invalid value: ${JSON.stringify(text)}: error parsing succeededIndexes: ${reason}`,
        ],
      ],
    ),
    [
      'a count below zero',
      policy({ succeededCount: -1 }),
      [`${at}[0].succeededCount: Invalid value: -1: must be greater than or equal to 0`],
    ],
    [
      'a count above completions, and above the listed indexes',
      policy({ succeededCount: 11, succeededIndexes: '0-3' }),
      [
        `${at}[0].succeededCount: Invalid value: 11: must be less than or equal to 10 (the number of specified completions)`,
        `${at}[0].succeededCount: Invalid value: 11: must be less than or equal to 4 (the number of indexes in the specified succeededIndexes field)`,
      ],
    ],
    [
      'indexes that cannot be read count as none',
      policy({ succeededCount: 1, succeededIndexes: 'all' }),
      [
        `${at}[0].succeededIndexes: Invalid value: "all": error parsing succeededIndexes: cannot convert string to integer for index: "all"`,
        `${at}[0].succeededCount: Invalid value: 1: must be less than or equal to 0 (the number of indexes in the specified succeededIndexes field)`,
      ],
    ],
    [
      'what can be said without completions',
      {
        completionMode: 'Indexed',
        parallelism: 1,
        successPolicy: { rules: [{ succeededIndexes: '1,0', succeededCount: 9 }] },
      },
      [
        'spec.completions: Required value: when completion mode is Indexed',
        `${at}[0].succeededIndexes: Invalid value: "1,0": error parsing succeededIndexes: non-increasing order, previous: 1, current: 0`,
        `${at}[0].succeededCount: Invalid value: 9: must be less than or equal to 0 (the number of indexes in the specified succeededIndexes field)`,
      ],
    ],
  ]);

  test('indexes take 64 KiB of text at most', () => {
    const tooLong = `${at}[0].succeededIndexes: Too long: may not be more than 65536 bytes`;
    const faults = (bytes: number) =>
      faultLines(admitDocument(jobDocument(policy({ succeededIndexes: 'x'.repeat(bytes) }))));
    expect(faults(65_536)).not.toContain(tooLong);
    expect(faults(65_537)).toContain(tooLong);
  });
});

describe('managedBy', () => {
  const at = 'spec.managedBy';
  rows([
    ['the controller itself', { managedBy: 'kubernetes.io/job-controller' }, []],
    ['another', { managedBy: 'kueue.x-k8s.io/multikueue' }, []],
    ['63 bytes', { managedBy: `a.io/${'b'.repeat(58)}` }, []],
    ['more', { managedBy: `a.io/${'b'.repeat(59)}` }, [`${at}: Too long: may not be more than 63 bytes`]],
    ['nothing', { managedBy: '' }, [`${at}: Required value`]],
    ...['multikueue', '/multikueue', 'kueue.x-k8s.io/'].map(
      (text): Row => [
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
  rows([
    ['Failed', { podReplacementPolicy: 'Failed' }, []],
    ['TerminatingOrFailed', { podReplacementPolicy: 'TerminatingOrFailed' }, []],
    [
      'another',
      { podReplacementPolicy: 'Never' },
      ['spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"'],
    ],
  ]);

  test("unsaid it is Failed, which is Muster's own default", () => {
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

  test('it is kept as it was said', () => {
    expect(
      admitted(jobDocument({}, {}, { restartPolicy: 'OnFailure' })).manifest.spec.template.spec.restartPolicy,
    ).toBe('OnFailure');
  });
});

describe('selector', () => {
  const templateWith = (labels: object) => ({
    template: { metadata: { labels }, spec: jobDocument().spec.template.spec },
  });
  const manual = (selector: object | undefined, labels: object = { app: 'sums' }) => ({
    manualSelector: true,
    selector,
    ...templateWith(labels),
  });
  const labels = 'spec.template.metadata.labels';
  const expr = (requirement: object) => manual({ matchExpressions: [{ key: 'app', ...requirement }] });
  const expression = 'spec.selector.matchExpressions[0]';

  test('it is generated, and so are the labels that it finds', () => {
    const { spec } = admitted(jobDocument(templateWith({ app: 'sums' }))).manifest;
    expect(spec.selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-1' } });
    expect(spec.template.metadata.labels).toEqual({
      app: 'sums',
      'controller-uid': 'uid-1',
      'job-name': 'sums',
      'batch.kubernetes.io/controller-uid': 'uid-1',
      'batch.kubernetes.io/job-name': 'sums',
    });
  });

  test('a manual one is kept, and nothing is generated', () => {
    const { spec } = admitted(jobDocument(manual({ matchLabels: { app: 'sums' } }))).manifest;
    expect(spec.manualSelector).toBe(true);
    expect(spec.selector).toEqual({ matchLabels: { app: 'sums' } });
    expect(spec.template.metadata.labels).toEqual({ app: 'sums' });
  });

  rows([
    [
      'the one that would be generated',
      { selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-1' } } },
      [],
    ],
    ['more of the generated labels', { selector: { matchLabels: { 'job-name': 'sums' } } }, []],
    [
      "labels that are the Job's own with other values",
      templateWith({ 'controller-uid': 'x', 'batch.kubernetes.io/job-name': 'y' }),
      [
        `${labels}[controller-uid]: Invalid value: {"controller-uid":"x","job-name":"sums","batch.kubernetes.io/controller-uid":"uid-1","batch.kubernetes.io/job-name":"y"}: must be 'uid-1'`,
        `${labels}[batch.kubernetes.io/job-name]: Invalid value: {"controller-uid":"x","job-name":"sums","batch.kubernetes.io/controller-uid":"uid-1","batch.kubernetes.io/job-name":"y"}: must be 'sums'`,
      ],
    ],
    [
      'a selector of the user without manualSelector',
      { selector: { matchLabels: { app: 'sums' } } },
      [
        'spec.selector: Invalid value: {"matchLabels":{"batch.kubernetes.io/controller-uid":"uid-1","app":"sums"}}: `selector` not auto-generated',
        `${labels}: Invalid value: {"controller-uid":"uid-1","job-name":"sums","batch.kubernetes.io/controller-uid":"uid-1","batch.kubernetes.io/job-name":"sums"}: \`selector\` does not match template \`labels\``,
      ],
    ],
    [
      'a manual one that is absent selects nothing',
      manual(undefined),
      [
        'spec.selector: Required value',
        `${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``,
      ],
    ],
    ['a manual one that is empty selects everything', manual({}), []],
    [
      'a manual one that does not find the Pods',
      manual({ matchLabels: { app: 'other' } }),
      [`${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``],
    ],
    ['In', expr({ operator: 'In', values: ['sums', 'other'] }), []],
    [
      'In without the value',
      expr({ operator: 'In', values: ['other'] }),
      [`${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``],
    ],
    ['NotIn', expr({ operator: 'NotIn', values: ['other'] }), []],
    [
      'NotIn with the value',
      expr({ operator: 'NotIn', values: ['sums'] }),
      [`${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``],
    ],
    [
      'NotIn of a label that is not there',
      manual({ matchExpressions: [{ key: 'x', operator: 'NotIn', values: ['y'] }] }),
      [],
    ],
    ['Exists', expr({ operator: 'Exists' }), []],
    [
      'DoesNotExist',
      expr({ operator: 'DoesNotExist' }),
      [`${labels}: Invalid value: {"app":"sums"}: \`selector\` does not match template \`labels\``],
    ],
    [
      'In without values',
      expr({ operator: 'In' }),
      [`${expression}.values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`],
    ],
    [
      'Exists with values',
      expr({ operator: 'Exists', values: ['sums'] }),
      [`${expression}.values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`],
    ],
    [
      'an unknown operator',
      expr({ operator: 'Like', values: ['s*'] }),
      [
        `${expression}.operator: Invalid value: "Like": not a valid selector operator`,
        expect.stringMatching(
          /^spec\.selector\.matchExpressions\[0\]\.values\[0\]: Invalid value: "s\*": a valid label/,
        ) as unknown as string,
      ],
    ],
    [
      'a key that is none',
      manual({ matchLabels: { '/x': 'y' }, matchExpressions: [{ key: '/x', operator: 'Exists' }] }),
      [
        'spec.selector.matchLabels: Invalid value: "/x": prefix part must be non-empty',
        `${expression}.key: Invalid value: "/x": prefix part must be non-empty`,
      ],
    ],
  ]);

  test('where no label carries the name, the limit on its length is our own', () => {
    const name = 'a'.repeat(64);
    expect(faultLines(admitDocument(jobDocument(manual({}), { name })))).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 63 characters`,
    ]);
  });
});

describe("Muster's own annotations", () => {
  const DISRUPTIONS =
    'must be "count", or "losses=10,spot-interruptions=3" with numbers up to 9999 (either part may be left out)';
  const TIMEOUT = 'must be a whole number of seconds between 1 and 9999999, without leading zeros';
  const UNKNOWN = 'a Job has muster.run/disruptions and muster.run/pending-timeout-seconds; nothing else would be read';
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
    ['pending-timeout', '900', UNKNOWN],
    ['task-arn', 'arn:aws:ecs', UNKNOWN],
  ])('muster.run/%s: %j', (key, value, wrong) => {
    const annotations = { [`muster.run/${key}`]: value };
    expect(faultLines(admitDocument(jobDocument({}, { annotations })))).toEqual(
      wrong === null ? [] : [`metadata.annotations[muster.run/${key}]: Invalid value: "${value}": ${wrong}`],
    );
  });
});

test('nothing that is wrong hides anything else', () => {
  const document = {
    metadata: {
      name: 'No',
      labels: { 'a b': '' },
      annotations: { 'muster.run/disruptions': 'no' },
      finalizers: ['x/y'],
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
    'metadata.finalizers: Forbidden',
    'metadata.labels: Invalid value',
    'metadata.annotations[muster.run/disruptions]: Invalid value',
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
