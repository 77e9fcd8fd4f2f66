import { describe, expect, test } from 'vitest';
import { planningSpec } from '../../../shared/domain/manifests/job.ts';
import { fieldErrorText } from '../../../shared/schema/object/field-error.ts';
import { type Admission, admitJob } from '../../../shared/schema/job/job-manifest.ts';
import type { FieldValidation } from '../../../shared/schema/job/job-reading.ts';

const admitWith = (fieldValidation: FieldValidation, document: unknown): Admission =>
  admitJob(document, { namespace: 'default', uid: 'uid-1', nameSuffix: 'x7k2z', fieldValidation });
const admit = (document: unknown): Admission => admitWith('Strict', document);

const job = (spec: object = {}, metadata: object = { name: 'sums' }, pod: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata,
  spec: {
    ...spec,
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }], ...pod } },
  },
});
const withContainer = (container: object, spec: object = {}) =>
  job(spec, { name: 'sums' }, { containers: [{ name: 'main', image: 'busybox', ...container }] });

const faultsOf = (admission: Admission): readonly string[] => {
  if (admission.kind === 'ok') return ['ok'];
  if (admission.kind === 'undecodable') return [`400 ${admission.message}`];
  return admission.errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`);
};
const accepted = (document: unknown) => {
  const admission = admit(document);
  if (admission.kind !== 'ok') throw new Error(faultsOf(admission).join('\n'));
  return admission;
};

const LATER = 'Forbidden: not supported by this version of Muster';
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('defaults are those of batch/v1', () => {
  test('the least that a Job may say', () => {
    expect(accepted(job()).manifest).toEqual({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: 'sums',
        namespace: 'default',
        labels: {
          'batch.kubernetes.io/controller-uid': 'uid-1',
          'batch.kubernetes.io/job-name': 'sums',
          'controller-uid': 'uid-1',
          'job-name': 'sums',
        },
      },
      spec: {
        parallelism: 1,
        completions: 1,
        completionMode: 'NonIndexed',
        backoffLimit: 6,
        suspend: false,
        podReplacementPolicy: 'Failed',
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'uid-1' } },
        template: {
          metadata: {
            labels: {
              'batch.kubernetes.io/controller-uid': 'uid-1',
              'batch.kubernetes.io/job-name': 'sums',
              'controller-uid': 'uid-1',
              'job-name': 'sums',
            },
          },
          spec: {
            containers: [
              {
                name: 'main',
                image: 'busybox',
                resources: {},
                terminationMessagePath: '/dev/termination-log',
                terminationMessagePolicy: 'File',
                imagePullPolicy: 'Always',
              },
            ],
            restartPolicy: 'Never',
            terminationGracePeriodSeconds: 30,
            dnsPolicy: 'ClusterFirst',
            securityContext: {},
            schedulerName: 'default-scheduler',
          },
        },
      },
    });
  });

  test('completions stay unset (a work queue) when only parallelism is given', () => {
    const { manifest } = accepted(job({ parallelism: 3 }));
    expect(manifest.spec).not.toHaveProperty('completions');
    expect(planningSpec({ manifest })).toMatchObject({ parallelism: 3, completions: null });
  });

  test('a Job without labels takes those of its template, as the user wrote them', () => {
    const labelled = { metadata: { labels: { app: 'sums' } }, spec: job().spec.template.spec };
    const { manifest } = accepted({ ...job(), spec: { template: labelled } });
    expect(manifest.metadata.labels).toEqual({ app: 'sums' });
    expect(manifest.spec.template.metadata.labels).toMatchObject({ app: 'sums', 'job-name': 'sums' });
  });

  test('generateName is cut so that the suffix fits', () => {
    expect(accepted(job({}, { generateName: 'sums-' })).manifest.metadata.name).toBe('sums-x7k2z');
    expect(accepted(job({}, { generateName: 'a'.repeat(70) })).manifest.metadata.name).toBe(`${'a'.repeat(58)}x7k2z`);
  });

  test.each<[string, unknown]>([
    ['null is absent', { ...job({ completions: null, selector: null, manualSelector: false }), status: {} }],
    [
      'what the server sets',
      job({}, { name: 'sums', creationTimestamp: null, uid: 'x', generation: 3, managedFields: [{}] }),
    ],
    [
      'what defaulting writes into a Pod',
      job(
        { podReplacementPolicy: 'Failed' },
        { name: 'sums' },
        {
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          securityContext: {},
          volumes: [],
          hostNetwork: false,
          terminationGracePeriodSeconds: 0,
        },
      ),
    ],
    [
      'what defaulting writes into a container',
      withContainer({
        imagePullPolicy: 'IfNotPresent',
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        resources: {},
        ports: [],
      }),
    ],
  ])('accepted, for it changes nothing: %s', (_, document) => {
    expect(faultsOf(admit(document))).toEqual(['ok']);
  });
});

describe('what is wrong is refused with its path', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['no name', job({}, {}), ['metadata.name: Required value: name or generateName is required']],
    [
      'no spec',
      { metadata: { name: 'sums' } },
      [
        'spec.template.spec.containers: Required value',
        'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
      ],
    ],
    ['no containers', job({}, { name: 'sums' }, { containers: [] }), ['spec.template.spec.containers: Required value']],
    [
      'a container without a name or an image',
      job({}, { name: 'sums' }, { containers: [{}] }),
      [
        'spec.template.spec.containers[0].name: Required value',
        'spec.template.spec.containers[0].image: Required value',
      ],
    ],
    [
      'names of containers',
      job(
        {},
        { name: 'sums' },
        {
          containers: [
            { name: 'A', image: 'i' },
            { name: 'b', image: 'i' },
          ],
          initContainers: [{ name: 'b', image: ' i' }],
        },
      ),
      [
        'spec.template.spec.initContainers[0].image: Invalid value: " i": must not have leading or trailing whitespace',
        `spec.template.spec.containers[0].name: Invalid value: "A": ${LABEL}`,
        'spec.template.spec.initContainers[0].name: Duplicate value: "b"',
      ],
    ],
    [
      'env',
      withContainer({
        env: [
          { value: 'x' },
          { name: 'A=B' },
          { name: 'MUSTER_X', value: '' },
          { name: 'A', valueFrom: {} },
          { name: 'B', value: 'a\0' },
        ],
      }),
      [
        'spec.template.spec.containers[0].env[0].name: Required value',
        `spec.template.spec.containers[0].env[1].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than '='`,
        `spec.template.spec.containers[0].env[2].name: ${LATER}; use another name: names that begin with MUSTER_ are reserved for Muster`,
        'spec.template.spec.containers[0].env[3].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`',
        'spec.template.spec.containers[0].env[4].value: Invalid value: "a\\u0000": must not contain NUL',
      ],
    ],
    [
      'a program that only the launch knows',
      withContainer({ command: ['run-$(JOB_COMPLETION_INDEX)'] }, { completionMode: 'Indexed', completions: 1 }),
      [
        `spec.template.spec.containers[0].command[0]: ${LATER}; let a shell choose the program: every attempt of a container runs the same one`,
      ],
    ],
    [
      'quantities',
      withContainer({
        resources: {
          requests: { cpu: 'many', memory: '2Gi', 'nvidia.com/gpu': 1 },
          limits: { memory: '1Gi', cpu: '-1' },
        },
      }),
      [
        'spec.template.spec.containers[0].resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0',
        'spec.template.spec.containers[0].resources.requests[cpu]: Invalid value: "many": quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
        'spec.template.spec.containers[0].resources.requests[memory]: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi',
        `spec.template.spec.containers[0].resources.requests[nvidia.com/gpu]: ${LATER}; a Fargate task has cpu, memory and ephemeral-storage; leave it out`,
      ],
    ],
    [
      'more than Fargate has',
      withContainer({ resources: { requests: { cpu: '33' } } }),
      [
        "spec.template.spec.containers: Invalid value: the Pod needs 33 CPUs and 0 MiB of memory; Fargate's largest sizes are 16 vCPU with 122880 MiB and 32 vCPU with 249856 MiB",
      ],
    ],
    [
      'more containers than a task has',
      job({}, { name: 'sums' }, { containers: Array.from({ length: 11 }, (_, i) => ({ name: `c${i}`, image: 'i' })) }),
      ['spec.template.spec.containers: Too many: 11: must have at most 10 items'],
    ],
    [
      'more than a task definition holds',
      withContainer({ env: [{ name: 'A', value: 'x'.repeat(65_000) }] }),
      [
        expect.stringMatching(
          /^spec\.template\.spec: Invalid value: its task definition needs 6\d{4} bytes, and ECS allows 65536: /,
        ) as unknown as string,
      ],
    ],
    [
      'labels',
      job({}, { name: 'sums', labels: { 'a b': 'c', d: '-', '/x': '' } }),
      [
        expect.stringMatching(
          /^metadata\.labels: Invalid value: "a b": name part must consist of/,
        ) as unknown as string,
        expect.stringMatching(/^metadata\.labels: Invalid value: "-": a valid label must be/) as unknown as string,
        'metadata.labels: Invalid value: "/x": prefix part must be non-empty',
      ],
    ],
    [
      'a negative grace period',
      job({}, { name: 'sums' }, { terminationGracePeriodSeconds: -1 }),
      ['spec.template.spec.terminationGracePeriodSeconds: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a deadline of no time',
      job({}, { name: 'sums' }, { activeDeadlineSeconds: 0 }),
      ['spec.template.spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    ],
  ])('%s', (_, document, expected) => {
    expect(faultsOf(admit(document))).toEqual(expected);
  });

  test.each([
    ['metadata.finalizers[0]', job({}, { name: 'sums', finalizers: ['orphan'] })],
    ['spec.template.spec.volumes[0].hostPath', job({}, { name: 'sums' }, { volumes: [{ name: 'v', hostPath: {} }] })],
    ['spec.template.spec.hostname', job({}, { name: 'sums' }, { hostname: 'sums' })],
    ['spec.template.spec.dnsPolicy', job({}, { name: 'sums' }, { dnsPolicy: 'None' })],
    ['spec.template.spec.hostNetwork', job({}, { name: 'sums' }, { hostNetwork: true })],
    ['spec.template.spec.containers[0].lifecycle', withContainer({ lifecycle: { preStop: {} } })],
    ['spec.template.spec.containers[0].stdin', withContainer({ stdin: true })],
    [
      'spec.template.spec.dnsConfig.nameservers',
      job({}, { name: 'sums' }, { dnsConfig: { nameservers: ['10.0.0.2'] } }),
    ],
  ])('%s is known, not supported, and never ignored', (path, document) => {
    for (const fieldValidation of ['Strict', 'Warn', 'Ignore'] as const) {
      const faults = faultsOf(admitWith(fieldValidation, document));
      expect(faults).toHaveLength(1);
      expect(faults[0]).toMatch(`${path}: ${LATER}; `);
    }
  });
});

