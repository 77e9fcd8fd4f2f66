import { describe, expect, it } from 'vitest';
import { configNameIn } from '../../schema/config-of-job.ts';
import {
  CONFIG_UID,
  admitFuriko,
  admittedFuriko,
  configDocument,
  furikoDocument,
  furikoFaults,
  jobOfConfig,
  namedConfig,
  pod,
} from '../furiko-document.ts';

const TEMPLATE = 'spec.template';
const POD = `${TEMPLATE}.taskTemplate.pod`;
const PARALLELISM = `${TEMPLATE}.parallelism`;
const faults = (document: unknown): readonly string[] => furikoFaults(admitFuriko(document));
const parallel = (parallelism: object) => furikoDocument({ parallelism });

describe('a Job by upstream’s validation table', () => {
  it.each<[string, object]>([
    ['the least one', furikoDocument()],
    ['with a start policy', furikoDocument({}, { startPolicy: { concurrencyPolicy: 'Allow' } })],
    [
      'with everything',
      furikoDocument(
        {
          parallelism: { withCount: 3, completionStrategy: 'AnySuccessful' },
          maxAttempts: 50,
          retryDelaySeconds: 60,
          taskPendingTimeoutSeconds: 1800,
          forbidTaskForceDeletion: true,
        },
        {
          type: 'Scheduled',
          startPolicy: { concurrencyPolicy: 'Enqueue', startAfter: '2021-02-09T04:06:09+08:00' },
          substitutions: { 'option.user': 'Eve' },
          killTimestamp: '2021-02-10T04:06:09.5Z',
          ttlSecondsAfterFinished: 0,
        },
      ),
    ],
    ['with a name of 60 characters', furikoDocument({}, {}, { name: 'a'.repeat(60) })],
    ['with keys', parallel({ withKeys: ['a', 'b'] })],
    ['with a matrix', parallel({ withMatrix: { 'a-1_x': ['a', 'b'], b: ['1'] } })],
  ])('%s is admitted', (_, document) => {
    expect(faults(document)).toEqual([]);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'name too long',
      furikoDocument({}, {}, { name: 'a'.repeat(61) }),
      [`metadata.name: Invalid value: "${'a'.repeat(61)}": cannot be more than 60 characters`],
    ],
    [
      'no name',
      furikoDocument({}, {}, { name: '' }),
      ['metadata.name: Required value: name or generateName is required'],
    ],
    [
      'unknown type',
      furikoDocument({}, { type: 'invalid' }),
      ['spec.type: Unsupported value: "invalid": supported values: "Adhoc", "Scheduled"'],
    ],
    [
      'no concurrency policy',
      furikoDocument({}, { startPolicy: {} }),
      ['spec.startPolicy.concurrencyPolicy: Required value'],
    ],
    [
      'unknown concurrency policy',
      furikoDocument({}, { startPolicy: { concurrencyPolicy: 'Replace' } }),
      [
        'spec.startPolicy.concurrencyPolicy: Unsupported value: "Replace": supported values: "Allow", "Forbid", "Enqueue"',
      ],
    ],
    ['no template', furikoDocument({}, { template: null }), ['spec.template: Required value']],
    [
      'negative ttl',
      furikoDocument({}, { ttlSecondsAfterFinished: -300 }),
      ['spec.ttlSecondsAfterFinished: Invalid value: -300: must be greater than or equal to 0'],
    ],
    [
      'more ttl than batch/v1 has',
      furikoDocument({}, { ttlSecondsAfterFinished: 2 ** 31 }),
      ['spec.ttlSecondsAfterFinished: Invalid value: 2147483648: must be less than or equal to 2147483647'],
    ],
    [
      'too many attempts',
      furikoDocument({ maxAttempts: 51 }),
      [`${TEMPLATE}.maxAttempts: Invalid value: 51: must be less than or equal to 50`],
    ],
    [
      'no attempts',
      furikoDocument({ maxAttempts: 0 }),
      [`${TEMPLATE}.maxAttempts: Invalid value: 0: must be greater than 0`],
    ],
    [
      'negative delay',
      furikoDocument({ retryDelaySeconds: -1 }),
      [`${TEMPLATE}.retryDelaySeconds: Invalid value: -1: must be greater than or equal to 0`],
    ],
    [
      'negative pending timeout',
      furikoDocument({ taskPendingTimeoutSeconds: -1 }),
      [`${TEMPLATE}.taskPendingTimeoutSeconds: Invalid value: -1: must be greater than or equal to 0`],
    ],
    [
      'a pending timeout of four months',
      furikoDocument({ taskPendingTimeoutSeconds: 10_000_000 }),
      [`${TEMPLATE}.taskPendingTimeoutSeconds: Invalid value: 10000000: must be less than or equal to 9999999`],
    ],
    [
      'no task template',
      furikoDocument({ taskTemplate: {} }),
      [`${TEMPLATE}.taskTemplate: Required value: must specify a template type: pod`],
    ],
    [
      'no containers',
      furikoDocument({ taskTemplate: { pod: { spec: {} } } }),
      [`${POD}.spec.containers: Required value`],
    ],
    ['an empty Pod', furikoDocument({ taskTemplate: { pod: {} } }), [`${POD}.spec.containers: Required value`]],
    [
      'restartPolicy Always',
      furikoDocument({ taskTemplate: { pod: pod({}, { restartPolicy: 'Always' }) } }),
      [`${POD}.spec.restartPolicy: Invalid value: "Always": restartPolicy cannot be Always: say Never or OnFailure`],
    ],
  ])('%s is refused', (_, document, expected) => {
    expect(faults(document)).toEqual(expected);
  });

  it('is refused with all of its faults', () => {
    expect(faults(furikoDocument({ maxAttempts: 0, parallelism: {} }, { type: 'x' }, { name: 'A' }))).toHaveLength(4);
  });
});

