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

/** `meta.k8s.io/v1`: what all objects have, and what is said about requests. */
export const META_KINDS = {
  ObjectMeta: {
    openapi: `${META}.ObjectMeta`,
    description: 'What all objects have: who they are, and what people and programs noted on them.',
    fields: {
      name: field(1, STRING, "Unique in its namespace for its kind; a Job's has at most 63 characters. Cannot change."),
      generateName: field(
        2,
        STRING,
        'Beginning of a name that Muster completes with five characters, where no name is given.',
      ),
      namespace: field(3, STRING, 'Where the object lives; default if left out. Cannot change.'),
      selfLink: field(4, STRING, 'No longer set.'),
      uid: field(5, STRING, 'Unique for all time; set by Muster.'),
      resourceVersion: field(
        6,
        STRING,
        'Changes with every change of the object. Sent along with an update, it makes a lost race fail with 409 instead of overwriting.',
      ),
      generation: field(7, INT64, 'Number of this version of spec.'),
      creationTimestamp: field(8, TIME, 'When the object was created.'),
      deletionTimestamp: field(
        9,
        TIME,
        'Since when the object is being deleted: its finalizers, or tasks that still stop, keep it.',
      ),
      deletionGracePeriodSeconds: field(10, INT64, 'Seconds that it has for its end.', ZERO_SHOWN),
      labels: field(
        11,
        STRING_MAP,
        'Keys and values to select by; Jobs and Pods have controller-uid and job-name from Muster, with and without batch.kubernetes.io/ before them.',
      ),
      annotations: field(
        12,
        STRING_MAP,
        'Notes that nobody selects by. On a Job, Muster reads muster.run/disruptions (what lost infrastructure costs: count, or losses=10,spot-interruptions=3, the default) and muster.run/pending-timeout-seconds (seconds after which a Pod that cannot start counts as failed; 900 if left out). On a Pod, it writes muster.run/task-arn (its task), muster.run/cause (how its task ended) and muster.run/verdict (what that counted as, and by which rule).',
      ),
      ownerReferences: field(
        13,
        listBy('uid', object('OwnerReference')),
        "Objects that this one belongs to; a Pod's is its Job, a Job's may be its CronJob.",
      ),
      finalizers: field(
        14,
        { is: 'list', of: STRING, apply: 'set', patch: 'merge' },
        'Whoever is named here removes its name when it has cleaned up; a deleted object stays until the list is empty. Refused in a pod template.',
      ),
      managedFields: field(
        17,
        listOf(object('ManagedFieldsEntry')),
        'Which client said which field; kept for server-side apply.',
      ),
    },
  },
  OwnerReference: {
    openapi: `${META}.OwnerReference`,
    description: 'The object that another one belongs to.',
    atomic: true,
    fields: {
      apiVersion: field(5, STRING, "The owner's, such as batch/v1.", REQUIRED),
      kind: field(1, STRING, "The owner's, such as Job.", REQUIRED),
      name: field(3, STRING, "The owner's name.", REQUIRED),
      uid: field(4, STRING, "The owner's uid.", REQUIRED),
      controller: field(6, BOOL, 'It is this owner that made the object and looks after it.', ZERO_SHOWN),
      blockOwnerDeletion: field(
        7,
        BOOL,
        'With propagationPolicy Foreground the owner stays until this object is gone.',
        ZERO_SHOWN,
      ),
    },
  },
  ManagedFieldsEntry: {
    openapi: `${META}.ManagedFieldsEntry`,
    description: 'What one client said of an object, in one way.',
    fields: {
      manager: field(1, STRING, 'Name of the client: the query parameter fieldManager.'),
      operation: field(2, STRING, 'Apply (server-side apply) or Update (everything else).'),
      apiVersion: field(3, STRING, 'Version of the kind in which the fields are named.'),
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
    description: 'Picks objects by their labels; all that it says must hold.',
    atomic: true,
    fields: {
      matchLabels: field(1, STRING_MAP, 'Labels that must be there with these values.'),
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
    description: 'What all lists have.',
    fields: {
      selfLink: field(1, STRING, 'No longer set.'),
      resourceVersion: field(2, STRING, 'From here a watch sees all that comes after the list.'),
      continue: field(3, STRING, 'Sent along with the next request, it leads to the next page.'),
      remainingItemCount: field(4, INT64, 'How many items come after this page, where that is known.', ZERO_SHOWN),
    },
  },
  Status: {
    openapi: `${META}.Status`,
    description: 'The answer to a request that has no object to show, failures above all.',
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
    description: 'The object, and each thing that is wrong with it.',
    fields: {
      name: field(1, STRING, 'Name of the object.'),
      group: field(2, STRING, 'API group of the kind.'),
      kind: field(3, STRING, 'The kind, or the name of the resource.'),
      uid: field(6, STRING, "The object's uid."),
      causes: field(4, listOf(object('StatusCause')), 'What is wrong, each with its path.'),
      retryAfterSeconds: field(5, INT32, 'Seconds to wait before the next try.'),
    },
  },
  StatusCause: {
    openapi: `${META}.StatusCause`,
    description: 'One thing that is wrong.',
    fields: {
      reason: field(1, STRING, 'The fault as one word, such as FieldValueInvalid.'),
      message: field(2, STRING, 'The fault as a sentence.'),
      field: field(3, STRING, 'Path of the field, such as spec.completions.'),
    },
  },
  DeleteOptions: {
    openapi: `${META}.DeleteOptions`,
    description: 'How something is deleted.',
    apiVersion: 'v1',
    fields: {
      gracePeriodSeconds: field(
        1,
        INT64,
        'Seconds that a Pod has for its end, up to 120; its own terminationGracePeriodSeconds if left out.',
        ZERO_SHOWN,
      ),
      preconditions: field(2, object('Preconditions'), 'Delete only if this holds, 409 otherwise.'),
      orphanDependents: field(
        3,
        BOOL,
        'The old form of propagationPolicy: true is Orphan, false is Background.',
        ZERO_SHOWN,
      ),
      propagationPolicy: field(
        4,
        STRING,
        'Background: the object is gone at once, its tasks are stopped after it. Foreground: it stays until they have stopped.',
        ZERO_SHOWN,
      ),
      dryRun: field(5, STRINGS, 'All: everything is checked, nothing is deleted.'),
      ignoreStoreReadErrorWithClusterBreakingPotential: unserved(6, BOOL, ZERO_SHOWN),
    },
  },
  Preconditions: {
    openapi: `${META}.Preconditions`,
    description: 'What must be so before something is done.',
    fields: {
      uid: field(1, STRING, 'The object has this uid.', ZERO_SHOWN),
      resourceVersion: field(2, STRING, 'The object has this resourceVersion.', ZERO_SHOWN),
    },
  },
} as const satisfies KindTable;
