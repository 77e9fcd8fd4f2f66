import type { StoredKind } from '../../ports/object-store.ts';
import { CLUSTER_ROLE_BINDING_FORM, ROLE_BINDING_FORM } from '../../schema/rbac/binding-forms.ts';
import { CLUSTER_ROLE_FORM, ROLE_FORM } from '../../schema/rbac/role-forms.ts';
import { SERVICE_ACCOUNT_FORM } from '../../schema/rbac/service-account-form.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import { type KindDefinition, defineKind } from '../write/define-kind.ts';
import { type AdmittedPlain, plainForm } from '../write/plain-form.ts';
import type { KindHooks } from '../write/stored-kind.ts';
import { accountRoleErrors } from './account-rules.ts';
import { isDefaultPolicy, withDerived } from './derived-objects.ts';
import { NEVER_CHANGES, bindingObjection, roleObjection } from './rbac-objection.ts';
import { BINDING_PRINTER, ROLE_PRINTER, SERVICE_ACCOUNT_PRINTER } from './rbac-printers.ts';

type Objection = KindHooks<AdmittedPlain>['objection'];

/** A kind of which some objects are derived. */
const besideDerived = (
  { resource, ...kind }: Pick<KindDefinition<AdmittedPlain>, 'resource' | 'form' | 'printer'>,
  objectionOf: (deps: ApiDeps) => Objection = () => undefined,
) =>
  defineKind<AdmittedPlain>({
    resource,
    ...kind,
    seen: withDerived,
    hooks: (deps) => {
      const objection = objectionOf(deps);
      return { ...derivedHooks(resource, deps), ...(objection === undefined ? {} : { objection }) };
    },
  });

/** The names of derived objects are taken, and one that was stored is there again once it is deleted. */
function derivedHooks(kind: StoredKind, deps: ApiDeps): KindHooks<AdmittedPlain> {
  const seen = withDerived(deps);
  return {
    mayNotDelete: (name) => (isDefaultPolicy(kind, { namespace: '', name }) ? NEVER_CHANGES : null),
    isTaken: async (key) => (await seen.read(kind, key)) !== null,
    beforeRemove: async ({ key, version }) =>
      version === 0 || isDefaultPolicy(kind, key) ? { kind: 'deleted' } : null,
    async afterRemove({ key }) {
      const derived = await seen.read(kind, key);
      // Watches hear of it, as in a cluster, where a controller creates it again.
      if (derived?.version === 0) await deps.objects.commit(kind, { key, was: 0, document: derived.document });
    },
  };
}

/** `rbac.authorization.k8s.io/v1` Roles, ClusterRoles, and their bindings. */
export const ROLE_KIND = besideDerived(
  { resource: 'Role', form: plainForm(ROLE_FORM), printer: ROLE_PRINTER },
  (deps) => roleObjection('Role', deps),
);
export const CLUSTER_ROLE_KIND = besideDerived(
  { resource: 'ClusterRole', form: plainForm(CLUSTER_ROLE_FORM), printer: ROLE_PRINTER },
  (deps) => roleObjection('ClusterRole', deps),
);
export const ROLE_BINDING_KIND = besideDerived(
  { resource: 'RoleBinding', form: plainForm(ROLE_BINDING_FORM), printer: BINDING_PRINTER },
  (deps) => bindingObjection('RoleBinding', deps),
);
export const CLUSTER_ROLE_BINDING_KIND = besideDerived(
  { resource: 'ClusterRoleBinding', form: plainForm(CLUSTER_ROLE_BINDING_FORM), printer: BINDING_PRINTER },
  (deps) => bindingObjection('ClusterRoleBinding', deps),
);

/** `v1` ServiceAccounts. */
export const SERVICE_ACCOUNT_KIND = besideDerived({
  resource: 'ServiceAccount',
  form: plainForm(SERVICE_ACCOUNT_FORM, (manifest, { taskRoles = null }) => accountRoleErrors(manifest, taskRoles)),
  printer: SERVICE_ACCOUNT_PRINTER,
});
