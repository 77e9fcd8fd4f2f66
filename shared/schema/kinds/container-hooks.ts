import { CONTAINER_KINDS } from './container.ts';
import {
  BOOL,
  CORE,
  INT32,
  INT64,
  INT_OR_STRING,
  REQUIRED,
  STRING,
  STRINGS,
  ZERO_SHOWN,
  bare,
  field,
  inlined,
  listOf,
  object,
} from './field.ts';
import type { KindTable } from './kind-table.ts';

/** The parts of a pod template for debugging, probes, and hooks. Read from protobuf, then refused. */
export const CONTAINER_HOOK_KINDS = {
  EphemeralContainer: {
    openapi: `${CORE}.EphemeralContainer`,
    description: '',
    fields: {
      ephemeralContainerCommon: inlined(1, object('EphemeralContainerCommon')),
      targetContainerName: bare(2, STRING),
    },
  },
  EphemeralContainerCommon: {
    openapi: `${CORE}.EphemeralContainerCommon`,
    description: '',
    fields: CONTAINER_KINDS.Container.fields,
  },
  Probe: {
    openapi: `${CORE}.Probe`,
    description: '',
    fields: {
      handler: inlined(1, object('ProbeHandler')),
      initialDelaySeconds: bare(2, INT32),
      timeoutSeconds: bare(3, INT32),
      periodSeconds: bare(4, INT32),
      successThreshold: bare(5, INT32),
      failureThreshold: bare(6, INT32),
      terminationGracePeriodSeconds: bare(7, INT64, ZERO_SHOWN),
    },
  },
  ProbeHandler: {
    openapi: `${CORE}.ProbeHandler`,
    description: '',
    fields: {
      exec: bare(1, object('ExecAction')),
      httpGet: bare(2, object('HTTPGetAction')),
      tcpSocket: bare(3, object('TCPSocketAction')),
      grpc: bare(4, object('GRPCAction')),
    },
  },
  Lifecycle: {
    openapi: `${CORE}.Lifecycle`,
    description: '',
    fields: {
      postStart: bare(1, object('LifecycleHandler')),
      preStop: bare(2, object('LifecycleHandler')),
      stopSignal: bare(3, STRING, ZERO_SHOWN),
    },
  },
  LifecycleHandler: {
    openapi: `${CORE}.LifecycleHandler`,
    description: '',
    fields: {
      exec: bare(1, object('ExecAction')),
      httpGet: bare(2, object('HTTPGetAction')),
      tcpSocket: bare(3, object('TCPSocketAction')),
      sleep: bare(4, object('SleepAction')),
    },
  },
  ExecAction: {
    openapi: `${CORE}.ExecAction`,
    description: '',
    fields: {
      command: bare(1, STRINGS),
    },
  },
  HTTPGetAction: {
    openapi: `${CORE}.HTTPGetAction`,
    description: '',
    fields: {
      path: bare(1, STRING),
      port: bare(2, INT_OR_STRING, REQUIRED),
      host: bare(3, STRING),
      scheme: bare(4, STRING),
      httpHeaders: bare(5, listOf(object('HTTPHeader'))),
    },
  },
  HTTPHeader: {
    openapi: `${CORE}.HTTPHeader`,
    description: '',
    fields: {
      name: bare(1, STRING, REQUIRED),
      value: bare(2, STRING, REQUIRED),
    },
  },
  TCPSocketAction: {
    openapi: `${CORE}.TCPSocketAction`,
    description: '',
    fields: {
      port: bare(1, INT_OR_STRING, REQUIRED),
      host: bare(2, STRING),
    },
  },
  GRPCAction: {
    openapi: `${CORE}.GRPCAction`,
    description: '',
    fields: {
      port: bare(1, INT32, REQUIRED),
      service: bare(2, STRING, ZERO_SHOWN),
    },
  },
  SleepAction: {
    openapi: `${CORE}.SleepAction`,
    description: '',
    fields: {
      seconds: bare(1, INT64, REQUIRED),
    },
  },
  EnvFromSource: {
    openapi: `${CORE}.EnvFromSource`,
    description: 'An object whose keys become variables: exactly one of the two.',
    fields: {
      prefix: field(1, STRING, 'What the name of each variable begins with.'),
      configMapRef: field(2, object('ConfigMapEnvSource'), 'A ConfigMap.'),
      secretRef: field(3, object('SecretEnvSource'), 'A Secret.'),
    },
  },
  ConfigMapEnvSource: {
    openapi: `${CORE}.ConfigMapEnvSource`,
    description: 'A ConfigMap whose keys become variables.',
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      optional: field(2, BOOL, 'True: the ConfigMap may be missing.', ZERO_SHOWN),
    },
  },
  SecretEnvSource: {
    openapi: `${CORE}.SecretEnvSource`,
    description: 'A Secret whose keys become variables.',
    fields: {
      localObjectReference: inlined(1, object('LocalObjectReference')),
      optional: field(2, BOOL, 'True: the Secret may be missing.', ZERO_SHOWN),
    },
  },
  FileKeySelector: {
    openapi: `${CORE}.FileKeySelector`,
    description: '',
    atomic: true,
    fields: {
      volumeName: bare(1, STRING, REQUIRED),
      path: bare(2, STRING, REQUIRED),
      key: bare(3, STRING, REQUIRED),
      optional: bare(4, BOOL, ZERO_SHOWN),
    },
  },
  ResourceClaim: {
    openapi: `${CORE}.ResourceClaim`,
    description: '',
    fields: {
      name: bare(1, STRING, REQUIRED),
      request: bare(2, STRING),
    },
  },
  VolumeDevice: {
    openapi: `${CORE}.VolumeDevice`,
    description: '',
    fields: {
      name: bare(1, STRING, REQUIRED),
      devicePath: bare(2, STRING, REQUIRED),
    },
  },
  ContainerResizePolicy: {
    openapi: `${CORE}.ContainerResizePolicy`,
    description: '',
    fields: {
      resourceName: bare(1, STRING, REQUIRED),
      restartPolicy: bare(2, STRING, REQUIRED),
    },
  },
  ContainerRestartRule: {
    openapi: `${CORE}.ContainerRestartRule`,
    description: '',
    fields: {
      action: bare(1, STRING),
      exitCodes: bare(2, object('ContainerRestartRuleOnExitCodes')),
    },
  },
  ContainerRestartRuleOnExitCodes: {
    openapi: `${CORE}.ContainerRestartRuleOnExitCodes`,
    description: '',
    fields: {
      operator: bare(1, STRING),
      values: bare(2, { is: 'list', of: INT32, apply: 'set', patch: 'replace' }),
    },
  },
} as const satisfies KindTable;