describe('a parallelism block', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'no kind',
      {},
      [`${PARALLELISM}: Required value: must specify a parallelism type: withCount, withKeys, or withMatrix`],
    ],
    [
      'two kinds',
      { withCount: 1, withKeys: ['a'] },
      [`${PARALLELISM}.withKeys: Forbidden: cannot specify more than 1 parallelism type`],
    ],
    [
      'three kinds',
      { withCount: 1, withKeys: ['a'], withMatrix: { a: ['b'] } },
      [
        `${PARALLELISM}.withKeys: Forbidden: cannot specify more than 1 parallelism type`,
        `${PARALLELISM}.withMatrix: Forbidden: cannot specify more than 1 parallelism type`,
      ],
    ],
    ['a count of 0', { withCount: 0 }, [`${PARALLELISM}.withCount: Invalid value: 0: must be greater than 0`]],
    ['a negative count', { withCount: -1 }, [`${PARALLELISM}.withCount: Invalid value: -1: must be greater than 0`]],
    [
      'a count above the limit',
      { withCount: 100_001 },
      [`${PARALLELISM}.withCount: Invalid value: 100001: must be less than or equal to 100000`],
    ],
    ['an empty key', { withKeys: ['a', ''] }, [`${PARALLELISM}.withKeys[1]: Required value: key cannot be empty`]],
    [
      'an odd name',
      { withMatrix: { 'A b': ['x'] } },
      [`${PARALLELISM}.withMatrix: Invalid value: "A b": withMatrix key must match regexp: ^[a-z0-9_-]+$`],
    ],
    [
      'an empty value',
      { withMatrix: { a: ['x', ''] } },
      [`${PARALLELISM}.withMatrix[a][1]: Required value: value cannot be empty`],
    ],
    [
      'an unknown strategy',
      { withCount: 1, completionStrategy: 'Any' },
      [
        `${PARALLELISM}.completionStrategy: Unsupported value: "Any": supported values: "AllSuccessful", "AnySuccessful"`,
      ],
    ],
  ])('%s is refused', (_, block, expected) => {
    expect(faults(parallel(block))).toEqual(expected);
  });

  it('has no key and no value twice, as upstream may', () => {
    expect(faults(parallel({ withKeys: ['a', 'b', 'a'] }))).toEqual([
      `${PARALLELISM}.withKeys[2]: Duplicate value: "a"`,
    ]);
    expect(faults(parallel({ withMatrix: { os: ['mac', 'mac'] } }))).toEqual([
      `${PARALLELISM}.withMatrix[os][1]: Duplicate value: "mac"`,
    ]);
  });

  it('has no empty list, from which upstream makes a random number of indexes', () => {
    expect(faults(parallel({ withMatrix: { a: ['1', '2'], b: [], c: ['3'] } }))).toEqual([
      `${PARALLELISM}.withMatrix[b]: Required value: must have at least one value`,
    ]);
    expect(faults(parallel({ withMatrix: {} }))).toEqual([
      `${PARALLELISM}.withMatrix: Required value: must have at least one name with its values`,
    ]);
    expect(faults(parallel({ withKeys: [] }))).toEqual([
      `${PARALLELISM}.withKeys: Required value: must have at least one key`,
    ]);
  });

  it('has at most 100,000 combinations, and a fault says how many it has', () => {
    const values = (count: number) => Array.from({ length: count }, (_, nth) => `v${nth}`);
    expect(faults(parallel({ withMatrix: { a: values(317), b: values(316) } }))).toEqual([
      `${PARALLELISM}.withMatrix: Invalid value: has 100172 combinations; a Job has at most 100000 indexes`,
    ]);
    expect(faults(parallel({ withMatrix: { a: values(400), b: values(250) } }))).toEqual([]);
  });
});

