import { ofGroup } from '../../../../domain/kinds/api-kind.ts';
import { ALL_KINDS } from '../../../../domain/kinds/api-kinds.ts';
import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../../../schema/object/field-error.ts';
import { admitPlain, admitPlainUpdate } from '../../../../schema/object/plain-admission.ts';
import { QUOTA_FORM } from '../../schema/quota-form.ts';

const admit = (spec: object, metadata: object = { name: 'team' }) =>
  admitPlain(
    QUOTA_FORM,
    { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec },
    { namespace: 'default', nameSuffix: 'xxxxx', fieldValidation: 'Strict' },
  );
const faults = (spec: object, metadata?: object): readonly string[] => {
  const admission = admit(spec, metadata);
  return admission.kind === 'invalid' ? admission.errors.map((each) => `${each.path}: ${fieldErrorText(each)}`) : [];
};

/** Of whatever kinds there are: each is counted under its name, and some under a word of their own. */
const SUPPORTED = `supported values: ${[
  ...ALL_KINDS.filter((kind) => kind.counted !== undefined || kind.name === 'Job').map(
    (kind) => `count/${ofGroup(kind.plural, kind)}`,
  ),
  'cpu',
  'limits.cpu',
  'limits.memory',
  'memory',
  'pods',
  'requests.cpu',
  'requests.memory',
  ...ALL_KINDS.filter(({ plural }) =>
    ['configmaps', 'persistentvolumeclaims', 'resourcequotas', 'secrets', 'services'].includes(plural),
  ).map(({ plural }) => plural),
]
  .toSorted((a, b) => (a < b ? -1 : 1))
  .map((key) => `"${key}"`)
  .join(', ')}`;

describe('a ResourceQuota', () => {
  test('is stored as it is written', () => {
    const hard = { pods: 10, 'requests.cpu': '4', cpu: '4000m', 'limits.cpu': '4', 'count/jobs.batch': '0' };
    expect(admit({ hard }, { generateName: 'team-', labels: { a: 'b' } })).toEqual({
      kind: 'ok',
      warnings: [],
      manifest: {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'team-xxxxx', namespace: 'default', generateName: 'team-', labels: { a: 'b' } },
        content: { spec: { hard: { ...hard, pods: '10' } } },
      },
    });
    expect(admit({})).toMatchObject({ kind: 'ok', manifest: { content: { spec: {} } } });
  });

  test.each<[string, object, readonly string[]]>([
    ['what is not counted', { hard: { nodes: '5' } }, [`spec.hard[nodes]: Unsupported value: "nodes": ${SUPPORTED}`]],
    [
      'other objects',
      { hard: { 'count/pods': '5' } },
      [`spec.hard[count/pods]: Unsupported value: "count/pods": ${SUPPORTED}`],
    ],
    [
      'no quantity',
      { hard: { memory: 'much' } },
      ['spec.hard[memory]: Invalid value: "much": write a quantity such as 10, 500m, or 2Gi'],
    ],
    [
      'less than nothing',
      { hard: { pods: '-1' } },
      ['spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      'a half of a Pod',
      { hard: { pods: '1500m', 'count/jobs.batch': '0.5', services: '1.5' } },
      [
        'spec.hard[pods]: Invalid value: "1500m": must be an integer',
        'spec.hard[count/jobs.batch]: Invalid value: "0.5": must be an integer',
        'spec.hard[services]: Invalid value: "1.5": must be an integer',
      ],
    ],
    [
      'limits alone',
      { hard: { 'limits.cpu': '4' } },
      [
        'spec.hard[limits.cpu]: Invalid value: "4": must be the same as spec.hard[requests.cpu]: both count the size of the task, which is all that it may use',
      ],
    ],
    [
      'other limits than requests',
      { hard: { 'limits.memory': '4Gi', memory: '2Gi' } },
      [
        'spec.hard[limits.memory]: Invalid value: "4Gi": must be the same as spec.hard[requests.memory]: both count the size of the task, which is all that it may use',
      ],
    ],
    [
      'scopes',
      { scopes: ['BestEffort'], scopeSelector: { matchExpressions: [{}] } },
      [
        'spec.scopes: Forbidden: not supported by this version of Muster; a quota counts all Jobs of its namespace',
        'spec.scopeSelector: Forbidden: not supported by this version of Muster; a quota counts all Jobs of its namespace',
      ],
    ],
  ])('cannot have %s', (_name, spec, expected) => {
    expect(faults(spec)).toEqual(expected);
  });

  test('cannot wait for anybody, and has a name', () => {
    expect(faults({}, { name: 'team', finalizers: ['a/b'] })).toHaveLength(1);
    expect(faults({}, {})).toEqual(['metadata.name: Required value: name or generateName is required']);
  });

  test('says how much a new document changes', () => {
    const first = admit({ hard: { pods: '1' } });
    if (first.kind !== 'ok') throw new Error(first.kind);
    const update = (spec: object, metadata: object = {}) =>
      admitPlainUpdate(
        QUOTA_FORM,
        { manifest: first.manifest, uid: 'u' },
        {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name: 'team', ...metadata },
          spec,
          status: { used: {} },
        },
        { fieldValidation: 'Strict' },
      );
    expect(update({ hard: { pods: '1' } })).toMatchObject({ changed: 'nothing' });
    expect(update({ hard: { pods: '1' } }, { labels: { a: 'b' } })).toMatchObject({ changed: 'metadata' });
    expect(update({ hard: { pods: '2' } })).toMatchObject({ changed: 'spec' });
    expect(update({ hard: { nodes: '2' } })).toMatchObject({ kind: 'invalid' });
    expect(update({}, { uid: 'other' })).toMatchObject({ kind: 'invalid' });
  });
});
