import { describe, expect, it } from 'vitest';
import { admitCronJob } from '../../schema/cron-admission.ts';
import { fieldErrorText } from '../../../../schema/object/field-error.ts';
import type { FieldValidation } from '../../../../schema/object/read-object.ts';
import { A_WORK_LIST } from '../../../../../test/support/work-list-keys.ts';

const container = { name: 'hello', image: 'busybox', command: ['sh', '-c', 'date'] };
const pod = { template: { spec: { containers: [container], restartPolicy: 'OnFailure' } } };
const spec = { schedule: '*/5 * * * *', jobTemplate: { spec: pod } };

/** The CronJob `nightly` with these fields instead. */
const cronJob = (changes: { readonly metadata?: object; readonly spec?: object; readonly job?: object } = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'nightly', ...changes.metadata },
  spec: { ...spec, jobTemplate: { spec: { ...pod, ...changes.job } }, ...changes.spec },
});

const admit = (document: unknown, fieldValidation: FieldValidation = 'Strict') =>
  admitCronJob(document, { namespace: 'default', uid: 'u', nameSuffix: 'x7k2p', fieldValidation });

const admitted = (document: unknown, fieldValidation?: FieldValidation) => {
  const admission = admit(document, fieldValidation);
  if (admission.kind !== 'ok') throw new Error(JSON.stringify(admission));
  return admission;
};

/** Of a template, and of a container in it. */
const DEFAULTS = {
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const CONTAINER_DEFAULTS = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
};

/** Each fault as kubectl prints it. */
const faults = (document: unknown): readonly string[] => {
  const admission = admit(document);
  return admission.kind === 'invalid'
    ? admission.errors.map((f) => `${f.path}: ${fieldErrorText(f)}`)
    : [admission.kind];
};

describe('what is stored', () => {
  it("has a CronJob's defaults and none of its Jobs", () => {
    expect(admitted(cronJob()).manifest).toEqual({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'nightly', namespace: 'default' },
      spec: {
        schedule: '*/5 * * * *',
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: {
          metadata: {},
          spec: {
            template: {
              metadata: {},
              spec: { ...DEFAULTS, containers: [{ ...container, ...CONTAINER_DEFAULTS }], restartPolicy: 'OnFailure' },
            },
          },
        },
      },
    });
  });

  it('is all that was said', () => {
    const labels = { app: 'a' };
    const annotations = { note: 'n' };
    const times = {
      schedule: '@daily',
      timeZone: 'Europe/Berlin',
      startingDeadlineSeconds: 0,
      concurrencyPolicy: 'Forbid',
      suspend: true,
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: 0,
    };
    const job = {
      parallelism: 2,
      completions: 4,
      completionMode: 'Indexed',
      backoffLimit: 0,
      backoffLimitPerIndex: 1,
      maxFailedIndexes: 2,
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
      successPolicy: { rules: [{ succeededCount: 1 }] },
      activeDeadlineSeconds: 60,
      ttlSecondsAfterFinished: 0,
      suspend: false,
      manualSelector: false,
      podReplacementPolicy: 'Failed',
      managedBy: 'example.com/other',
      template: { metadata: { labels, annotations }, spec: { ...pod.template.spec, restartPolicy: 'Never' } },
    };
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'u1' };
    const ties = { ownerReferences: [owner], finalizers: ['example.com/hold'] };
    const { manifest } = admitted(
      cronJob({
        metadata: { labels, annotations, ...ties, uid: 'ignored', managedFields: [] },
        spec: { ...times, jobTemplate: { metadata: { labels, annotations, name: 'of-all' }, spec: job } },
      }),
    );
    expect(manifest.metadata).toEqual({ name: 'nightly', namespace: 'default', labels, annotations, ...ties });
    expect(manifest.spec).toEqual({
      ...times,
      jobTemplate: {
        metadata: { labels, annotations, name: 'of-all' },
        spec: {
          ...job,
          podFailurePolicy: {
            rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
          },
          template: {
            ...job.template,
            spec: { ...DEFAULTS, containers: [{ ...container, ...CONTAINER_DEFAULTS }], restartPolicy: 'Never' },
          },
        },
      },
    });
  });

  it('has a name made from its prefix', () => {
    const { metadata } = admitted(cronJob({ metadata: { name: '', generateName: 'nightly-' } })).manifest;
    expect(metadata).toMatchObject({ name: 'nightly-x7k2p', generateName: 'nightly-' });
  });

  it('an empty policy is the default one', () => {
    expect(admitted(cronJob({ spec: { concurrencyPolicy: '' } })).manifest.spec.concurrencyPolicy).toBe('Allow');
  });
});