describe('a field that Furiko has had, or that is in the wrong place', () => {
  it.each<[object, readonly string[]]>([
    [
      { task: { template: { pod: pod() }, pendingTimeoutSeconds: 5, forbidForceDeletion: true } },
      [
        `${TEMPLATE}.task.template: Forbidden: it is called taskTemplate now, outside of task: put a Pod template into taskTemplate.pod`,
        `${TEMPLATE}.task.pendingTimeoutSeconds: Forbidden: it is called taskPendingTimeoutSeconds now, outside of task`,
        `${TEMPLATE}.task.forbidForceDeletion: Forbidden: it is called forbidTaskForceDeletion now, outside of task`,
      ],
    ],
    [{ task: {} }, [`${TEMPLATE}.task: Forbidden: say taskTemplate.pod and taskPendingTimeoutSeconds`]],
    [
      { taskTemplate: { spec: pod().spec } },
      [`${TEMPLATE}.taskTemplate.spec: Forbidden: it belongs to the Pod: put it into taskTemplate.pod`],
    ],
    [
      { taskTemplate: { pod: pod() }, maxRetryAttempts: 3 },
      [`${TEMPLATE}.maxRetryAttempts: Forbidden: it is called maxAttempts now, and counts the first attempt, too`],
    ],
    [
      { taskTemplate: { pod: pod() }, pendingTimeoutSeconds: 3 },
      [`${TEMPLATE}.pendingTimeoutSeconds: Forbidden: it is called taskPendingTimeoutSeconds now`],
    ],
    [
      { spec: { taskTemplate: { pod: pod() } } },
      [`${TEMPLATE}.spec: Forbidden: there is none here: leave it out, and put its fields where it is`],
    ],
  ])('%j is refused, and its new name told', (template, expected) => {
    expect(faults({ ...furikoDocument(), spec: { template } })).toEqual(expected);
  });

  it('is one of these names only: any other is a spelling mistake', () => {
    expect(faults(furikoDocument({ maxAtempts: 3 }))).toEqual([
      '400 Job in version "v1alpha1" cannot be handled as a Job: strict decoding error: unknown field "spec.template.maxAtempts"',
    ]);
    expect(faults(furikoDocument({ taskTemplate: { pod: pod({ imagee: 'x' }) } }))).toEqual([
      `400 Job in version "v1alpha1" cannot be handled as a Job: strict decoding error: unknown field "${POD}.spec.containers[0].imagee"`,
    ]);
    const answer = admitFuriko(furikoDocument({ maxAtempts: 3 }), { fieldValidation: 'Warn' });
    expect(answer).toMatchObject({ kind: 'ok', warnings: ['unknown field "spec.template.maxAtempts"'] });
  });

  it('says nothing in a document of another kind', () => {
    expect(faults({ apiVersion: 'execution.furiko.io/v1alpha1', kind: 'ShardedSet', metadata: { name: 'x' } })).toEqual(
      [
        '400 ShardedSet in version "execution.furiko.io/v1alpha1" cannot be handled as a Job: no kind "ShardedSet" is accepted here, only "Job" of "execution.furiko.io/v1alpha1"',
      ],
    );
  });
});

