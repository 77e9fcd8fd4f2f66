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

/** The parts of a pod template for debugging, probes, and hooks. Probes have no effect; the others are read, then refused. */
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
    description: 'How the kubelet would ask a container. Nobody does here.',
    fields: {
      handler: inlined(1, object('ProbeHandler')),
      initialDelaySeconds: field(2, INT32, 'Seconds before the first time.'),
      timeoutSeconds: field(3, INT32, 'Seconds after which it would have failed; defaults to 1.'),
      periodSeconds: field(4, INT32, 'Seconds between two times; defaults to 10.'),
      successThreshold: field(5, INT32, 'Successes in a row that would count; defaults to 1.'),
      failureThreshold: field(6, INT32, 'Failures in a row that would count; defaults to 3.'),
      terminationGracePeriodSeconds: field(7, INT64, 'Seconds that the container would have to end.', ZERO_SHOWN),
    },
  },
  ProbeHandler: {
    openapi: `${CORE}.ProbeHandler`,
    description: 'What would be asked: exactly one of the four.',
    fields: {
      exec: field(1, object('ExecAction'), 'A command in the container.'),
      httpGet: field(2, object('HTTPGetAction'), 'A request over HTTP.'),
      tcpSocket: field(3, object('TCPSocketAction'), 'A connection.'),
      grpc: field(4, object('GRPCAction'), 'A call of the health service of gRPC.'),
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
    description: 'A command in a container.',
    fields: {
      command: field(1, STRINGS, 'The program and its arguments.'),
    },
  },
  HTTPGetAction: {
    openapi: `${CORE}.HTTPGetAction`,
    description: 'A request over HTTP.',
    fields: {
      path: field(1, STRING, 'Its path; defaults to /.'),
      port: field(2, INT_OR_STRING, 'A number, or the name of a port.', REQUIRED),
      host: field(3, STRING, 'Its host; defaults to the Pod.'),
      scheme: field(4, STRING, 'HTTP, the default, or HTTPS.'),
      httpHeaders: field(5, listOf(object('HTTPHeader')), 'Its headers.'),
    },
  },
  HTTPHeader: {
    openapi: `${CORE}.HTTPHeader`,
    description: 'A header of a request.',
    fields: {
      name: field(1, STRING, 'Its name.', REQUIRED),
      value: field(2, STRING, 'Its value.', REQUIRED),
    },
  },
  TCPSocketAction: {
    openapi: `${CORE}.TCPSocketAction`,
    description: 'A connection to a port.',
    fields: {
      port: field(1, INT_OR_STRING, 'A number, or the name of a port.', REQUIRED),
      host: field(2, STRING, 'The host; defaults to the Pod.'),
    },
  },
  GRPCAction: {
    openapi: `${CORE}.GRPCAction`,
    description: 'A call of the health service of gRPC.',
    fields: {
      port: field(1, INT32, 'The port.', REQUIRED),
      service: field(2, STRING, 'The service that is asked about.', ZERO_SHOWN),
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
    description: 'What would happen to a container that is resized.',
    fields: {
      resourceName: field(1, STRING, 'cpu or memory.', REQUIRED),
      restartPolicy: field(2, STRING, 'NotRequired or RestartContainer.', REQUIRED),
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
