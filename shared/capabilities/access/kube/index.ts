import type { KeptPorts } from '../../../store/keep-kinds.ts';
import type { Authorizer } from '../../../kube/http/authorizer.ts';
import { createPolicyReader } from '../store/read-policy.ts';
import { CLUSTER_ROLE_BINDING_KIND, CLUSTER_ROLE_KIND, ROLE_BINDING_KIND, ROLE_KIND } from './rbac-kinds.ts';
import { roleAuthorizer } from './role-authorizer.ts';

/** The kinds that are stored. */
export const ACCESS_SERVED = {
  ClusterRole: CLUSTER_ROLE_KIND,
  Role: ROLE_KIND,
  ClusterRoleBinding: CLUSTER_ROLE_BINDING_KIND,
  RoleBinding: ROLE_BINDING_KIND,
};

/** Lets the roles and bindings decide that are stored, with those that always exist. */
export const decideByRoles = (ports: KeptPorts): Authorizer => roleAuthorizer(createPolicyReader(ports));

export { addReviewRoutes } from './review-routes.ts';
