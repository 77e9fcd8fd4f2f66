import {
  CORE,
  INT32,
  MICRO_TIME,
  REQUIRED,
  STRING,
  STRINGS,
  STRING_MAP,
  TIME,
  ZERO_SHOWN,
  field,
  listBy,
  object,
} from './field.ts';
import type { KindTable } from './kind-table.ts';

/** Namespaces, Events, and Services; Muster has no Services. */
export const NAMESPACE_AND_EVENT_KINDS = {
  Namespace: {
    openapi: `${CORE}.Namespace`,
    description: 'A room for names: Jobs, CronJobs, Pods and Events live in one. Deleting it deletes everything in it.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name, labels and annotations.'),
      spec: field(2, object('NamespaceSpec'), 'What keeps it.'),
      status: field(3, object('NamespaceStatus'), 'How it stands.'),
    },
  },
  NamespaceSpec: {
    openapi: `${CORE}.NamespaceSpec`,
    description: 'Who must clean up before a namespace is gone.',
    fields: {
      finalizers: field(1, STRINGS, 'Names of those that have not cleaned up yet. Written at the path finalize only.'),
    },
  },
  NamespaceStatus: {
    openapi: `${CORE}.NamespaceStatus`,
    description: 'Whether a namespace is being deleted.',
    fields: {
      phase: field(1, STRING, 'Active, or Terminating while what is in it is being deleted.'),
      conditions: field(2, listBy('type', object('NamespaceCondition')), 'What keeps a Terminating namespace.'),
    },
  },
  NamespaceCondition: {
    openapi: `${CORE}.NamespaceCondition`,
    description: 'One thing that is so with a namespace.',
    fields: {
      type: field(1, STRING, 'What is so.', REQUIRED),
      status: field(2, STRING, 'True, False or Unknown.', REQUIRED),
      lastTransitionTime: field(4, TIME, 'Since when it is so.'),
      reason: field(5, STRING, 'The cause as one word.'),
      message: field(6, STRING, 'The cause as a sentence.'),
    },
  },
  Event: {
    openapi: `${CORE}.Event`,
    description: 'Something that happened to a Job or a Pod. Events are kept for a while and promise nothing.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace.', REQUIRED),
      involvedObject: field(2, object('ObjectReference'), 'What it happened to.', REQUIRED),
      reason: field(3, STRING, 'What happened, as one word, such as SuccessfulCreate or BackoffLimitExceeded.'),
      message: field(4, STRING, 'What happened, as a sentence.'),
      source: field(5, object('EventSource'), 'Who tells it.'),
      firstTimestamp: field(6, TIME, 'When it happened first.'),
      lastTimestamp: field(7, TIME, 'When it happened last.'),
      count: field(8, INT32, 'How often it happened.'),
      type: field(9, STRING, 'Normal or Warning.'),
      eventTime: field(10, MICRO_TIME, 'When it was seen first, to the microsecond.'),
      series: field(11, object('EventSeries'), 'How it went on, if it happened again.'),
      action: field(12, STRING, 'What was done about it.'),
      related: field(13, object('ObjectReference'), 'A second object that has to do with it.'),
      reportingComponent: field(14, STRING, 'Who tells it.', ZERO_SHOWN),
      reportingInstance: field(15, STRING, 'Which instance of it.', ZERO_SHOWN),
    },
  },
  EventSource: {
    openapi: `${CORE}.EventSource`,
    description: 'Who tells an Event.',
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
      lastObservedTime: field(2, MICRO_TIME, 'When last.'),
    },
  },
  ObjectReference: {
    openapi: `${CORE}.ObjectReference`,
    description: 'An object, wherever it is.',
    atomic: true,
    fields: {
      kind: field(1, STRING, 'Its kind, such as Job.'),
      namespace: field(2, STRING, 'Its namespace.'),
      name: field(3, STRING, 'Its name.'),
      uid: field(4, STRING, 'Its uid.'),
      apiVersion: field(5, STRING, 'Its apiVersion, such as batch/v1.'),
      resourceVersion: field(6, STRING, 'Its version at that time.'),
      fieldPath: field(7, STRING, 'The part of it that is meant.'),
    },
  },
  ServiceAccount: {
    openapi: `${CORE}.ServiceAccount`,
    description: 'Every namespace has the one that is called default. What a task may do is its task role.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace.'),
    },
  },
  ConfigMap: {
    openapi: `${CORE}.ConfigMap`,
    description: 'Every namespace has the one that is called kube-root-ca.crt. Those that a Pod names are parameters.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace.'),
      data: field(2, STRING_MAP, 'Values by their names.'),
    },
  },
  Service: {
    openapi: `${CORE}.Service`,
    description: 'Not kept by Muster: the list is always empty, for clients that ask.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace.'),
    },
  },
} as const satisfies KindTable;
