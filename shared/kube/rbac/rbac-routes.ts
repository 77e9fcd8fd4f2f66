import { type Context, Hono } from 'hono';
import type { PlainShape } from '../../schema/rbac/plain-admission.ts';
import { CLUSTER_ROLE_BINDING_FORM, ROLE_BINDING_FORM } from '../../schema/rbac/binding-forms.ts';
import { CLUSTER_ROLE_FORM, ROLE_FORM } from '../../schema/rbac/role-forms.ts';
import { SERVICE_ACCOUNT_FORM } from '../../schema/rbac/service-account-form.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import {
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  ROLES,
  ROLE_BINDINGS,
  SERVICE_ACCOUNTS,
  errorResponse,
  forbiddenObject,
  methodNotAllowed,
  notFound,
} from '../http/status-error.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import type { Printer } from '../list/printer.ts';
import { type ListedKind, selectStored } from '../list/select-stored.ts';
import { addWriteRoutes } from '../write/write-routes.ts';
import { accountRoleErrors } from './account-rules.ts';
import { isDefaultPolicy, withDerived } from './derived-objects.ts';
import { type PlainKind, plainKind } from './plain-kind.ts';
import { NEVER_CHANGES, bindingObjection, roleObjection } from './rbac-objection.ts';
import { BINDING_PRINTER, ROLE_PRINTER, SERVICE_ACCOUNT_PRINTER } from './rbac-printers.ts';

/** `rbac.authorization.k8s.io/v1` Roles, ClusterRoles, and their bindings, and `v1` ServiceAccounts. */
export function rbacRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const add = <T extends PlainShape>(served: Served<T>): void => addRoutes(app, served, deps, options);
  add({
    stored: 'Role',
    resource: ROLES,
    form: ROLE_FORM,
    printer: ROLE_PRINTER,
    objection: roleObjection('Role', ROLES, deps),
  });
  add({
    stored: 'ClusterRole',
    resource: CLUSTER_ROLES,
    form: CLUSTER_ROLE_FORM,
    printer: ROLE_PRINTER,
    objection: roleObjection('ClusterRole', CLUSTER_ROLES, deps),
  });
  add({
    stored: 'RoleBinding',
    resource: ROLE_BINDINGS,
    form: ROLE_BINDING_FORM,
    printer: BINDING_PRINTER,
    objection: bindingObjection('RoleBinding', ROLE_BINDINGS, deps),
  });
  add({
    stored: 'ClusterRoleBinding',
    resource: CLUSTER_ROLE_BINDINGS,
    form: CLUSTER_ROLE_BINDING_FORM,
    printer: BINDING_PRINTER,
    objection: bindingObjection('ClusterRoleBinding', CLUSTER_ROLE_BINDINGS, deps),
  });
  add({
    stored: 'ServiceAccount',
    resource: SERVICE_ACCOUNTS,
    form: SERVICE_ACCOUNT_FORM,
    printer: SERVICE_ACCOUNT_PRINTER,
    further: (manifest) => accountRoleErrors(manifest, deps.taskRoles ?? null),
    objection: undefined,
  });
  return app;
}

type Served<T extends PlainShape> = PlainKind<T> & { readonly printer: Printer<KubeObject> };

function addRoutes<T extends PlainShape>(app: Hono, served: Served<T>, deps: ApiDeps, options: ApiOptions): void {
  const { stored, resource, form, printer } = served;
  const kind = plainKind(served, deps);
  const seen = { ...deps, objects: withDerived(deps) };
  const root = resource.group === '' ? '/api/v1' : `/apis/${form.apiVersion}`;
  const all = `${root}/${resource.plural}`;
  const path = form.isNamespaced ? `${root}/namespaces/:namespace/${resource.plural}` : all;
  const listed: ListedKind = { kind: stored, resource, apiVersion: form.apiVersion, printer };
  for (const [at, isAll] of form.isNamespaced
    ? ([
        [all, true],
        [path, false],
      ] as const)
    : ([[all, true]] as const))
    app.get(at, (c) => {
      const selected = selectStored(c, isAll ? null : (c.req.param('namespace') ?? ''), listed, seen);
      return selected.kind === 'bad' ? errorResponse(selected.error) : listOrWatch(c, selected.value, deps, options);
    });
  app.get(`${path}/:name`, async (c) => {
    const key = keyOf(c);
    const found = await kind.find(key, false);
    return found === null ? errorResponse(notFound(resource, key.name)) : showObject(c, found.object, printer, deps);
  });
  app.delete(`${path}/:name`, async (c, next) => {
    const key = keyOf(c);
    if (isDefaultPolicy(stored, key)) return errorResponse(forbiddenObject(resource, key.name, NEVER_CHANGES));
    await next();
    return undefined;
  });
  const show = (c: Context, object: KubeObject, code: 200 | 201) => c.json(object, code);
  // What is derived is not deleted with the others.
  const select = (c: Context, namespace: string) => selectStored(c, form.isNamespaced ? namespace : null, listed, deps);
  addWriteRoutes(app, { kind, path, show, select }, deps);
  for (const at of new Set([all, path, `${path}/:name`])) app.all(at, () => errorResponse(methodNotAllowed()));
}

const keyOf = (c: Context) => ({ namespace: c.req.param('namespace') ?? '', name: c.req.param('name') ?? '' });
