import { Hono, type MiddlewareHandler } from 'hono';
import type { StoredKind } from '../../ports/object-store.ts';
import type { PlainShape } from '../../schema/object/plain-admission.ts';
import { CLUSTER_ROLE_BINDING_FORM, ROLE_BINDING_FORM } from '../../schema/rbac/binding-forms.ts';
import { CLUSTER_ROLE_FORM, ROLE_FORM } from '../../schema/rbac/role-forms.ts';
import { SERVICE_ACCOUNT_FORM } from '../../schema/rbac/service-account-form.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { type Resource, errorResponse, forbiddenObject } from '../http/status-error.ts';
import { type AdmittedPlain, type FoundPlain, plainKind } from '../write/plain-kind.ts';
import { type ServedPlain, plainRoutes } from '../write/plain-routes.ts';
import type { WritableKind } from '../write/writable-kind.ts';
import { accountRoleErrors } from './account-rules.ts';
import { isDefaultPolicy, withDerived } from './derived-objects.ts';
import { NEVER_CHANGES, bindingObjection, roleObjection } from './rbac-objection.ts';
import { BINDING_PRINTER, ROLE_PRINTER, SERVICE_ACCOUNT_PRINTER } from './rbac-printers.ts';

/** `rbac.authorization.k8s.io/v1` Roles, ClusterRoles, and their bindings, and `v1` ServiceAccounts. */
export function rbacRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const seen = withDerived(deps);
  const add = <T extends PlainShape>(served: Omit<ServedPlain<T>, 'kind' | 'seen'>): void => {
    const { stored, resource, form } = served;
    if (!form.isNamespaced) app.delete(`/apis/${form.apiVersion}/${resource.plural}/:name`, refusing(stored, resource));
    const kind = besideDerived(served.stored, plainKind(served, { ...deps, objects: seen }), deps);
    app.route('/', plainRoutes({ ...served, kind, seen }, deps, options));
  };
  add({
    stored: 'Role',
    resource: API_KINDS.Role,
    form: ROLE_FORM,
    printer: ROLE_PRINTER,
    objection: roleObjection('Role', API_KINDS.Role, deps),
  });
  add({
    stored: 'ClusterRole',
    resource: API_KINDS.ClusterRole,
    form: CLUSTER_ROLE_FORM,
    printer: ROLE_PRINTER,
    objection: roleObjection('ClusterRole', API_KINDS.ClusterRole, deps),
  });
  add({
    stored: 'RoleBinding',
    resource: API_KINDS.RoleBinding,
    form: ROLE_BINDING_FORM,
    printer: BINDING_PRINTER,
    objection: bindingObjection('RoleBinding', API_KINDS.RoleBinding, deps),
  });
  add({
    stored: 'ClusterRoleBinding',
    resource: API_KINDS.ClusterRoleBinding,
    form: CLUSTER_ROLE_BINDING_FORM,
    printer: BINDING_PRINTER,
    objection: bindingObjection('ClusterRoleBinding', API_KINDS.ClusterRoleBinding, deps),
  });
  add({
    stored: 'ServiceAccount',
    resource: API_KINDS.ServiceAccount,
    form: SERVICE_ACCOUNT_FORM,
    printer: SERVICE_ACCOUNT_PRINTER,
    further: (manifest) => accountRoleErrors(manifest, deps.taskRoles ?? null),
  });
  return app;
}

/** A role or a binding that always exists is not deleted. */
const refusing =
  (kind: StoredKind, resource: Resource): MiddlewareHandler =>
  async (c, next) => {
    const name = c.req.param('name') ?? '';
    return isDefaultPolicy(kind, { namespace: '', name })
      ? errorResponse(forbiddenObject(resource, name, NEVER_CHANGES))
      : next();
  };

/** The same kind where some objects are derived: their names are taken, and one that was stored is there again once it is deleted. */
function besideDerived(
  kind: StoredKind,
  plain: WritableKind<FoundPlain, AdmittedPlain>,
  deps: ApiDeps,
): WritableKind<FoundPlain, AdmittedPlain> {
  const seen = withDerived(deps);
  return {
    ...plain,
    async create(admitted, managedFields, user) {
      const { namespace = '', name } = admitted.manifest.metadata;
      const isTaken = (await seen.read(kind, { namespace, name })) !== null;
      return isTaken ? { kind: 'taken' } : plain.create(admitted, managedFields, user);
    },
    async remove(found, propagation, user) {
      const { key, version } = found.stored;
      if (version === 0 || isDefaultPolicy(kind, key)) return { kind: 'deleted' };
      const removed = await plain.remove(found, propagation, user);
      if (removed.kind !== 'deleted') return removed;
      const derived = await seen.read(kind, key);
      // Watches hear of it, as in a cluster, where a controller creates it again.
      if (derived?.version === 0) await deps.objects.commit(kind, { key, was: 0, document: derived.document });
      return removed;
    },
  };
}
