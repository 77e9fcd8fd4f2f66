import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../../shared/schema/object/field-error.ts';
import { admitPodTemplate } from '../../../shared/schema/pod-admission/pod-rules.ts';
import { templateShape } from '../../../shared/schema/pod/pod-shape.ts';

const admit = (spec: object) =>
  admitPodTemplate(templateShape.parse({ spec: { containers: [{ name: 'main', image: 'i' }], ...spec } }), {
    indexed: true,
    name: 'sums',
    namespace: 'default',
  });
const withMain = (container: object, spec: object = {}) => ({
  containers: [{ name: 'main', image: 'i', ...container }],
  ...spec,
});
const env = (...variables: object[]) => withMain({ env: variables });
const LATER = 'Forbidden: not supported by this version of Muster';
const SPEC = 'spec.template.spec';
const MAIN = `${SPEC}.containers[0]`;

const KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const FIELDS =
  '"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"';

describe('what is wrong has its path', () => {
  const secret = { name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } };
  const field = (fieldPath: string) => env({ name: 'A', valueFrom: { fieldRef: { fieldPath } } });
  const resource = (resourceFieldRef: object, container: object = {}) =>
    withMain({ env: [{ name: 'A', valueFrom: { resourceFieldRef } }], ...container });
  const at = `${MAIN}.env[0].valueFrom`;

  test.each<[string, object, readonly string[]]>([
    [
      'value and source',
      env({ ...secret, value: 'x' }),
      [`${at}: Invalid value: "": may not be specified when \`value\` is not empty`],
    ],
    [
      'two sources',
      env({ name: 'A', valueFrom: { ...secret.valueFrom, fieldRef: { fieldPath: 'metadata.name' } } }),
      [`${at}: Invalid value: "": may not have more than one field specified at a time`],
    ],
    ['no field', field(''), [`${at}.fieldRef.fieldPath: Required value`]],
    [
      'a field that nobody has',
      field('status.phase'),
      [`${at}.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: ${FIELDS}`],
    ],
    [
      'all labels',
      field('metadata.labels'),
      [`${at}.fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: ${FIELDS}`],
    ],
    ['a node', field('spec.nodeName'), [`${at}.fieldRef.fieldPath: ${LATER}; leave it out: Fargate has no nodes`]],
    [
      'an address in a word',
      withMain({
        env: [
          { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'URL', value: 'http://$(IP)' },
        ],
        command: ['serve', '$(IP)'],
      }),
      [
        `${MAIN}.command[1]: ${LATER}; let a shell read it (sh -c '… "$IP"'): only ECS knows the value of IP`,
        `${MAIN}.env[1].value: ${LATER}; let a shell read it (sh -c '… "$IP"'): only ECS knows the value of IP`,
      ],
    ],
    [
      'a resource that nobody has',
      resource({ resource: 'limits.gpu' }),
      [
        `${at}.resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"`,
      ],
    ],
    [
      'a resource that is not set',
      resource({ resource: 'limits.cpu' }),
      [`${at}.resourceFieldRef.resource: ${LATER}; set resources.limits.cpu of container "main"`],
    ],
    [
      'an odd divisor',
      resource({ resource: 'limits.cpu', divisor: '3' }, { resources: { limits: { cpu: '1' } } }),
      [
        `${at}.resourceFieldRef.divisor: Invalid value: "3": only divisor's values 1m and 1 are supported with the cpu resource`,
      ],
    ],
    [
      'a container that is not there',
      resource({ resource: 'limits.cpu', containerName: 'x' }),
      [`${at}.resourceFieldRef.containerName: Invalid value: "x": no container has this name`],
    ],
    [
      'keys that lead elsewhere',
      env(
        { name: 'A', valueFrom: { secretKeyRef: { name: '../other', key: '../k' } } },
        { name: 'B', valueFrom: { configMapKeyRef: { name: '', key: '..' } } },
      ),
      [
        expect.stringContaining(`${at}.secretKeyRef.name: Invalid value: "../other"`) as string,
        `${at}.secretKeyRef.key: Invalid value: "../k": ${KEY}`,
        `${at}.secretKeyRef.key: Invalid value: "../k": must not start with '..'`,
        `${MAIN}.env[1].valueFrom.configMapKeyRef.name: Required value`,
        `${MAIN}.env[1].valueFrom.configMapKeyRef.key: Invalid value: "..": must not be '..'`,
      ],
    ],
    [
      'a secret in a word',
      withMain({ env: [secret, { name: 'A', value: '$(S)' }], command: ['echo', '$(S)', '$$(S)'] }),
      [
        `${MAIN}.command[1]: ${LATER}; let a shell read it (sh -c '… "$S"'): only ECS knows the value of S`,
        `${MAIN}.env[1].value: ${LATER}; let a shell read it (sh -c '… "$S"'): only ECS knows the value of S`,
      ],
    ],
    [
      'too much at launch',
      withMain({
        env: [
          { name: 'P', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'A', value: `$(P)${'x'.repeat(8000)}` },
        ],
      }),
      [
        expect.stringMatching(
          /containers: Invalid value: what differs between attempts needs \d+ characters, and ECS allows 8192 at launch/,
        ) as string,
      ],
    ],
    [
      'volumes and mounts',
      withMain(
        {
          volumeMounts: [
            { name: 'gone', mountPath: '/a' },
            { name: 'v', mountPath: '/b' },
            { name: 'v', mountPath: '/b' },
            { name: 'v', mountPath: 'c' },
            {},
          ],
        },
        { volumes: [{ name: 'v' }, { name: 'v' }, { name: 'w', emptyDir: { sizeLimit: 'x' } }, {}] },
      ),
      [
        `${SPEC}.volumes[1].name: Duplicate value: "v"`,
        expect.stringContaining(`${SPEC}.volumes[2].emptyDir.sizeLimit: Invalid value: "x": quantities`) as string,
        `${SPEC}.volumes[3].name: Required value`,
        `${MAIN}.volumeMounts[0].name: Not found: "gone"`,
        `${MAIN}.volumeMounts[2].mountPath: Invalid value: "/b": must be unique`,
        `${MAIN}.volumeMounts[3].mountPath: ${LATER}; use an absolute path without a colon`,
        `${MAIN}.volumeMounts[4].name: Required value`,
        `${MAIN}.volumeMounts[4].mountPath: Required value`,
      ],
    ],
    [
      'a medium that no task has',
      { volumes: [{ name: 'v', emptyDir: { medium: 'HugePages-2Mi' } }] },
      [`${SPEC}.volumes[0].emptyDir.medium: ${LATER}; use Memory, or leave it out: tasks have no other medium`],
    ],
    [
      'a volume in memory that is mounted twice',
      withMain(
        {
          volumeMounts: [
            { name: 'v', mountPath: '/a' },
            { name: 'v', mountPath: '/b' },
            { name: 'w', mountPath: '/w' },
          ],
        },
        {
          initContainers: [{ name: 'init', image: 'i', volumeMounts: [{ name: 'w', mountPath: '/w' }] }],
          volumes: ['v', 'w', 'x'].map((name) => ({ name, emptyDir: { medium: 'Memory' } })),
        },
      ),
      [0, 1].map(
        (i) =>
          `${SPEC}.volumes[${i}].emptyDir.medium: ${LATER}; mount the volume once, in one container, or leave medium out: memory is shared by no two mounts`,
      ),
    ],
    [
      'more disk than a task has',
      { volumes: [{ name: 'v', emptyDir: { sizeLimit: '201Gi' } }] },
      [`${SPEC}.containers: Invalid value: the Pod needs 201 GiB of ephemeral storage; a Fargate task has at most 200`],
    ],
    [
      'nodes',
      { nodeSelector: { zone: 'a', 'kubernetes.io/os': 'windows', 'muster.run/capacity': 'SPOT' } },
      [
        `${SPEC}.nodeSelector[zone]: ${LATER}; leave it out: Fargate has no nodes to choose from; kubernetes.io/arch, muster.run/capacity, kubernetes.io/os may be chosen`,
        `${SPEC}.nodeSelector[kubernetes.io/os]: ${LATER}; use linux`,
        `${SPEC}.nodeSelector[muster.run/capacity]: ${LATER}; use on-demand or spot`,
      ],
    ],
    [
      'pull secrets without names',
      { imagePullSecrets: [{ name: 'a' }, { name: '' }] },
      [`${SPEC}.imagePullSecrets[1].name: Required value`],
    ],
    [
      'users',
      withMain({ securityContext: { runAsGroup: 5, runAsNonRoot: true } }),
      [
        `${MAIN}.securityContext.runAsNonRoot: ${LATER}; set runAsUser to the number of the image's user, too`,
        `${MAIN}.securityContext.runAsGroup: ${LATER}; set runAsUser, too: ECS accepts a group only with a user`,
      ],
    ],
    [
      'root, which must not be',
      withMain({ securityContext: { runAsUser: 0 } }, { securityContext: { runAsNonRoot: true, runAsUser: 5 } }),
      [
        `${MAIN}.securityContext.runAsUser: Invalid value: 0: container's runAsUser breaks non-root policy (runAsNonRoot is true)`,
      ],
    ],
    [
      'numbers of users',
      withMain({ securityContext: { runAsUser: -1 } }),
      [`${MAIN}.securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive`],
    ],
    [
      'capabilities',
      withMain({ securityContext: { capabilities: { add: ['SYS_PTRACE', 'NET_ADMIN'], drop: ['ALL', 'BPF'] } } }),
      [
        `${MAIN}.securityContext.capabilities.add[1]: ${LATER}; leave it out: Fargate adds SYS_PTRACE only`,
        `${MAIN}.securityContext.capabilities.drop[1]: ${LATER}; leave it out: ECS does not know this capability`,
      ],
    ],
    [
      'ports',
      withMain({ ports: [{}, { containerPort: 70_000 }, { containerPort: 1, protocol: 'SCTP' }] }),
      [
        `${MAIN}.ports[0].containerPort: Required value`,
        `${MAIN}.ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`,
        `${MAIN}.ports[2].protocol: ${LATER}; use TCP or UDP`,
      ],
    ],
    [
      'restart policies of containers',
      withMain({ restartPolicy: 'Always' }, { initContainers: [{ name: 'a', image: 'i', restartPolicy: 'Never' }] }),
      [
        `${SPEC}.initContainers[0].restartPolicy: Unsupported value: "Never": supported values: "Always"`,
        `${MAIN}.restartPolicy: Forbidden: may not be set for non-init containers`,
      ],
    ],
  ])('%s', (_, spec, expected) => {
    expect(admit(spec).errors.map((fault) => `${fault.path}: ${fieldErrorText(fault)}`)).toEqual(expected);
  });
});

