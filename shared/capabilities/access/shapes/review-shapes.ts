import { BOOL, META, REQUIRED, STRING, STRINGS, field, listOf, mapOf, object } from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

const AUTHENTICATION = 'io.k8s.api.authentication.v1';
const AUTHORIZATION = 'io.k8s.api.authorization.v1';

/** Requests that are answered but not stored: access reviews and self-subject reviews. */
export const REVIEW_SHAPES = {
  SelfSubjectAccessReview: {
    openapi: `${AUTHORIZATION}.SelfSubjectAccessReview`,
    description: 'Asks whether the caller may do something: kubectl auth can-i.',
    apiVersion: 'authorization.k8s.io/v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Empty.'),
      spec: field(2, object('SelfSubjectAccessReviewSpec'), 'The question.', REQUIRED),
      status: field(3, object('SubjectAccessReviewStatus'), 'The answer.'),
    },
  },
  SelfSubjectAccessReviewSpec: {
    openapi: `${AUTHORIZATION}.SelfSubjectAccessReviewSpec`,
    description: 'What the caller wants to do: exactly one of the two.',
    fields: {
      resourceAttributes: field(1, object('ResourceAttributes'), 'A request for objects of the API.'),
      nonResourceAttributes: field(2, object('NonResourceAttributes'), 'A request for another path.'),
    },
  },
  ResourceAttributes: {
    openapi: `${AUTHORIZATION}.ResourceAttributes`,
    description: 'A request for objects of the API.',
    fields: {
      namespace: field(1, STRING, 'The namespace; empty means all namespaces.'),
      verb: field(2, STRING, 'get, list, watch, create, update, patch, delete or deletecollection; * means any.'),
      group: field(3, STRING, 'API group, such as batch; * means any.'),
      version: field(4, STRING, 'API version; * means any.'),
      resource: field(5, STRING, 'The resource, such as jobs; * means any.'),
      subresource: field(6, STRING, 'The subresource, such as log.'),
      name: field(7, STRING, 'One object; empty means all.'),
      fieldSelector: field(8, object('FieldSelectorAttributes'), 'Only objects with these fields.'),
      labelSelector: field(9, object('LabelSelectorAttributes'), 'Only objects with these labels.'),
    },
  },
  FieldSelectorAttributes: {
    openapi: `${AUTHORIZATION}.FieldSelectorAttributes`,
    description: 'A field selector.',
    fields: {
      rawSelector: field(1, STRING, 'The selector as in a query.'),
      requirements: field(2, listOf(object('FieldSelectorRequirement')), 'The selector as a list of conditions.'),
    },
  },
  FieldSelectorRequirement: {
    openapi: `${META}.FieldSelectorRequirement`,
    description: 'A condition on a field.',
    fields: {
      key: field(1, STRING, 'Path of the field.', REQUIRED),
      operator: field(2, STRING, 'In, NotIn, Exists or DoesNotExist.', REQUIRED),
      values: field(3, STRINGS, 'Values for In and NotIn.'),
    },
  },
  LabelSelectorAttributes: {
    openapi: `${AUTHORIZATION}.LabelSelectorAttributes`,
    description: 'A label selector.',
    fields: {
      rawSelector: field(1, STRING, 'The selector as in a query.'),
      requirements: field(2, listOf(object('LabelSelectorRequirement')), 'The selector as a list of conditions.'),
    },
  },
  NonResourceAttributes: {
    openapi: `${AUTHORIZATION}.NonResourceAttributes`,
    description: 'A request for a path that is not an API object.',
    fields: {
      path: field(1, STRING, 'The path, such as /version.'),
      verb: field(2, STRING, 'The HTTP method in lower case.'),
    },
  },
  SubjectAccessReviewStatus: {
    openapi: `${AUTHORIZATION}.SubjectAccessReviewStatus`,
    description: 'Whether something is allowed.',
    fields: {
      allowed: field(1, BOOL, 'The request is allowed.', REQUIRED),
      denied: field(4, BOOL, 'The request is denied, whatever other authorizers decide.'),
      reason: field(2, STRING, 'Why.'),
      evaluationError: field(3, STRING, 'What failed during the check.'),
    },
  },
  SubjectAccessReview: {
    openapi: `${AUTHORIZATION}.SubjectAccessReview`,
    description: 'Asks whether a user may do something.',
    apiVersion: 'authorization.k8s.io/v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Empty.'),
      spec: field(2, object('SubjectAccessReviewSpec'), 'The question.', REQUIRED),
      status: field(3, object('SubjectAccessReviewStatus'), 'The answer.'),
    },
  },
  LocalSubjectAccessReview: {
    openapi: `${AUTHORIZATION}.LocalSubjectAccessReview`,
    description: 'Asks whether a user may do something in a namespace.',
    apiVersion: 'authorization.k8s.io/v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'The namespace, and nothing else.'),
      spec: field(2, object('SubjectAccessReviewSpec'), 'The question, about the same namespace.', REQUIRED),
      status: field(3, object('SubjectAccessReviewStatus'), 'The answer.'),
    },
  },
  SubjectAccessReviewSpec: {
    openapi: `${AUTHORIZATION}.SubjectAccessReviewSpec`,
    description: 'A user, and what the user wants to do: exactly one of the two.',
    fields: {
      resourceAttributes: field(1, object('ResourceAttributes'), 'A request for objects of the API.'),
      nonResourceAttributes: field(2, object('NonResourceAttributes'), 'A request for another path.'),
      user: field(3, STRING, 'Name of the user.'),
      groups: field(4, STRINGS, 'Groups of the user.'),
      extra: field(5, mapOf(STRINGS), 'Additional information about the user.'),
      uid: field(6, STRING, "The user's uid."),
    },
  },
  SelfSubjectRulesReview: {
    openapi: `${AUTHORIZATION}.SelfSubjectRulesReview`,
    description: 'Asks what the caller may do in a namespace: kubectl auth can-i --list.',
    apiVersion: 'authorization.k8s.io/v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Empty.'),
      spec: field(2, object('SelfSubjectRulesReviewSpec'), 'The namespace.', REQUIRED),
      status: field(3, object('SubjectRulesReviewStatus'), 'The answer.'),
    },
  },
  SelfSubjectRulesReviewSpec: {
    openapi: `${AUTHORIZATION}.SelfSubjectRulesReviewSpec`,
    description: 'The namespace of the question.',
    fields: {
      namespace: field(1, STRING, 'The namespace.'),
    },
  },
  SubjectRulesReviewStatus: {
    openapi: `${AUTHORIZATION}.SubjectRulesReviewStatus`,
    description: 'What is allowed.',
    fields: {
      resourceRules: field(1, listOf(object('ResourceRule')), 'Rules for objects of the API.', REQUIRED),
      nonResourceRules: field(2, listOf(object('NonResourceRule')), 'Rules for other paths.', REQUIRED),
      incomplete: field(3, BOOL, 'More may be allowed than is listed.', REQUIRED),
      evaluationError: field(4, STRING, 'What failed during the check.'),
    },
  },
  ResourceRule: {
    openapi: `${AUTHORIZATION}.ResourceRule`,
    description: 'Verbs that are allowed on some resources.',
    fields: {
      verbs: field(1, STRINGS, 'The verbs; * means all.', REQUIRED),
      apiGroups: field(2, STRINGS, 'The groups; * means all.'),
      resources: field(3, STRINGS, 'The resources; * means all.'),
      resourceNames: field(4, STRINGS, 'Names of objects; empty means all.'),
    },
  },
  NonResourceRule: {
    openapi: `${AUTHORIZATION}.NonResourceRule`,
    description: 'Verbs that are allowed on some paths.',
    fields: {
      verbs: field(1, STRINGS, 'The verbs; * means all.', REQUIRED),
      nonResourceURLs: field(2, STRINGS, 'The paths; a * at the end matches any ending.'),
    },
  },
  SelfSubjectReview: {
    openapi: `${AUTHENTICATION}.SelfSubjectReview`,
    description: 'Asks who the caller is: kubectl auth whoami.',
    apiVersion: 'authentication.k8s.io/v1',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Empty.'),
      status: field(2, object('SelfSubjectReviewStatus'), 'The answer.'),
    },
  },
  SelfSubjectReviewStatus: {
    openapi: `${AUTHENTICATION}.SelfSubjectReviewStatus`,
    description: 'Who the caller is.',
    fields: {
      userInfo: field(1, object('UserInfo'), 'The caller.'),
    },
  },
  UserInfo: {
    openapi: `${AUTHENTICATION}.UserInfo`,
    description: 'A user.',
    fields: {
      username: field(1, STRING, 'Name of the user.'),
      uid: field(2, STRING, 'Unique forever.'),
      groups: field(3, STRINGS, 'Groups of the user.'),
      extra: field(4, mapOf(STRINGS), 'Additional information about the user.'),
    },
  },
} as const satisfies KindTable;