describe('a Pod template', () => {
  it('is checked as that of a batch/v1 Job, and its faults have their own paths', () => {
    const document = furikoDocument({
      taskTemplate: { pod: pod({ image: '', env: [{ name: '' }] }, { hostNetwork: true }) },
    });
    const paths = faults(document).map((line) => line.split(': ')[0]);
    expect(paths).toEqual([
      `${POD}.spec.hostNetwork`,
      `${POD}.spec.containers[0].image`,
      `${POD}.spec.containers[0].env[0].name`,
    ]);
  });

  it('is warned about with its own path', () => {
    const { warnings } = admittedFuriko(
      furikoDocument({ taskTemplate: { pod: pod({}, { terminationGracePeriodSeconds: 500 }) } }),
    );
    expect(warnings).toEqual([
      `${POD}.spec.terminationGracePeriodSeconds: Fargate kills containers that have not ended after 120 seconds`,
    ]);
  });

  it('is warned about if it wants two tasks of an index at once', () => {
    expect(admittedFuriko(furikoDocument({ forbidTaskForceDeletion: false })).warnings).toEqual([
      `${TEMPLATE}.forbidTaskForceDeletion: Muster never runs two tasks of an index at once, as if it were true`,
    ]);
    expect(admittedFuriko(furikoDocument({ forbidTaskForceDeletion: true })).warnings).toEqual([]);
  });
});

describe('annotations', () => {
  it('do not say what fields say', () => {
    const document = furikoDocument({}, {}, { annotations: { 'muster.run/kill-at': '2021-02-09T04:06:00Z' } });
    expect(faults(document)).toEqual([
      "metadata.annotations[muster.run/kill-at]: Forbidden: a Job of Furiko's says it with spec.killTimestamp",
    ]);
  });

  it('may say the rest', () => {
    const annotations = { 'muster.run/disruptions': 'count', note: 'x' };
    const { manifest, furiko } = admittedFuriko(furikoDocument({}, {}, { annotations }));
    expect(furiko.metadata).toEqual({ annotations });
    expect(manifest.metadata.annotations).toMatchObject(annotations);
  });
});

describe('a finalizer of Furiko’s', () => {
  it('is dropped: nobody would remove it', () => {
    const finalizers = ['execution.furiko.io/delete-dependents-finalizer', 'example.com/own'];
    expect(admittedFuriko(furikoDocument({}, {}, { finalizers })).manifest.metadata.finalizers).toEqual([
      'example.com/own',
    ]);
  });
});

describe('defaults by upstream’s mutation table', () => {
  it('are filled in', () => {
    const { furiko } = admittedFuriko(parallel({ withCount: 2 }));
    expect(furiko).toEqual({
      metadata: {},
      config: null,
      spec: {
        type: 'Adhoc',
        template: {
          taskTemplate: { pod: pod({}, { restartPolicy: 'Never' }) },
          parallelism: { withCount: 2, completionStrategy: 'AllSuccessful' },
          maxAttempts: 1,
        },
        ttlSecondsAfterFinished: 3600,
      },
    });
  });

  it('are not, where something is said', () => {
    const document = furikoDocument(
      { taskTemplate: { pod: pod({}, { restartPolicy: 'OnFailure' }) }, maxAttempts: 1, retryDelaySeconds: 0 },
      { type: 'Scheduled', ttlSecondsAfterFinished: 7, killTimestamp: '2021-02-09T12:06:09.7+08:00' },
    );
    expect(admittedFuriko(document).furiko.spec).toEqual({
      type: 'Scheduled',
      template: {
        taskTemplate: { pod: pod({}, { restartPolicy: 'OnFailure' }) },
        maxAttempts: 1,
        retryDelaySeconds: 0,
      },
      killTimestamp: '2021-02-09T04:06:09Z',
      ttlSecondsAfterFinished: 7,
    });
  });
});

