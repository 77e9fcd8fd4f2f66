import { REQUIRED, STRING, STRINGS, field, listOf, object, unserved } from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

const RULES = listOf(object('PolicyRule'));
const SUBJECTS = listOf(object('Subject'));
const RBAC = 'io.k8s.api.rbac.v1';
const API_VERSION = 'rbac.authorization.k8s.io/v1';

/** Roles and their bindings, which say who may do what where `authorization` is `RBAC`. */
export const ROLE_SHAPES = {
  Role: {
    openapi: `${RBAC}.Role`,
    description: 'What may be done in a namespace. Who may is said by RoleBindings.',
    apiVersion: API_VERSION,
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace, labels and annotations.'),
      rules: field(2, RULES, 'What it allows; all rules together.'),
    },
  },
  ClusterRole: {
    openapi: `${RBAC}.ClusterRole`,
    description:
      'What may be done in every namespace, with objects that are in none, and on other paths. A RoleBinding grants it in one namespace, a ClusterRoleBinding everywhere.',
    apiVersion: API_VERSION,
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name, labels and annotations.'),
      rules: field(2, RULES, 'What it allows; all rules together.'),
      aggregationRule: unserved(3, object('AggregationRule')),
    },
  },
  PolicyRule: {
    openapi: `${RBAC}.PolicyRule`,
    description: 'Verbs on resources, or on paths that are no resources.',
    fields: {
      verbs: field(1, STRINGS, 'Such as get, list, create or use; * is all of them.', REQUIRED),
      apiGroups: field(2, STRINGS, 'Groups of the resources: "" is that of Pods, * is all of them.'),
      resources: field(
        3,
        STRINGS,
        'In the plural: jobs, pods/log for a subresource, */status for that of everything, * for all of them.',
      ),
      resourceNames: field(4, STRINGS, 'Names of objects; without any, all objects.'),
      nonResourceURLs: field(
        5,
        STRINGS,
        'Paths that are no resources, such as /version; a star at the end stands for all that follows. Only in a ClusterRole that a ClusterRoleBinding grants.',
      ),
    },
  },
  AggregationRule: {
    openapi: `${RBAC}.AggregationRule`,
    description: 'Not supported by Muster.',
    fields: {},
  },
  RoleBinding: {
    openapi: `${RBAC}.RoleBinding`,
    description: 'Who may do in its namespace what a Role or a ClusterRole allows.',
    apiVersion: API_VERSION,
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name and namespace, labels and annotations.'),
      subjects: field(2, SUBJECTS, 'Who may.'),
      roleRef: field(3, object('RoleRef'), 'The role, which cannot be changed.', REQUIRED),
    },
  },
  ClusterRoleBinding: {
    openapi: `${RBAC}.ClusterRoleBinding`,
    description: 'Who may do everywhere what a ClusterRole allows.',
    apiVersion: API_VERSION,
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name, labels and annotations.'),
      subjects: field(2, SUBJECTS, 'Who may.'),
      roleRef: field(3, object('RoleRef'), 'The ClusterRole, which cannot be changed.', REQUIRED),
    },
  },
  RoleRef: {
    openapi: `${RBAC}.RoleRef`,
    description: 'The role of a binding.',
    atomic: true,
    fields: {
      apiGroup: field(1, STRING, 'rbac.authorization.k8s.io, which is the default.', REQUIRED),
      kind: field(2, STRING, 'Role, of the same namespace, or ClusterRole.', REQUIRED),
      name: field(3, STRING, 'Its name.', REQUIRED),
    },
  },
  Subject: {
    openapi: `${RBAC}.Subject`,
    description: 'Somebody to whom a binding grants a role.',
    atomic: true,
    fields: {
      kind: field(1, STRING, 'User, Group or ServiceAccount.', REQUIRED),
      apiGroup: field(2, STRING, 'rbac.authorization.k8s.io for a User and a Group, "" for a ServiceAccount.'),
      name: field(3, STRING, 'Name of the user, the group or the ServiceAccount.', REQUIRED),
      namespace: field(4, STRING, 'Namespace of a ServiceAccount; in a RoleBinding its own by default.'),
    },
  },
} as const satisfies KindTable;
