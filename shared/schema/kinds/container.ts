import {
  BOOL,
  CORE,
  INT32,
  INT64,
  QUANTITY,
  QUANTITY_MAP,
  REQUIRED,
  STRING,
  STRINGS,
  ZERO_SHOWN,
  field,
  inlined,
  listBy,
  listOf,
  object,
  unserved,
} from './field.ts';
import type { KindTable } from './kind-table.ts';

/** Containers of a Pod. */
export const CONTAINER_KINDS = {
  Container: {
    openapi: `${CORE}.Container`,
    description: 'One program of a Pod: a container of the Fargate task.',
    fields: {
      name: field(1, STRING, 'Unique in the Pod. The log stream and kubectl logs -c use it.', REQUIRED),
      image: field(
        2,
        STRING,
        'The image. Fargate pulls it for every task; the embedded runtime ignores it and runs the command as a process.',
      ),
      command: field(
        3,
        STRINGS,
        "The program and its first arguments, instead of the image's entry point; $(VAR) is replaced.",
      ),
      args: field(4, STRINGS, "Arguments, instead of the image's; $(VAR) is replaced."),
      workingDir: field(5, STRING, "Working directory, instead of the image's."),
      ports: field(
        6,
        {
          is: 'list',
          of: object('ContainerPort'),
          apply: ['containerPort', 'protocol'],
          patch: { key: 'containerPort' },
        },
        'Ports that the program listens on. Informational: the security group decides which ports are open.',
      ),
      envFrom: field(
        19,
        listOf(object('EnvFromSource')),
        'A variable for each key of ConfigMaps and Secrets. Those of env come after them.',
      ),
      env: field(
        7,
        listBy('name', object('EnvVar')),
        'Environment variables. Muster sets JOB_COMPLETION_INDEX and those that begin with MUSTER_.',
      ),
      resources: field(
        8,
        object('ResourceRequirements'),
        'CPU, memory, and disk. The sum of all containers is rounded up to a Fargate size, at least 0.25 vCPU and 512 MiB.',
      ),
      resizePolicy: field(
        23,
        listOf(object('ContainerResizePolicy')),
        'Accepted, and has no effect: a task is never resized.',
      ),
      restartPolicy: field(
        24,
        STRING,
        'Always, only on an init container: a sidecar. It is not restarted when it ends.',
        ZERO_SHOWN,
      ),
      volumeMounts: field(9, listBy('mountPath', object('VolumeMount')), "Where the Pod's volumes are mounted."),
      volumeDevices: unserved(21, listBy('devicePath', object('VolumeDevice'))),
      livenessProbe: field(
        10,
        object('Probe'),
        'Accepted, and has no effect: a program that is stuck is not restarted.',
      ),
      readinessProbe: field(11, object('Probe'), 'Accepted, and has no effect: nothing routes to a Job.'),
      startupProbe: field(
        22,
        object('Probe'),
        'Accepted, and has no effect: a program that does not get ready is not restarted. Refused in a sidecar.',
      ),
      lifecycle: unserved(12, object('Lifecycle')),
      terminationMessagePath: field(13, STRING, 'Accepted, and has no effect: nobody reads the file.'),
      terminationMessagePolicy: field(
        20,
        STRING,
        'FallbackToLogsOnError shows the end of the log of a container that failed; File shows nothing.',
      ),
      imagePullPolicy: field(
        14,
        STRING,
        'Always and IfNotPresent are accepted and do the same: Fargate does not cache images between tasks.',
      ),
      securityContext: field(15, object('SecurityContext'), 'User, capabilities and the root file system.'),
      stdin: field(16, BOOL, 'Keeps the input open for those who attach. Refused on Fargate.'),
      stdinOnce: field(17, BOOL, 'The input ends when the first client that has attached to it leaves.'),
      tty: field(18, BOOL, 'The program has a terminal.'),
      restartPolicyRules: unserved(25, listOf(object('ContainerRestartRule'))),
    },
  },
  ContainerPort: {
    openapi: `${CORE}.ContainerPort`,
    description: 'A port that a program listens on.',
    fields: {
      name: field(1, STRING, 'A name for it, which kubectl shows.'),
      hostPort: field(2, INT32, 'Only 0 is accepted: every task has its own address.'),
      containerPort: field(3, INT32, 'The port, 1 to 65535.', REQUIRED),
      protocol: field(4, STRING, 'TCP, the default, or UDP.'),
      hostIP: unserved(5, STRING),
    },
  },
  EnvVar: {
    openapi: `${CORE}.EnvVar`,
    description: 'An environment variable.',
    fields: {
      name: field(1, STRING, 'Its name. Names that begin with MUSTER_ are reserved.', REQUIRED),
      value: field(
        2,
        STRING,
        'Its value. $(VAR) is replaced by the value of an earlier variable; $$ is a dollar sign.',
      ),
      valueFrom: field(3, object('EnvVarSource'), 'A source for the value, instead of value.'),
    },
  },
  EnvVarSource: {
    openapi: `${CORE}.EnvVarSource`,
    description: "Where a variable's value comes from: exactly one of these.",
    fields: {
      fieldRef: field(1, object('ObjectFieldSelector'), 'A field of the Pod.'),
      resourceFieldRef: field(2, object('ResourceFieldSelector'), 'A resource of the container, as a number.'),
      configMapKeyRef: field(
        3,
        object('ConfigMapKeySelector'),
        'A key of a ConfigMap; without one of that name, the Parameter Store parameter /muster/NAMESPACE/configmaps/NAME/KEY.',
      ),
      secretKeyRef: field(
        4,
        object('SecretKeySelector'),
        'A key of a Secret; without one of that name, of the Secrets Manager secret muster/NAMESPACE/NAME/secret.',
      ),
      fileKeyRef: unserved(5, object('FileKeySelector')),
    },
  },
  ObjectFieldSelector: {
    openapi: `${CORE}.ObjectFieldSelector`,
    description: 'A field of the Pod.',
    atomic: true,
    fields: {
      apiVersion: field(1, STRING, 'Only v1 is accepted. May be omitted.'),
      fieldPath: field(
        2,
        STRING,
        "metadata.name, metadata.namespace, metadata.uid, metadata.labels['KEY'], metadata.annotations['KEY'] or spec.serviceAccountName; in a volume also metadata.labels and metadata.annotations.",
        REQUIRED,
      ),
    },
  },
  ResourceFieldSelector: {
    openapi: `${CORE}.ResourceFieldSelector`,
    description: 'A resource of a container.',
    atomic: true,
    fields: {
      containerName: field(1, STRING, 'The container. Defaults to this one; required in a volume.'),
      resource: field(
        2,
        STRING,
        'limits or requests of cpu, memory or ephemeral-storage, such as limits.memory.',
        REQUIRED,
      ),
      divisor: field(3, QUANTITY, 'Unit of the number, which is rounded up. Defaults to 1.'),
    },
  },
  ConfigMapKeySelector: {
    openapi: `${CORE}.ConfigMapKeySelector`,
    description: 'A key of a ConfigMap.',
    atomic: true,
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      key: field(2, STRING, 'The key.', REQUIRED),
      optional: field(3, BOOL, 'True: without the ConfigMap or the key, there is no variable.', ZERO_SHOWN),
    },
  },
  SecretKeySelector: {
    openapi: `${CORE}.SecretKeySelector`,
    description: 'A key of a Secret.',
    atomic: true,
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      key: field(2, STRING, 'The key.', REQUIRED),
      optional: field(3, BOOL, 'True: without the Secret or the key, there is no variable.', ZERO_SHOWN),
    },
  },
  ResourceRequirements: {
    openapi: `${CORE}.ResourceRequirements`,
    description: 'The resources of a container.',
    fields: {
      limits: field(
        1,
        QUANTITY_MAP,
        'cpu, memory, and ephemeral-storage. They are the default of requests. For memory and disk, the larger of the two counts.',
      ),
      requests: field(2, QUANTITY_MAP, 'cpu, memory and ephemeral-storage, such as 500m, 2Gi and 40Gi.'),
      claims: unserved(3, { is: 'list', of: object('ResourceClaim'), apply: ['name'], patch: 'replace' }),
    },
  },
  VolumeMount: {
    openapi: `${CORE}.VolumeMount`,
    description: 'Where a container mounts a volume.',
    fields: {
      name: field(1, STRING, 'Name of the volume.', REQUIRED),
      readOnly: field(2, BOOL, 'Mounts the volume read-only.'),
      recursiveReadOnly: field(7, STRING, 'Disabled and IfPossible are accepted, and have no effect.', ZERO_SHOWN),
      mountPath: field(
        3,
        STRING,
        'The directory in the container. Embedded, the environment variable MUSTER_VOLUME_NAME has the real path.',
        REQUIRED,
      ),
      subPath: field(4, STRING, 'The file or folder of the volume that is mounted. Omitted: all of it.'),
      mountPropagation: field(5, STRING, 'Only None is accepted.', ZERO_SHOWN),
      subPathExpr: field(6, STRING, 'The same; $(VAR) is replaced.'),
    },
  },
  SecurityContext: {
    openapi: `${CORE}.SecurityContext`,
    description: 'Who a container runs as, and what it may do.',
    fields: {
      capabilities: field(1, object('Capabilities'), 'Capabilities to add and to drop.'),
      privileged: field(2, BOOL, 'Only false is accepted: Fargate has no privileged containers.', ZERO_SHOWN),
      seLinuxOptions: unserved(3, object('SELinuxOptions')),
      windowsOptions: unserved(10, object('WindowsSecurityContextOptions')),
      runAsUser: field(4, INT64, "User id. Defaults to the Pod's, then to the image's user.", ZERO_SHOWN),
      runAsGroup: field(8, INT64, 'Group id. Requires runAsUser.', ZERO_SHOWN),
      runAsNonRoot: field(5, BOOL, 'Checked on create: runAsUser must be set and not 0.', ZERO_SHOWN),
      readOnlyRootFilesystem: field(6, BOOL, 'The container can write only to its volumes.', ZERO_SHOWN),
      allowPrivilegeEscalation: field(
        7,
        BOOL,
        'True, the default, is always in effect. False is accepted with a warning, because Fargate cannot forbid it.',
        ZERO_SHOWN,
      ),
      procMount: field(9, STRING, 'Only Default is accepted.', ZERO_SHOWN),
      seccompProfile: field(
        11,
        object('SeccompProfile'),
        "Only RuntimeDefault is accepted: Fargate's own profile applies.",
      ),
      appArmorProfile: field(
        12,
        object('AppArmorProfile'),
        "Only RuntimeDefault is accepted: Fargate's own profile applies.",
      ),
    },
  },
  Capabilities: {
    openapi: `${CORE}.Capabilities`,
    description: 'Linux capabilities.',
    fields: {
      add: field(1, STRINGS, 'SYS_PTRACE, the only one that Fargate adds.'),
      drop: field(2, STRINGS, 'Names of capabilities, or ALL.'),
    },
  },
} as const satisfies KindTable;