describe('a Job of a JobConfig', () => {
  const OWNER = {
    apiVersion: 'execution.furiko.io/v1alpha1',
    kind: 'JobConfig',
    name: 'config',
    uid: CONFIG_UID,
    controller: true,
    blockOwnerDeletion: true,
  };
  const LABEL = 'execution.furiko.io/job-config-uid';
  const owned = (metadata: object = {}) =>
    furikoDocument({}, {}, { ownerReferences: [OWNER], labels: { [LABEL]: CONFIG_UID }, ...metadata });

  it('names it in configName, or as its controller', () => {
    expect(configNameIn(jobOfConfig())).toBe('config');
    expect(configNameIn(owned())).toBe('config');
    expect(configNameIn(furikoDocument())).toBeNull();
    expect(configNameIn(furikoDocument({}, {}, { ownerReferences: [{ ...OWNER, controller: false }] }))).toBeNull();
    expect(configNameIn(furikoDocument({}, {}, { ownerReferences: [{ ...OWNER, kind: 'CronJob' }] }))).toBeNull();
    for (const nonsense of [null, 1, [], { spec: { configName: 1 } }, { metadata: { ownerReferences: [null] } }])
      expect(configNameIn(nonsense)).toBeNull();
  });

  it('gets its template, labels, annotations, and policy, and a reference to it', () => {
    const config = namedConfig({
      ...configDocument({}, { maxAttempts: 4 }),
      spec: {
        template: {
          metadata: { labels: { a: 'config', b: 'config' }, annotations: { c: 'config', d: 'config' } },
          spec: { taskTemplate: { pod: pod({ image: 'of-config' }) }, maxAttempts: 4 },
        },
        concurrency: { policy: 'Enqueue', maxConcurrency: 3 },
      },
    });
    const job = jobOfConfig({}, { labels: { b: 'own' }, annotations: { d: 'own' } });
    const { furiko, manifest, warnings } = admittedFuriko(job, { config });
    expect(furiko.metadata).toEqual({
      labels: { a: 'config', b: 'own', [LABEL]: CONFIG_UID },
      annotations: { c: 'config', d: 'own' },
    });
    expect(furiko.config).toEqual({ name: 'config', uid: CONFIG_UID });
    expect(furiko.spec).toMatchObject({
      startPolicy: { concurrencyPolicy: 'Enqueue' },
      template: { maxAttempts: 4 },
      substitutions: {
        'jobconfig.name': 'config',
        'jobconfig.namespace': 'default',
        'jobconfig.uid': CONFIG_UID,
      },
    });
    expect(furiko.spec).not.toHaveProperty('configName');
    expect(manifest.metadata.ownerReferences).toEqual([OWNER]);
    expect(manifest.metadata.labels).toEqual(furiko.metadata.labels);
    expect(manifest.spec.template.spec.containers[0]?.image).toBe('of-config');
    expect(warnings).toEqual([]);
  });

  it('keeps its own start policy', () => {
    const startPolicy = { concurrencyPolicy: 'Allow', startAfter: '2021-02-09T05:00:00Z' };
    expect(admittedFuriko(jobOfConfig({ startPolicy }), { config: namedConfig() }).furiko.spec.startPolicy).toEqual(
      startPolicy,
    );
    const later = { startAfter: '2021-02-09T05:00:00Z' };
    expect(
      admittedFuriko(jobOfConfig({ startPolicy: later }), { config: namedConfig() }).furiko.spec.startPolicy,
    ).toEqual({ ...later, concurrencyPolicy: 'Forbid' });
  });

  it('cannot have a template of its own', () => {
    const job = jobOfConfig({ template: { taskTemplate: { pod: pod({ image: 'own' }) } } });
    const { manifest, warnings } = admittedFuriko(job, { config: namedConfig() });
    expect(manifest.spec.template.spec.containers[0]?.image).toBe('hello-world');
    expect(warnings).toEqual(["spec.template: the JobConfig's template is used instead"]);
  });

  it('is refused if there is none', () => {
    expect(furikoFaults(admitFuriko(jobOfConfig(), { config: 'absent' }))).toEqual([
      'spec.configName: Not found: "config"',
    ]);
    expect(furikoFaults(admitFuriko(owned(), { config: 'absent' }))).toEqual([
      'metadata.ownerReferences[0]: Not found: "config"',
    ]);
  });

  it('is its JobConfig’s in everything, or refused', () => {
    const config = namedConfig();
    expect(furikoFaults(admitFuriko(owned(), { config }))).toEqual([]);
    expect(furikoFaults(admitFuriko(owned({ labels: {} }), { config }))).toEqual([
      `metadata.labels[${LABEL}]: Required value: label must be specified if ownerReferences is specified`,
    ]);
    expect(furikoFaults(admitFuriko(owned(), { config: { ...config, uid: 'new' } }))).toEqual([
      `metadata.ownerReferences[0].uid: Invalid value: "${CONFIG_UID}": the JobConfig config has the uid new`,
    ]);
  });

  it('is not independent with options', () => {
    expect(faults(furikoDocument({}, { optionValues: '{"a": 1}' }))).toEqual([
      'spec.optionValues: Forbidden: only a Job of a JobConfig has options: write substitutions instead',
    ]);
  });
});
