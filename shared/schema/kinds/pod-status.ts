import { annotationKeys } from '../../domain/manifests/annotations/explained.ts';
import {
  BOOL,
  CORE,
  INT32,
  INT64,
  QUANTITY_MAP,
  REQUIRED,
  STRING,
  TIME,
  ZERO_SHOWN,
  bare,
  field,
  keepingListBy,
  listBy,
  listOf,
  object,
  unserved,
} from './field.ts';
import type { KindTable } from './kind-table.ts';

/** Pods and their status. */
export const POD_KINDS = {
  Pod: {
    openapi: `${CORE}.Pod`,
    description:
      'One attempt of an index, or of a slot in a NonIndexed Job, as a Fargate task. Jobs create Pods. Clients can read, watch, and delete them.',
    apiVersion: 'v1',
    fields: {
      metadata: field(
        1,
        object('ObjectMeta'),
        `The name includes Job, index, and attempt. The annotations ${annotationKeys('Pod')} say which item and task it has, and how it ended.`,
      ),
      spec: field(2, object('PodSpec'), "What it runs: the Job's template."),
      status: field(3, object('PodStatus'), 'Its current state.'),
    },
  },
  PodStatus: {
    openapi: `${CORE}.PodStatus`,
    description: 'The state of a Pod, as ECS reports it.',
    fields: {
      observedGeneration: unserved(17, INT64),
      phase: field(1, STRING, 'Pending (waits for capacity, an image, a secret), Running, Succeeded or Failed.'),
      conditions: field(
        2,
        listBy('type', object('PodCondition')),
        'PodScheduled, ContainersReady, Ready, and DisruptionTarget for a Pod lost to infrastructure.',
      ),
      message: field(3, STRING, 'Why it is in this phase, as a sentence.'),
      reason: field(4, STRING, 'Why it is in this phase, as one word: OOMKilled, Stopped, SpotInterruption and so on.'),
      nominatedNodeName: unserved(11, STRING),
      hostIP: unserved(5, STRING),
      hostIPs: unserved(16, { is: 'list', of: object('HostIP'), apply: 'atomic', patch: { key: 'ip' } }),
      podIP: field(6, STRING, 'Address of the task, if known.'),
      podIPs: field(12, listBy('ip', object('PodIP')), 'The same as a list.'),
      startTime: field(7, TIME, 'When its task was created.'),
      initContainerStatuses: field(10, listOf(object('ContainerStatus')), 'The states of its init containers.'),
      containerStatuses: field(
        8,
        listOf(object('ContainerStatus')),
        'The state of the main container, the only one that Muster reports.',
      ),
      qosClass: unserved(9, STRING),
      ephemeralContainerStatuses: unserved(13, listOf(object('ContainerStatus'))),
      resize: unserved(14, STRING),
      resourceClaimStatuses: unserved(15, keepingListBy('name', object('PodResourceClaimStatus'))),
      extendedResourceClaimStatus: unserved(18, object('PodExtendedResourceClaimStatus')),
    },
  },
  PodCondition: {
    openapi: `${CORE}.PodCondition`,
    description: 'A condition of a Pod.',
    fields: {
      type: field(1, STRING, 'PodScheduled, ContainersReady, Ready or DisruptionTarget.', REQUIRED),
      observedGeneration: unserved(7, INT64),
      status: field(2, STRING, 'True, False or Unknown.', REQUIRED),
      lastProbeTime: field(3, TIME, 'Not set.'),
      lastTransitionTime: field(4, TIME, 'When the status last changed.'),
      reason: field(5, STRING, 'The cause as one word.'),
      message: field(6, STRING, 'The cause as a sentence.'),
    },
  },
  PodIP: {
    openapi: `${CORE}.PodIP`,
    description: 'An address.',
    fields: {
      ip: field(1, STRING, 'IPv4 or IPv6.', REQUIRED),
    },
  },
  ContainerStatus: {
    openapi: `${CORE}.ContainerStatus`,
    description: 'The state of a container.',
    fields: {
      name: field(1, STRING, 'Name of the container.', REQUIRED),
      state: field(2, object('ContainerState'), 'Its current state.'),
      lastState: field(3, object('ContainerState'), 'How it ended before its last restart.'),
      ready: field(4, BOOL, 'It is running.', REQUIRED),
      restartCount: field(5, INT32, 'How often it was restarted in a new task (restartPolicy OnFailure).', REQUIRED),
      image: field(6, STRING, 'Its image.', REQUIRED),
      imageID: field(7, STRING, 'Empty: ECS reports it only at the end.', REQUIRED),
      containerID: field(8, STRING, 'Of a container that has started: its task and its name, `ecs://TASK/NAME`.'),
      started: field(9, BOOL, 'It is running.', ZERO_SHOWN),
      allocatedResources: unserved(10, QUANTITY_MAP),
      resources: unserved(11, object('ResourceRequirements')),
      volumeMounts: unserved(12, listBy('mountPath', object('VolumeMountStatus'))),
      user: unserved(13, object('ContainerUser')),
      allocatedResourcesStatus: unserved(14, listBy('name', object('ResourceStatus'))),
      stopSignal: unserved(15, STRING, ZERO_SHOWN),
    },
  },
  ContainerState: {
    openapi: `${CORE}.ContainerState`,
    description: 'Exactly one of these fields.',
    fields: {
      waiting: field(1, object('ContainerStateWaiting'), 'Not started yet.'),
      running: field(2, object('ContainerStateRunning'), 'Started and not ended.'),
      terminated: field(3, object('ContainerStateTerminated'), 'Ended.'),
    },
  },
  ContainerStateWaiting: {
    openapi: `${CORE}.ContainerStateWaiting`,
    description: 'Why a container has not started.',
    fields: {
      reason: field(
        1,
        STRING,
        'ContainerCreating, ImagePullBackOff, CreateContainerConfigError, CrashLoopBackOff and so on.',
      ),
      message: field(2, STRING, "ECS's message."),
    },
  },
  ContainerStateRunning: {
    openapi: `${CORE}.ContainerStateRunning`,
    description: 'A running container.',
    fields: {
      startedAt: field(1, TIME, 'When it started.'),
    },
  },
  ContainerStateTerminated: {
    openapi: `${CORE}.ContainerStateTerminated`,
    description: 'How a container ended.',
    fields: {
      exitCode: field(1, INT32, 'Exit code of the program; 128 if it could not be started.', REQUIRED),
      signal: unserved(2, INT32),
      reason: field(3, STRING, 'Completed, Error or OOMKilled.'),
      message: field(4, STRING, "ECS's message."),
      startedAt: field(5, TIME, 'When it started.'),
      finishedAt: field(6, TIME, 'When it ended.'),
      containerID: field(7, STRING, 'The same of the container that has ended.'),
    },
  },
  HostIP: {
    openapi: `${CORE}.HostIP`,
    description: '',
    fields: {
      ip: bare(1, STRING, REQUIRED),
    },
  },
  VolumeMountStatus: {
    openapi: `${CORE}.VolumeMountStatus`,
    description: '',
    fields: {
      name: bare(1, STRING, REQUIRED),
      mountPath: bare(2, STRING, REQUIRED),
      readOnly: bare(3, BOOL),
      recursiveReadOnly: bare(4, STRING, ZERO_SHOWN),
    },
  },
  ContainerUser: {
    openapi: `${CORE}.ContainerUser`,
    description: '',
    fields: {
      linux: bare(1, object('LinuxContainerUser')),
    },
  },
  LinuxContainerUser: {
    openapi: `${CORE}.LinuxContainerUser`,
    description: '',
    fields: {
      uid: bare(1, INT64, REQUIRED),
      gid: bare(2, INT64, REQUIRED),
      supplementalGroups: bare(3, listOf(INT64)),
    },
  },
  ResourceStatus: {
    openapi: `${CORE}.ResourceStatus`,
    description: '',
    fields: {
      name: bare(1, STRING, REQUIRED),
      resources: bare(2, { is: 'list', of: object('ResourceHealth'), apply: ['resourceID'], patch: 'replace' }),
    },
  },
  ResourceHealth: {
    openapi: `${CORE}.ResourceHealth`,
    description: '',
    fields: {
      resourceID: bare(1, STRING, REQUIRED),
      health: bare(2, STRING),
    },
  },
  PodResourceClaimStatus: {
    openapi: `${CORE}.PodResourceClaimStatus`,
    description: '',
    fields: {
      name: bare(1, STRING, REQUIRED),
      resourceClaimName: bare(2, STRING, ZERO_SHOWN),
    },
  },
  PodExtendedResourceClaimStatus: {
    openapi: `${CORE}.PodExtendedResourceClaimStatus`,
    description: '',
    fields: {
      requestMappings: bare(1, listOf(object('ContainerExtendedResourceRequest')), REQUIRED),
      resourceClaimName: bare(2, STRING, REQUIRED),
    },
  },
  ContainerExtendedResourceRequest: {
    openapi: `${CORE}.ContainerExtendedResourceRequest`,
    description: '',
    fields: {
      containerName: bare(1, STRING, REQUIRED),
      resourceName: bare(2, STRING, REQUIRED),
      requestName: bare(3, STRING, REQUIRED),
    },
  },
} as const satisfies KindTable;
