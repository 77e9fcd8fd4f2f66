import { bindingEscalation, roleEscalation } from '../domain/escalation.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import type { PolicyRule, RoleRef } from '../domain/policy.ts';
import type { StoredKind } from '../../../ports/object-store.ts';
import { isSame } from '../../../schema/object/object-update.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import { type StatusError, forbiddenObject, notFound } from '../../../kube/http/status-error.ts';
import type { Wish } from '../../../kube/write/writable-kind.ts';
import { NEVER_CHANGES, isDefaultPolicy } from './default-objects.ts';
import type { AdmittedPlain } from '../../../kube/write/plain-form.ts';
import type { FoundStored } from '../../../kube/write/stored-kind.ts';

type Deps = Pick<ApiDeps, 'authorizer'>;
type PlainWish = Wish<FoundStored, AdmittedPlain>;

/** Nobody grants rights that he does not have, unless he may `escalate` the role. */
export const roleObjection =
  (kind: StoredKind, { authorizer }: Deps) =>
  async (wish: PlainWish): Promise<StatusError | null> => {
    const { user, at, admitted } = wish;
    const resource = API_KINDS[kind];
    const { metadata, content } = admitted.manifest;
    if (isKept(kind, wish)) return forbiddenObject(resource, metadata.name, NEVER_CHANGES);
    if (authorizer === null || isOnlyTied(wish)) return null;
    const { rules } = content as { readonly rules: readonly PolicyRule[] };
    const name = resource.plural === 'roles' ? 'roles' : 'clusterroles';
    const why = roleEscalation(user, { ...at, resource: name, rules }, await authorizer.policy());
    return why === null ? null : forbiddenObject(resource, metadata.name, why);
  };

/** Nobody binds a role whose rights he does not have, unless he may `bind` it. */
export const bindingObjection =
  (kind: StoredKind, { authorizer }: Deps) =>
  async (wish: PlainWish): Promise<StatusError | null> => {
    const { user, at, admitted } = wish;
    const resource = API_KINDS[kind];
    const { metadata, content } = admitted.manifest;
    if (isKept(kind, wish)) return forbiddenObject(resource, metadata.name, NEVER_CHANGES);
    if (authorizer === null || isOnlyTied(wish)) return null;
    const { roleRef } = content as { readonly roleRef: RoleRef };
    const found = bindingEscalation(user, at.namespace, roleRef, await authorizer.policy());
    switch (found.kind) {
      case 'none':
        return null;
      case 'missingRole':
        return notFound(
          { group: roleRef.apiGroup, plural: roleRef.kind.toLowerCase(), kind: roleRef.kind },
          roleRef.name,
        );
      case 'refused':
        return forbiddenObject(resource, metadata.name, found.why);
    }
  };

const isKept = (kind: StoredKind, { found, changed }: PlainWish): boolean =>
  found !== null && changed !== 'nothing' && isDefaultPolicy(kind, found.stored.key);

/** Only owners and finalizers change, as garbage collectors change them (upstream's `IsOnlyMutatingGCFields`). */
function isOnlyTied({ found, admitted: { manifest }, changed }: PlainWish): boolean {
  if (found === null) return false;
  if (changed === 'nothing') return true;
  const { labels: before, annotations: noted } = found.object.metadata;
  const { labels, annotations } = manifest.metadata;
  return changed === 'metadata' && isSame([labels ?? {}, annotations ?? {}], [before ?? {}, noted ?? {}]);
}
