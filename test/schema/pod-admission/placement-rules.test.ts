import { describe, expect, test } from 'vitest';
import { capacityOf, taskDefinitionOf } from '../../../shared/domain/task/pod-template.ts';
import { admitDocument, admitted, faultLines, jobDocument } from '../../support/job-document.ts';

const SPEC = 'spec.template.spec';
const LATER = 'Forbidden: not supported by this version of Muster';
const LABELS =
  'tasks have the labels kubernetes.io/arch (amd64, arm64), muster.run/capacity (on-demand, spot), kubernetes.io/os (linux), and no others';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const pod = (fields: object) => jobDocument({}, {}, fields);
const faults = (fields: object) => faultLines(admitDocument(pod(fields)));
const warnings = (fields: object) => admitted(pod(fields)).warnings;
const nodes = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms } } },
});
const term = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, ...(values.length === 0 ? {} : { values }) }],
});
const apart = (topologyKey: string) => ({ affinity: { podAntiAffinity: { [REQUIRED]: [{ topologyKey }] } } });
const spread = (fields: object) => ({
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule', ...fields },
  ],
});

describe('what changes nothing is accepted, kept, and warned of', () => {
  test.each<[string, object, readonly string[]]>([
    [
      'tolerations',
      { tolerations: [{ operator: 'Exists' }, { key: 'a', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 }] },
      [`${SPEC}.tolerations: has no effect: Fargate has no nodes, hence no taints`],
    ],
    [
      'preferred nodes',
      { affinity: { nodeAffinity: { [PREFERRED]: [{ weight: 1, preference: term('disk', 'In', 'ssd') }] } } },
      [`${SPEC}.affinity.nodeAffinity.${PREFERRED}: has no effect: Fargate has no nodes to choose from`],
    ],
    [
      'preferred Pods',
      { affinity: { podAffinity: { [PREFERRED]: [{ weight: 100, podAffinityTerm: { topologyKey: 'zone' } }] } } },
      [`${SPEC}.affinity.podAffinity.${PREFERRED}: has no effect: Fargate has no nodes to choose from`],
    ],
    ['Pods to be apart from, by host', apart('kubernetes.io/hostname'), []],
    ['a spread over hosts', spread({ minDomains: 3, labelSelector: { matchLabels: { a: 'b' } } }), []],
    [
      'a spread over zones, if possible',
      spread({ topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' }),
      [`${SPEC}.topologySpreadConstraints: has no effect: Fargate spreads tasks over the subnets of the stack`],
    ],
    [
      'a spread over zones',
      spread({ topologyKey: 'topology.kubernetes.io/zone' }),
      [`${SPEC}.topologySpreadConstraints: has no effect: Fargate spreads tasks over the subnets of the stack`],
    ],
    [
      'Pods to be apart from, by zone',
      apart('topology.kubernetes.io/zone'),
      [
        `${SPEC}.affinity.podAntiAffinity.${REQUIRED}: has no effect: Fargate spreads tasks over the subnets of the stack`,
      ],
    ],
    [
      'Pods to be close to, by zone',
      { affinity: { podAffinity: { [REQUIRED]: [{ topologyKey: 'topology.kubernetes.io/zone' }] } } },
      [`${SPEC}.affinity.podAffinity.${REQUIRED}: has no effect: Fargate spreads tasks over the subnets of the stack`],
    ],
    [
      'a priority class',
      { priorityClassName: 'high' },
      [`${SPEC}.priorityClassName: has no effect: Fargate has no priorities`],
    ],
    ['required nodes that every task is on', nodes(term('lifecycle', 'NotIn', 'SPOT')), []],
    [
      'an image that is never pulled',
      { containers: [{ name: 'main', image: 'busybox', imagePullPolicy: 'Never' }] },
      [
        `${SPEC}.containers[0].imagePullPolicy: Fargate pulls the image for every task all the same; muster local --driver docker does as it says`,
      ],
    ],
  ])('%s', (_, fields, expected) => {
    expect(warnings(fields)).toEqual(expected);
    expect(admitted(pod(fields)).manifest.spec.template.spec).toMatchObject(fields);
  });

  test('the task is the same as without it', () => {
    const definition = (fields: object) =>
      taskDefinitionOf(admitted(pod(fields)).manifest, { hash: (text) => text.length.toString() });
    const fields = {
      tolerations: [{ operator: 'Exists' }],
      priorityClassName: 'high',
      ...apart('kubernetes.io/hostname'),
    };
    expect(definition(fields)).toEqual(definition({}));
  });
});

test('required node affinity decides between architectures, and between Spot and on demand', () => {
  const { manifest } = admitted(
    pod(nodes({ matchExpressions: [...term('kubernetes.io/arch', 'NotIn', 'amd64').matchExpressions] })),
  );
  expect(taskDefinitionOf(manifest, { hash: () => 'x' }).architecture).toBe('ARM64');
  expect(capacityOf(manifest)).toBe('onDemand');
  const spot = admitted(pod(nodes(term('muster.run/capacity', 'In', 'spot')))).manifest;
  expect(taskDefinitionOf(spot, { hash: () => 'x' }).architecture).toBe('X86_64');
  expect(capacityOf(spot)).toBe('spot');
});

describe('what cannot hold is refused with its path', () => {
  const NODES = `${SPEC}.affinity.nodeAffinity.${REQUIRED}`;
  test.each<[string, object, string]>([
    [
      'nodes of a zone',
      nodes(term('topology.kubernetes.io/zone', 'In', 'a')),
      `${NODES}: ${LATER}; no task meets it: ${LABELS}`,
    ],
    [
      'nodes against the selector',
      { ...nodes(term('kubernetes.io/arch', 'In', 'arm64')), nodeSelector: { 'kubernetes.io/arch': 'amd64' } },
      `${NODES}: ${LATER}; no task meets it beside nodeSelector: ${LABELS}`,
    ],
    [
      'Pods to be close to',
      { affinity: { podAffinity: { [REQUIRED]: [{ topologyKey: 'kubernetes.io/hostname' }] } } },
      `${SPEC}.affinity.podAffinity.${REQUIRED}[0]: ${LATER}; leave it out: no two tasks share a machine`,
    ],
  ])('%s', (_, fields, expected) => {
    expect(faults(fields)).toEqual([expected]);
  });
});

describe("what no cluster takes is refused in Kubernetes' words", () => {
  const tolerating = (toleration: object) => ({ tolerations: [toleration] });
  const TOLERATION = `${SPEC}.tolerations[0]`;
  const SPREAD = `${SPEC}.topologySpreadConstraints[0]`;
  const TERM = `${SPEC}.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  test.each<[string, object, readonly string[]]>([
    [
      'a toleration of nothing',
      tolerating({}),
      [
        `${TOLERATION}.operator: Invalid value: "": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
      ],
    ],
    [
      'an operator and an effect that do not exist',
      tolerating({ key: 'a', operator: 'In', effect: 'Never' }),
      [
        `${TOLERATION}.operator: Unsupported value: "In": supported values: "Equal", "Exists"`,
        `${TOLERATION}.effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`,
      ],
    ],
    [
      'a value beside Exists',
      tolerating({ key: 'a', operator: 'Exists', value: 'b' }),
      [
        `${TOLERATION}.operator: Invalid value: {"key":"a","operator":"Exists","value":"b"}: value must be empty when \`operator\` is 'Exists'`,
      ],
    ],
    [
      'seconds without NoExecute',
      tolerating({ key: 'a', tolerationSeconds: 5 }),
      [`${TOLERATION}.effect: Invalid value: "": effect must be 'NoExecute' when \`tolerationSeconds\` is set`],
    ],
    ['no terms', nodes(), [`${TERM}: Required value: must have at least one node selector term`]],
    [
      'operators without their values',
      nodes(term('a', 'In'), term('a', 'Exists', 'b'), term('a', 'Gt'), term('a', 'Is')),
      [
        `${TERM}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
        `${TERM}[1].matchExpressions[0].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
        `${TERM}[2].matchExpressions[0].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
        `${TERM}[3].matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator`,
      ],
    ],
    [
      'a weight',
      { affinity: { nodeAffinity: { [PREFERRED]: [{ weight: 101, preference: term('a', 'Exists') }] } } },
      [`${SPEC}.affinity.nodeAffinity.${PREFERRED}[0].weight: Invalid value: 101: must be in the range 1-100`],
    ],
    [
      'a term of Pods without a place',
      { affinity: { podAntiAffinity: { [REQUIRED]: [{}] } } },
      [`${SPEC}.affinity.podAntiAffinity.${REQUIRED}[0].topologyKey: Required value: can not be empty`],
    ],
    [
      'a spread',
      spread({ maxSkew: 0, whenUnsatisfiable: 'Maybe', minDomains: 0, nodeTaintsPolicy: 'Obey' }),
      [
        `${SPREAD}.maxSkew: Invalid value: 0: must be greater than zero`,
        `${SPREAD}.whenUnsatisfiable: Unsupported value: "Maybe": supported values: "DoNotSchedule", "ScheduleAnyway"`,
        `${SPREAD}.minDomains: Invalid value: 0: must be greater than zero`,
        `${SPREAD}.nodeTaintsPolicy: Unsupported value: "Obey": supported values: "Honor", "Ignore"`,
      ],
    ],
    [
      'a spread twice',
      { topologySpreadConstraints: [...spread({}).topologySpreadConstraints, ...spread({}).topologySpreadConstraints] },
      [
        `${SPEC}.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{kubernetes.io/hostname, DoNotSchedule}"`,
      ],
    ],
    [
      'a policy',
      { containers: [{ name: 'main', image: 'x', imagePullPolicy: 'Sometimes' }] },
      [
        `${SPEC}.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`,
      ],
    ],
    [
      'a group',
      { securityContext: { fsGroup: -1 } },
      [`${SPEC}.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive`],
    ],
  ])('%s', (_, fields, expected) => {
    expect(faults(fields)).toEqual(expected);
  });
});
