import {
  BOOL,
  CORE,
  INT32,
  MICRO_TIME,
  REQUIRED,
  STRING,
  STRINGS,
  TIME,
  ZERO_SHOWN,
  field,
  listBy,
  listOf,
  object,
  unserved,
} from './field.ts';
import type { KindTable } from './kind-table.ts';

const EVENTS = 'io.k8s.api.events.v1';

/** Namespaces and Events, and what every namespace has. */
export const NAMESPACE_AND_EVENT_KINDS = {
  Namespace: {
    openapi: `${CORE}.Namespace`,
    description: 'A scope for names of Jobs, CronJobs, Pods, and Events. Deleting it deletes everything in it.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name, labels and annotations.'),
      spec: field(2, object('NamespaceSpec'), 'Its finalizers.'),
      status: field(3, object('NamespaceStatus'), 'Its phase and conditions.'),
    },
  },
  NamespaceSpec: {
    openapi: `${CORE}.NamespaceSpec`,
    description: 'Which controllers must clean up before a namespace is gone.',
    fields: {
      finalizers: field(
        1,
        STRINGS,
        'Names of controllers that have not cleaned up yet. Clients may change it only through the finalize subresource.',
      ),
    },
  },
  NamespaceStatus: {
    openapi: `${CORE}.NamespaceStatus`,
    description: 'Whether a namespace is being deleted.',
    fields: {
      phase: field(1, STRING, 'Active, or Terminating while its contents are being deleted.'),
      conditions: field(2, listBy('type', object('NamespaceCondition')), 'What still holds a Terminating namespace.'),
    },
  },
  NamespaceCondition: {
    openapi: `${CORE}.NamespaceCondition`,
    description: 'A condition of a namespace.',
    fields: {
      type: field(1, STRING, 'Type of the condition.', REQUIRED),
      status: field(2, STRING, 'True, False or Unknown.', REQUIRED),
      lastTransitionTime: field(4, TIME, 'When the status last changed.'),
      reason: field(5, STRING, 'The cause as one word.'),
      message: field(6, STRING, 'The cause as a sentence.'),
    },
  },
  Event: {
    openapi: `${CORE}.Event`,
    description: 'Something that happened to a Job or a Pod. Events are kept for a limited time, without guarantees.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace.', REQUIRED),
      involvedObject: field(2, object('ObjectReference'), 'What it happened to.', REQUIRED),
      reason: field(3, STRING, 'What happened, as one word, such as SuccessfulCreate or BackoffLimitExceeded.'),
      message: field(4, STRING, 'What happened, as a sentence.'),
      source: field(5, object('EventSource'), 'The component that reports it.'),
      firstTimestamp: field(6, TIME, 'When it first happened.'),
      lastTimestamp: field(7, TIME, 'When it last happened.'),
      count: field(8, INT32, 'How often it happened.'),
      type: field(9, STRING, 'Normal or Warning.'),
      eventTime: field(10, MICRO_TIME, 'When it was first seen, with microseconds.'),
      series: field(11, object('EventSeries'), 'Its repetitions, if it happened again.'),
      action: field(12, STRING, 'What was done about it.'),
      related: field(13, object('ObjectReference'), 'A related object.'),
      reportingComponent: field(14, STRING, 'The component that reports it.', ZERO_SHOWN),
      reportingInstance: field(15, STRING, 'The instance of the component.', ZERO_SHOWN),
    },
  },
  NewerEvent: {
    openapi: `${EVENTS}.Event`,
    kind: 'Event',
    description: 'An Event in its newer shape, which says the same.',
    apiVersion: 'events.k8s.io/v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace.'),
      eventTime: field(2, MICRO_TIME, 'When it was first seen, with microseconds.', REQUIRED),
      series: field(3, object('NewerEventSeries'), 'Its repetitions, if it happened again.'),
      reportingController: field(4, STRING, 'The component that reports it.'),
      reportingInstance: field(5, STRING, 'The instance of the component.'),
      action: field(6, STRING, 'What was done about it.'),
      reason: field(7, STRING, 'What happened, as one word, such as SuccessfulCreate or BackoffLimitExceeded.'),
      regarding: field(8, object('ObjectReference'), 'What it happened to.'),
      related: field(9, object('ObjectReference'), 'A related object.'),
      note: field(10, STRING, 'What happened, as a sentence.'),
      type: field(11, STRING, 'Normal or Warning.'),
      deprecatedSource: field(12, object('EventSource'), 'The component that reports it, as core/v1 says it.'),
      deprecatedFirstTimestamp: field(13, TIME, 'When it first happened.'),
      deprecatedLastTimestamp: field(14, TIME, 'When it last happened.'),
      deprecatedCount: field(15, INT32, 'How often it happened.'),
    },
  },
  NewerEventSeries: {
    openapi: `${EVENTS}.EventSeries`,
    description: 'An Event that happened again.',
    fields: {
      count: field(1, INT32, 'How often.', REQUIRED),
      lastObservedTime: field(2, MICRO_TIME, 'When it last happened.', REQUIRED),
    },
  },
  EventSource: {
    openapi: `${CORE}.EventSource`,
    description: 'The component that reports an Event.',
    fields: {
      component: field(1, STRING, 'Its name, such as job-controller.'),
      host: field(2, STRING, 'Its node; never set.'),
    },
  },
  EventSeries: {
    openapi: `${CORE}.EventSeries`,
    description: 'An Event that happened again.',
    fields: {
      count: field(1, INT32, 'How often.'),
      lastObservedTime: field(2, MICRO_TIME, 'When it last happened.'),
    },
  },
  ObjectReference: {
    openapi: `${CORE}.ObjectReference`,
    description: 'A reference to an object.',
    atomic: true,
    fields: {
      kind: field(1, STRING, 'Its kind, such as Job.'),
      namespace: field(2, STRING, 'Its namespace.'),
      name: field(3, STRING, 'Its name.'),
      uid: field(4, STRING, 'Its uid.'),
      apiVersion: field(5, STRING, 'Its apiVersion, such as batch/v1.'),
      resourceVersion: field(6, STRING, 'Its version at that time.'),
      fieldPath: field(7, STRING, 'The part of the object.'),
    },
  },
  ServiceAccount: {
    openapi: `${CORE}.ServiceAccount`,
    description:
      'An identity of programs, to which bindings grant roles. Every namespace has one, named default. What a task may do in AWS is said by its task role, which the annotation eks.amazonaws.com/role-arn may name.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace, labels and annotations.'),
      secrets: unserved(2, listBy('name', object('ObjectReference'))),
      imagePullSecrets: unserved(3, listOf(object('LocalObjectReference'))),
      automountServiceAccountToken: field(
        4,
        BOOL,
        'Whether containers of Pods of this machine get a token, unless the Pod says.',
        ZERO_SHOWN,
      ),
    },
  },
} as const satisfies KindTable;
