import { CLUSTER_ROLE_BINDING_FORM, ROLE_BINDING_FORM } from '../schema/binding-forms.ts';
import { CLUSTER_ROLE_FORM, ROLE_FORM } from '../schema/role-forms.ts';
import { derivedKind } from '../../../kube/write/derived-kind.ts';
import { plainForm } from '../../../kube/write/plain-form.ts';
import { defaultsOf } from './default-objects.ts';
import { bindingObjection, roleObjection } from './rbac-objection.ts';
import { BINDING_PRINTER, ROLE_PRINTER } from './rbac-printers.ts';

/** `rbac.authorization.k8s.io/v1` Roles, ClusterRoles, and their bindings. */
export const ROLE_KIND = derivedKind({
  resource: 'Role',
  form: plainForm(ROLE_FORM),
  printer: ROLE_PRINTER,
  derived: defaultsOf('Role'),
  objection: (deps) => roleObjection('Role', deps),
});
export const CLUSTER_ROLE_KIND = derivedKind({
  resource: 'ClusterRole',
  form: plainForm(CLUSTER_ROLE_FORM),
  printer: ROLE_PRINTER,
  derived: defaultsOf('ClusterRole'),
  objection: (deps) => roleObjection('ClusterRole', deps),
});
export const ROLE_BINDING_KIND = derivedKind({
  resource: 'RoleBinding',
  form: plainForm(ROLE_BINDING_FORM),
  printer: BINDING_PRINTER,
  derived: defaultsOf('RoleBinding'),
  objection: (deps) => bindingObjection('RoleBinding', deps),
});
export const CLUSTER_ROLE_BINDING_KIND = derivedKind({
  resource: 'ClusterRoleBinding',
  form: plainForm(CLUSTER_ROLE_BINDING_FORM),
  printer: BINDING_PRINTER,
  derived: defaultsOf('ClusterRoleBinding'),
  objection: (deps) => bindingObjection('ClusterRoleBinding', deps),
});