const DEEP = 'spec.jobTemplate.spec';
const zone = (text: string, why: string) => `spec.timeZone: Invalid value: ${JSON.stringify(text)}: ${why}`;

describe("what is refused, in Kubernetes' words", () => {
  it.each<[string, object, readonly string[]]>([
    ['no schedule', { schedule: undefined }, ['spec.schedule: Required value']],
    ['an empty schedule', { schedule: '' }, ['spec.schedule: Required value']],
    [
      'no schedule at all',
      { schedule: 'x' },
      ['spec.schedule: Invalid value: "x": expected exactly 5 fields, found 1: [x]'],
    ],
    [
      'a minute too many',
      { schedule: '61 * * * *' },
      ['spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61'],
    ],
    [
      'a zone in the schedule',
      { schedule: 'CRON_TZ=UTC * * * * *' },
      [
        'spec.schedule: Invalid value: "CRON_TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      'a zone that is none',
      { schedule: 'TZ=Mars * * * * *' },
      [
        'spec.schedule: Invalid value: "TZ=Mars * * * * *": provided bad location Mars: unknown time zone Mars',
        'spec.schedule: Invalid value: "TZ=Mars * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    ['no zone', { timeZone: '' }, [zone('', 'timeZone must be nil or non-empty string')]],
    [
      'Local',
      { timeZone: 'Local' },
      [zone('Local', 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')],
    ],
    [
      'local',
      { timeZone: 'local' },
      [
        zone('local', 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'),
        zone('local', 'unknown time zone local'),
      ],
    ],
    ...[
      'Mars/Base',
      'america/new_york',
      'Europe//Berlin',
      '/UTC',
      '../UTC',
      './UTC',
      '-UTC',
      'UTC ',
      '+05:00',
      'America/ThisPartIsTooLong',
    ].map((name): [string, object, readonly string[]] => [
      `zone ${name}`,
      { timeZone: name },
      [zone(name, `unknown time zone ${name}`)],
    ]),
    [
      'a deadline before',
      { startingDeadlineSeconds: -1 },
      ['spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a policy',
      { concurrencyPolicy: 'allow' },
      ['spec.concurrencyPolicy: Unsupported value: "allow": supported values: "Allow", "Forbid", "Replace"'],
    ],
    [
      'negative limits',
      { successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -2 },
      [
        'spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
        'spec.failedJobsHistoryLimit: Invalid value: -2: must be greater than or equal to 0',
      ],
    ],
    [
      'no template',
      { jobTemplate: undefined },
      [
        `${DEEP}.template.spec.containers: Required value`,
        `${DEEP}.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`,
      ],
    ],
  ])('%s', (_, changes, sentences) => {
    expect(faults(cronJob({ spec: changes }))).toEqual(sentences);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'a selector',
      { selector: { matchLabels: { a: 'b' } } },
      [`${DEEP}.selector: Invalid value: {"matchLabels":{"a":"b"}}: \`selector\` will be auto-generated`],
    ],
    [
      'manualSelector',
      { manualSelector: true },
      [`${DEEP}.manualSelector: Unsupported value: true: supported values: "nil", "false"`],
    ],
    [
      'negative parallelism',
      { parallelism: -1 },
      [`${DEEP}.parallelism: Invalid value: -1: must be greater than or equal to 0`],
    ],
    [
      'Indexed without completions',
      { completionMode: 'Indexed' },
      [`${DEEP}.completions: Required value: when completion mode is Indexed`],
    ],
    [
      'a limit without indexes',
      { backoffLimitPerIndex: 1 },
      [`${DEEP}.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode`],
    ],
    [
      'a mode',
      { completionMode: 'x' },
      [`${DEEP}.completionMode: Unsupported value: "x": supported values: "NonIndexed", "Indexed"`],
    ],
    [
      'managedBy',
      { managedBy: 'me' },
      [`${DEEP}.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")`],
    ],
    [
      'a policy',
      { podReplacementPolicy: 'x' },
      [`${DEEP}.podReplacementPolicy: Unsupported value: "x": supported values: "Failed", "TerminatingOrFailed"`],
    ],
    [
      'a success policy without indexes',
      { successPolicy: { rules: [] } },
      [`${DEEP}.successPolicy: Invalid value: {"rules":[]}: requires indexed completion mode`],
    ],
    [
      'a failure policy',
      {
        podFailurePolicy: { rules: [{ action: 'Count' }] },
        template: { spec: { ...pod.template.spec, restartPolicy: 'Never' } },
      },
      [
        `${DEEP}.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`,
      ],
    ],
    [
      'Always',
      { template: { spec: { containers: [container] } } },
      [`${DEEP}.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`],
    ],
    [
      'no image',
      { template: { spec: { containers: [{ name: 'a' }], restartPolicy: 'Never' } } },
      [`${DEEP}.template.spec.containers[0].image: Required value`],
    ],
  ])('in the Job: %s', (_, job, sentences) => {
    const said = faults(cronJob({ job })).map((text) =>
      text.replace(/Invalid value: \{"action".*?\}: /, 'Invalid value: '),
    );
    expect(said).toEqual(sentences);
  });

  it('a field of the Pod that we do not support, with its path', () => {
    const template = { spec: { ...pod.template.spec, hostNetwork: true } };
    expect(faults(cronJob({ job: { template } }))[0]).toMatch(
      /^spec\.jobTemplate\.spec\.template\.spec\.hostNetwork: Forbidden/,
    );
  });

  it('metadata of the Jobs that no Job could have', () => {
    const metadata = {
      labels: { 'a b': 'c' },
      annotations: { '': 'x', 'muster.run/disruptions': 'maybe' },
      finalizers: ['example.com/hold'],
    };
    const paths = faults(cronJob({ spec: { jobTemplate: { metadata, spec: pod } } })).map(
      (text) => text.split(': ')[0],
    );
    expect([...new Set(paths)]).toEqual([
      'spec.jobTemplate.metadata.labels',
      'spec.jobTemplate.metadata.annotations',
      'spec.jobTemplate.metadata.annotations[muster.run/disruptions]',
      'spec.jobTemplate.metadata.finalizers',
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    ['no name', { name: '' }, ['metadata.name: Required value: name or generateName is required']],
    [
      'a long name',
      { name: 'n'.repeat(53) },
      [`metadata.name: Invalid value: "${'n'.repeat(53)}": must be no more than 52 characters`],
    ],
    [
      'a long prefix',
      { name: '', generateName: 'n'.repeat(50) },
      [`metadata.name: Invalid value: "${'n'.repeat(50)}x7k2p": must be no more than 52 characters`],
    ],
    [
      'a label',
      { labels: { a: '-' } },
      [expect.stringMatching(/^metadata\.labels: Invalid value: "-"/) as unknown as string],
    ],
    [
      'a finalizer',
      { finalizers: ['hold'] },
      [
        'metadata.finalizers[0]: Invalid value: "hold": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'an owner',
      { ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a' }] },
      ['metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
    ],
    [
      'an annotation for Jobs',
      { annotations: { 'muster.run/disruptions': 'count' } },
      [
        'metadata.annotations[muster.run/disruptions]: Invalid value: "count": has an effect only on Jobs; put it into spec.jobTemplate.metadata.annotations',
      ],
    ],
  ])('metadata: %s', (_, metadata, sentences) => {
    expect(faults(cronJob({ metadata }))).toEqual(sentences);
  });

  it('52 characters are a name', () => {
    expect(admit(cronJob({ metadata: { name: 'n'.repeat(52) } })).kind).toBe('ok');
  });
});

describe('what cannot be read', () => {
  it.each<[string, unknown, string]>([
    [
      'a list',
      [],
      'CronJob in version "v1" cannot be handled as a CronJob: json: cannot unmarshal array into the object of type object',
    ],
    [
      'a number',
      cronJob({ spec: { schedule: 5 } }),
      'CronJob in version "v1" cannot be handled as a CronJob: json: cannot unmarshal number into field spec.schedule of type string',
    ],
    [
      'an unknown field',
      cronJob({ spec: { schedul: 'x' } }),
      'CronJob in version "v1" cannot be handled as a CronJob: strict decoding error: unknown field "spec.schedul"',
    ],
    [
      'an unknown field in the Job',
      cronJob({ job: { completion: 1 } }),
      'CronJob in version "v1" cannot be handled as a CronJob: strict decoding error: unknown field "spec.jobTemplate.spec.completion"',
    ],
    [
      'a Job',
      { ...cronJob(), kind: 'Job' },
      'Job in version "batch/v1" cannot be handled as a CronJob: no kind "Job" is accepted here, only "CronJob" of "batch/v1"',
    ],
    [
      'batch/v1beta1',
      { ...cronJob(), apiVersion: 'batch/v1beta1' },
      'CronJob in version "batch/v1beta1" cannot be handled as a CronJob: no kind "CronJob" is accepted here, only "CronJob" of "batch/v1"',
    ],
    [
      'another namespace',
      cronJob({ metadata: { namespace: 'other' } }),
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a resourceVersion',
      cronJob({ metadata: { resourceVersion: '5' } }),
      'resourceVersion should not be set on objects to be created',
    ],
  ])('%s', (_, document, message) => {
    expect(admit(document)).toMatchObject({ kind: 'undecodable', message });
  });
});

describe('what is said beside', () => {
  it('nothing, usually', () => {
    expect(admitted(cronJob()).warnings).toEqual([]);
  });

  it('about names, unknown fields and the Job', () => {
    const template = { spec: { ...pod.template.spec, restartPolicy: 'Never', terminationGracePeriodSeconds: 600 } };
    const podFailurePolicy = { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'Ready' }] }] };
    const { warnings } = admitted(cronJob({ metadata: { name: 'a.b' }, spec: { more: 1 } }), 'Warn');
    expect(warnings).toEqual([
      'unknown field "spec.more"',
      expect.stringMatching(/^metadata\.name: this is used in Pod names .*\[must not contain dots\]$/),
    ]);
    expect(admitted(cronJob({ job: { template, podFailurePolicy } })).warnings).toEqual([
      expect.stringMatching(/^spec\.jobTemplate\.spec\.podFailurePolicy\.rules\[0\]\.onPodConditions\[0\]\.type: /),
      expect.stringMatching(/^spec\.jobTemplate\.spec\.template\.spec\.terminationGracePeriodSeconds: /),
    ]);
    expect(admitted(cronJob({ spec: { more: 1 } }), 'Ignore').warnings).toEqual([]);
  });
});

describe('a work list', () => {
  const listed = (annotations: Record<string, string>, job: object = {}) =>
    cronJob({ spec: { jobTemplate: { metadata: { annotations }, spec: { ...pod, ...job } } } });
  const AT = 'spec.jobTemplate.metadata.annotations';
  const items = 'file\na.txt\nb.txt\nc.txt';

  it('says how many completions its Jobs have, and is stored as it was written', () => {
    for (const job of [{}, { completions: 3, completionMode: 'Indexed' }, { completionMode: 'Indexed' }])
      expect(admitted(listed({ 'muster.run/items': items }, job)).manifest.spec.jobTemplate).toMatchObject({
        metadata: { annotations: { 'muster.run/items': items } },
        spec: job,
      });
    expect(admitted(listed({ 'muster.run/items': items })).manifest.spec.jobTemplate.spec.completions).toBeUndefined();
    expect(
      admitted(listed({ 'muster.run/items': items, 'muster.run/batch': '2' }, { completions: 2 })).warnings,
    ).toEqual([]);
  });

  it.each([
    [
      'another number of completions',
      listed({ 'muster.run/items': items }, { completions: 4 }),
      ['spec.jobTemplate.spec.completions: Invalid value: 4: must be 3, as its work list says; or leave it out'],
    ],
    [
      'Jobs without indexes',
      listed({ 'muster.run/items': items }, { completionMode: 'NonIndexed' }),
      ['spec.jobTemplate.spec.completionMode: Invalid value: "NonIndexed": must be Indexed: the Job has a work list'],
    ],
    [
      'a line that has a value too few',
      listed({ 'muster.run/items': 'a b\n1 2\n3' }),
      [expect.stringContaining(`${AT}[muster.run/items]: Invalid value: line 3: `)],
    ],
    [
      'a column that is no name of a variable',
      listed({ 'muster.run/items': 'MUSTER_X\n1' }),
      [expect.stringContaining(`${AT}[muster.run/items]: Invalid value: line 1: the column "MUSTER_X" needs`)],
    ],
    [
      'two lists',
      listed({
        'muster.run/items': items,
        'muster.run/matrix': '{"values": [{"name": "file", "values": ["a.txt"]}]}',
      }),
      [`${AT}[muster.run/matrix]: Forbidden: a Job has one work list: leave out muster.run/items`],
    ],
    [
      'one fault of a list, and none that follows from it',
      listed({ 'muster.run/items': 'a b\n1' }, { backoffLimitPerIndex: 1 }),
      [expect.stringContaining(`${AT}[muster.run/items]: Invalid value: line 2: `)],
    ],
    [
      'a batch that is no number',
      listed({ 'muster.run/items': items, 'muster.run/batch': 'many' }),
      [`${AT}[muster.run/batch]: Invalid value: "many": must be a whole number of items between 2 and 1000`],
    ],
    [
      'a batch of nothing',
      listed({ 'muster.run/batch': '20' }),
      [`${AT}[muster.run/batch]: Forbidden: needs ${A_WORK_LIST}`],
    ],
    [
      'resources that no column says',
      listed({ 'muster.run/items': items, 'muster.run/resources-from-items': 'true' }),
      [expect.stringContaining(`${AT}[muster.run/resources-from-items]`)],
    ],
    [
      'an item that needs more than Fargate has',
      listed({ 'muster.run/items': 'cpu\n1\n999', 'muster.run/resources-from-items': 'true' }),
      [expect.stringContaining(`${AT}[muster.run/items]`)],
    ],
    [
      'images that no column says',
      listed({ 'muster.run/items': items, 'muster.run/image-from-items': 'true' }),
      [`${AT}[muster.run/image-from-items]: Invalid value: "true": the work list has no column image`],
    ],
    [
      'an index that the list does not make',
      listed({ 'muster.run/items': items, 'muster.run/indexes': '2-3' }),
      [expect.stringContaining(`${AT}[muster.run/indexes]`)],
    ],
    [
      'a list that only the server pins',
      listed({ 'muster.run/items': items, 'muster.run/pinned-items': '{' }),
      [expect.stringContaining(`${AT}[muster.run/pinned-items]: Invalid value: "{": unknown annotation`)],
    ],
  ])('that has a fault is refused with the CronJob: %s', (_, document, expected) => {
    expect(faults(document)).toEqual(expected);
  });
});
