import { ALL, READ, WRITE, WRITTEN, type ApiKind, grant } from '../../../domain/kinds/api-kind.ts';

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

/** As those that users write, but in no namespace. */
const OF_CLUSTER = { isNamespaced: false, verbs: ALL } as const;

/** Roles and their bindings. */
export const ROLE_KINDS = {
  ClusterRole: {
    ...RBAC,
    ...OF_CLUSTER,
    kind: 'ClusterRole',
    plural: 'clusterroles',
    stored: true,
    grants: [],
  },
  Role: {
    ...RBAC,
    ...WRITTEN,
    kind: 'Role',
    plural: 'roles',
    stored: true,
    counted: 'roles',
    grants: [grant('admin', [...READ, ...WRITE])],
  },
  ClusterRoleBinding: {
    ...RBAC,
    ...OF_CLUSTER,
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    stored: true,
    grants: [],
  },
  RoleBinding: {
    ...RBAC,
    ...WRITTEN,
    kind: 'RoleBinding',
    plural: 'rolebindings',
    stored: true,
    counted: 'roleBindings',
    grants: [grant('admin', [...READ, ...WRITE])],
  },
} as const satisfies Readonly<Record<string, ApiKind>>;

/** A request that is answered at once and not stored. */
const REVIEW = { isNamespaced: false, verbs: ['create'] } as const;
const AUTHORIZATION = { group: 'authorization.k8s.io', version: 'v1' } as const;
const EVERYBODY = [grant('system:basic-user', ['create'])];

/** Questions about what somebody may do, and who the caller is. */
export const REVIEW_KINDS = {
  SelfSubjectReview: {
    group: 'authentication.k8s.io',
    version: 'v1',
    ...REVIEW,
    kind: 'SelfSubjectReview',
    plural: 'selfsubjectreviews',
    grants: EVERYBODY,
  },
  LocalSubjectAccessReview: {
    ...AUTHORIZATION,
    ...REVIEW,
    kind: 'LocalSubjectAccessReview',
    plural: 'localsubjectaccessreviews',
    isNamespaced: true,
    grants: [grant('admin', ['create'])],
  },
  SelfSubjectAccessReview: {
    ...AUTHORIZATION,
    ...REVIEW,
    kind: 'SelfSubjectAccessReview',
    plural: 'selfsubjectaccessreviews',
    grants: EVERYBODY,
  },
  SelfSubjectRulesReview: {
    ...AUTHORIZATION,
    ...REVIEW,
    kind: 'SelfSubjectRulesReview',
    plural: 'selfsubjectrulesreviews',
    grants: EVERYBODY,
  },
  SubjectAccessReview: {
    ...AUTHORIZATION,
    ...REVIEW,
    kind: 'SubjectAccessReview',
    plural: 'subjectaccessreviews',
    grants: [],
  },
} as const satisfies Readonly<Record<string, ApiKind>>;