test('what is admitted is stored as it was written, with the defaults of a template', () => {
  const spec = {
    initContainers: [{ name: 'log', image: 'i', restartPolicy: 'Always' }],
    containers: [
      {
        name: 'main',
        image: 'i',
        env: [
          { name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
          { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        ],
        ports: [{ name: 'http', containerPort: 80, protocol: 'TCP' as const }],
        volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }],
        securityContext: { runAsUser: 5, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      },
    ],
    volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }],
    restartPolicy: 'OnFailure',
    terminationGracePeriodSeconds: 30,
    nodeSelector: { 'muster.run/capacity': 'spot' },
    serviceAccountName: 'reports',
    imagePullSecrets: [{ name: 'registry' }],
    securityContext: { runAsNonRoot: true },
  };
  const { template, errors: faults } = admit({
    ...spec,
    tolerations: [],
    hostNetwork: false,
    hostname: '',
    priority: null,
  });
  expect(faults.map(({ path }) => path)).toEqual([`${SPEC}.initContainers[0].securityContext.runAsNonRoot`]);
  const container = {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'Always',
  };
  expect(template.spec).toEqual({
    ...spec,
    initContainers: spec.initContainers.map((each) => ({ ...each, ...container })),
    containers: spec.containers.map((each) => ({ ...each, ...container })),
    serviceAccount: 'reports',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    tolerations: [],
    hostNetwork: false,
  });
});

