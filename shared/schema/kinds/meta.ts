import { explainedAnnotations } from '../../domain/manifests/annotations/explained.ts';
import {
  BOOL,
  FIELDS_V1,
  INT32,
  INT64,
  META,
  REQUIRED,
  STRING,
  STRINGS,
  STRING_MAP,
  TIME,
  ZERO_SHOWN,
  field,
  listBy,
  listOf,
  object,
  unserved,
} from './field.ts';
import type { KindTable } from './kind-table.ts';

/** `meta.k8s.io/v1`: metadata of objects and lists, selectors, options, and answers. */
export const META_KINDS = {
  ObjectMeta: {
    openapi: `${META}.ObjectMeta`,
    description: 'Metadata of an object: its identity, labels, and annotations.',
    fields: {
      name: field(1, STRING, "Unique in its namespace for its kind; a Job's has at most 63 characters. Cannot change."),
      generateName: field(2, STRING, 'A prefix for the name. If name is not set, Muster adds five characters.'),
      namespace: field(3, STRING, "The object's namespace. Defaults to default. Cannot change."),
      selfLink: field(4, STRING, 'No longer set.'),
      uid: field(5, STRING, 'Unique forever. Set by Muster.'),
      resourceVersion: field(
        6,
        STRING,
        'Changes with every change of the object. An update that includes an outdated one fails with 409 instead of overwriting.',
      ),
      generation: field(7, INT64, 'Counts the versions of spec.'),
      creationTimestamp: field(8, TIME, 'When the object was created.'),
      deletionTimestamp: field(
        9,
        TIME,
        'When the deletion of the object began. Its finalizers, or tasks that are still stopping, hold it.',
      ),
      deletionGracePeriodSeconds: field(10, INT64, 'Seconds that the object has to terminate.', ZERO_SHOWN),
      labels: field(
        11,
        STRING_MAP,
        'Keys and values for selectors. Muster sets controller-uid and job-name on Jobs and Pods, with and without the prefix batch.kubernetes.io/.',
      ),
      annotations: field(12, STRING_MAP, `Notes that selectors do not see. ${explainedAnnotations()}`),
      ownerReferences: field(
        13,
        listBy('uid', object('OwnerReference')),
        "The owners of this object. A Pod's owner is its Job; a Job's owner may be a CronJob.",
      ),
      finalizers: field(
        14,
        { is: 'list', of: STRING, apply: 'set', patch: 'merge' },
        'Names of controllers that must clean up first. Each removes its own name. A deleted object stays until the list is empty. Refused in a pod template.',
      ),
      managedFields: field(
        17,
        listOf(object('ManagedFieldsEntry')),
        'Which client manages which fields, for server-side apply.',
      ),
    },
  },
  OwnerReference: {
    openapi: `${META}.OwnerReference`,
    description: 'The owner of an object.',
    atomic: true,
    fields: {
      apiVersion: field(5, STRING, "The owner's, such as batch/v1.", REQUIRED),
      kind: field(1, STRING, "The owner's, such as Job.", REQUIRED),
      name: field(3, STRING, "The owner's name.", REQUIRED),
      uid: field(4, STRING, "The owner's uid.", REQUIRED),
      controller: field(6, BOOL, "This owner is the object's controller.", ZERO_SHOWN),
      blockOwnerDeletion: field(
        7,
        BOOL,
        'With propagationPolicy Foreground, the owner stays until this object is gone.',
        ZERO_SHOWN,
      ),
    },
  },
  ManagedFieldsEntry: {
    openapi: `${META}.ManagedFieldsEntry`,
    description: 'The fields of an object that one client manages, for one operation.',
    fields: {
      manager: field(1, STRING, 'Name of the client: the query parameter fieldManager.'),
      operation: field(2, STRING, 'Apply (server-side apply) or Update (everything else).'),
      apiVersion: field(3, STRING, 'The API version of the field names.'),
      time: field(4, TIME, 'When this client last changed a field.'),
      fieldsType: field(6, STRING, 'FieldsV1.'),
      fieldsV1: field(
        7,
        FIELDS_V1,
        'The fields as a tree: f: before a field, k: before the keys of an item, v: before a value.',
      ),
      subresource: field(8, STRING, 'The subresource that was written, such as status.'),
    },
  },
  LabelSelector: {
    openapi: `${META}.LabelSelector`,
    description: 'Selects objects by their labels. All conditions must be met.',
    atomic: true,
    fields: {
      matchLabels: field(1, STRING_MAP, 'Labels that an object must have, with these values.'),
      matchExpressions: field(2, listOf(object('LabelSelectorRequirement')), 'Conditions on labels.'),
    },
  },
  LabelSelectorRequirement: {
    openapi: `${META}.LabelSelectorRequirement`,
    description: 'A condition on one label.',
    fields: {
      key: field(1, STRING, 'The label.', REQUIRED),
      operator: field(2, STRING, 'In, NotIn, Exists or DoesNotExist.', REQUIRED),
      values: field(3, STRINGS, 'Values for In and NotIn; empty for the others.'),
    },
  },
  ListMeta: {
    openapi: `${META}.ListMeta`,
    description: 'Metadata of a list.',
    fields: {
      selfLink: field(1, STRING, 'No longer set.'),
      resourceVersion: field(2, STRING, 'A watch from this version sees every change after the list.'),
      continue: field(3, STRING, 'The token for the next page.'),
      remainingItemCount: field(4, INT64, 'How many items follow this page, if known.', ZERO_SHOWN),
    },
  },
  Status: {
    openapi: `${META}.Status`,
    description: 'The answer to a request that returns no object, such as a failure.',
    apiVersion: 'v1',
    fields: {
      metadata: field(1, object('ListMeta'), 'Empty.'),
      status: field(2, STRING, 'Success or Failure.'),
      message: field(3, STRING, 'What happened, for people.'),
      reason: field(4, STRING, 'What happened, as one word: NotFound, AlreadyExists, Conflict, Invalid and so on.'),
      details: field(5, object('StatusDetails'), 'What it is about.'),
      code: field(6, INT32, 'HTTP status code.'),
    },
  },
  StatusDetails: {
    openapi: `${META}.StatusDetails`,
    description: 'The object and its faults.',
    fields: {
      name: field(1, STRING, 'Name of the object.'),
      group: field(2, STRING, 'API group of the kind.'),
      kind: field(3, STRING, 'The kind, or the name of the resource.'),
      uid: field(6, STRING, "The object's uid."),
      causes: field(4, listOf(object('StatusCause')), 'The faults, each with its path.'),
      retryAfterSeconds: field(5, INT32, 'Seconds to wait before the next try.'),
    },
  },
  StatusCause: {
    openapi: `${META}.StatusCause`,
    description: 'A fault.',
    fields: {
      reason: field(1, STRING, 'The fault as one word, such as FieldValueInvalid.'),
      message: field(2, STRING, 'The fault as a sentence.'),
      field: field(3, STRING, 'Path of the field, such as spec.completions.'),
    },
  },
  DeleteOptions: {
    openapi: `${META}.DeleteOptions`,
    description: 'Options of a deletion.',
    apiVersion: 'v1',
    fields: {
      gracePeriodSeconds: field(
        1,
        INT64,
        'Seconds that a Pod has to terminate, up to 120. Defaults to its terminationGracePeriodSeconds.',
        ZERO_SHOWN,
      ),
      preconditions: field(
        2,
        object('Preconditions'),
        'Conditions for the deletion. If one is not met, the request fails with 409.',
      ),
      orphanDependents: field(
        3,
        BOOL,
        'The old form of propagationPolicy: true is Orphan, false is Background.',
        ZERO_SHOWN,
      ),
      propagationPolicy: field(
        4,
        STRING,
        'Background: the object disappears at once, and its tasks stop afterwards. Foreground: it stays until they have stopped.',
        ZERO_SHOWN,
      ),
      dryRun: field(5, STRINGS, 'All: checks everything, deletes nothing.'),
      ignoreStoreReadErrorWithClusterBreakingPotential: unserved(6, BOOL, ZERO_SHOWN),
    },
  },
  Preconditions: {
    openapi: `${META}.Preconditions`,
    description: 'Conditions for a request.',
    fields: {
      uid: field(1, STRING, 'The object has this uid.', ZERO_SHOWN),
      resourceVersion: field(2, STRING, 'The object has this resourceVersion.', ZERO_SHOWN),
    },
  },
} as const satisfies KindTable;