describe('what cannot be read as a Job', () => {
  const typo = { ...job({ paralelism: 3 }), spec: { ...job().spec, paralelism: 3 } };
  test('an unknown field, by fieldValidation', () => {
    const unknown = 'unknown field "spec.paralelism"';
    expect(faultsOf(admitWith('Strict', typo))).toEqual([
      `400 Job in version "v1" cannot be handled as a Job: strict decoding error: ${unknown}`,
    ]);
    expect(admitWith('Warn', typo)).toMatchObject({ kind: 'ok', warnings: [unknown] });
    const ignored = admitWith('Ignore', typo);
    expect(ignored).toMatchObject({ kind: 'ok', warnings: [] });
    expect(JSON.stringify(ignored)).not.toContain('paralelism');
  });

  test.each<[string, unknown, string]>([
    [
      'a number as text',
      job({ parallelism: '3' }),
      'Job in version "v1" cannot be handled as a Job: json: cannot unmarshal string into field spec.parallelism of type integer',
    ],
    [
      'text as a number',
      withContainer({ env: [{ name: 'A', value: 3 }] }),
      'Job in version "v1" cannot be handled as a Job: json: cannot unmarshal number into field spec.template.spec.containers[0].env[0].value of type string',
    ],
    [
      'half an index',
      job({ completions: 1.5 }),
      'Job in version "v1" cannot be handled as a Job: json: cannot unmarshal number 1.5 into field spec.completions of type integer',
    ],
    [
      'too large for 32 bits',
      job({ completions: 2 ** 31 }),
      'Job in version "v1" cannot be handled as a Job: json: cannot unmarshal number 2147483648 into field spec.completions of type integer',
    ],
    [
      'a list',
      [job()],
      'Job in version "v1" cannot be handled as a Job: json: cannot unmarshal array into the object of type object',
    ],
    [
      'nothing',
      undefined,
      'Job in version "v1" cannot be handled as a Job: json: cannot unmarshal null into the object of type object',
    ],
    [
      'another kind',
      { ...job(), kind: 'CronJob' },
      'CronJob in version "batch/v1" cannot be handled as a Job: no kind "CronJob" is accepted here, only "Job" of "batch/v1"',
    ],
    [
      'another version',
      { ...job(), apiVersion: 'batch/v1beta1' },
      'Job in version "batch/v1beta1" cannot be handled as a Job: no kind "Job" is accepted here, only "Job" of "batch/v1"',
    ],
    [
      'another namespace',
      job({}, { name: 'sums', namespace: 'other' }),
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'a resourceVersion',
      job({}, { name: 'sums', resourceVersion: '7' }),
      'resourceVersion should not be set on objects to be created',
    ],
  ])('%s', (_, document, message) => {
    expect(faultsOf(admit(document))).toEqual([`400 ${message}`]);
  });
});

test('warnings report what is accepted with a difference', () => {
  const { warnings } = accepted(
    job(
      {},
      { name: 'my.sums' },
      {
        containers: [
          {
            name: 'main',
            image: 'i',
            env: [
              { name: 'A', value: '1' },
              { name: 'A', value: '2' },
            ],
          },
          { name: 'side', image: 'i' },
        ],
        terminationGracePeriodSeconds: 300,
      },
    ),
  );
  expect(warnings).toEqual([
    expect.stringMatching(/^metadata\.name: this is used in Pod names and hostnames/),
    'spec.template.spec.containers[1]: runs beside "main"; the Pod ends when "main" ends, whatever this container does',
    'spec.template.spec.terminationGracePeriodSeconds: Fargate kills containers that have not ended after 120 seconds',
    'spec.template.spec.containers[0].env[1]: hides previous definition of "A"',
  ]);
});