test("a variable with the task's address is taken with a warning", () => {
  const fields = ['status.podIP', 'status.podIPs', 'status.hostIP', 'status.hostIPs'];
  const { warnings, errors } = admit(
    env(...fields.map((fieldPath, i) => ({ name: `A${i}`, valueFrom: { fieldRef: { fieldPath } } }))),
  );
  expect(errors).toEqual([]);
  expect(warnings).toEqual(
    fields.map(
      (fieldPath, i) =>
        `${MAIN}.env[${i}].valueFrom.fieldRef.fieldPath: ${fieldPath} is empty on Fargate, which gives an address after launch: let the program ask the task metadata endpoint ($ECS_CONTAINER_METADATA_URI_V4); with muster local it is the task's address`,
    ),
  );
});

test('a volume in memory takes no disk, and causes no warning about its owner', () => {
  const {
    template,
    warnings,
    errors: faults,
  } = admit(
    withMain(
      { securityContext: { runAsUser: 5 }, volumeMounts: [{ name: 'v', mountPath: '/v' }] },
      {
        volumes: [
          { name: 'v', emptyDir: { medium: 'Memory', sizeLimit: '300Gi' } },
          { name: 'w', emptyDir: { medium: '' } },
        ],
      },
    ),
  );
  expect(faults).toEqual([]);
  expect(warnings).toEqual([
    `${SPEC}.volumes[0].emptyDir.sizeLimit: the volume has 512 MiB, as its container has of memory; set limits.memory`,
  ]);
  expect(template.spec.volumes).toEqual([
    { name: 'v', emptyDir: { medium: 'Memory', sizeLimit: '300Gi' } },
    { name: 'w', emptyDir: {} },
  ]);
});

test('what Fargate cannot forbid or enforce is taken with a warning', () => {
  const { warnings, errors: faults } = admit(
    withMain(
      { securityContext: { allowPrivilegeEscalation: false }, volumeMounts: [{ name: 'v', mountPath: '/v' }] },
      { securityContext: { runAsUser: 5 }, volumes: [{ name: 'v' }] },
    ),
  );
  expect(faults).toEqual([]);
  expect(warnings).toEqual([
    `${MAIN}.securityContext.allowPrivilegeEscalation: Fargate cannot forbid it; leave set-user-ID programs out of the image`,
    `${MAIN}.volumeMounts: a volume on Fargate belongs to root; user 5 may write to it if the Pod has an fsGroup, or the image has the folder, owned by that user, as a VOLUME`,
  ]);
});
