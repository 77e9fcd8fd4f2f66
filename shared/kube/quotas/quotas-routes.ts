import type { Hono } from 'hono';
import { QUOTA_FORM } from '../../schema/quota/quota-form.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { RESOURCE_QUOTAS } from '../http/status-error.ts';
import { renderStored } from '../list/stored-objects.ts';
import { type AdmittedPlain, type FoundPlain, plainKind } from '../write/plain-kind.ts';
import { plainRoutes } from '../write/plain-routes.ts';
import type { WritableKind } from '../write/writable-kind.ts';
import { QUOTA_PRINTER } from './quota-printer.ts';

const PLAIN = { stored: 'ResourceQuota', resource: RESOURCE_QUOTAS, form: QUOTA_FORM } as const;

/** `v1` ResourceQuotas: what the Jobs of a namespace may use. */
export const quotasRoutes = (deps: ApiDeps, options: ApiOptions): Hono =>
  plainRoutes({ ...PLAIN, kind: quotaKind(deps), printer: QUOTA_PRINTER, status: 'shown' }, deps, options);

/** What is used is counted at once when a quota is created, or its limits are changed. */
function quotaKind(deps: ApiDeps): WritableKind<FoundPlain, AdmittedPlain> {
  const { objects, quotaCommands } = deps;
  const plain = plainKind(PLAIN, deps);
  const counted = async ({ manifest }: AdmittedPlain, written: KubeObject): Promise<KubeObject> => {
    const { namespace = '', name } = manifest.metadata;
    await quotaCommands.count(namespace);
    const stored = await objects.read('ResourceQuota', { namespace, name });
    return stored === null ? written : renderStored(stored);
  };
  return {
    ...plain,
    async create(admitted, managedFields) {
      const created = await plain.create(admitted, managedFields);
      return created.kind === 'created'
        ? { kind: 'created', object: await counted(admitted, created.object) }
        : created;
    },
    async replace(found, admitted, managedFields, changed, user) {
      const replaced = await plain.replace(found, admitted, managedFields, changed, user);
      return replaced.kind === 'replaced' && changed === 'spec'
        ? { kind: 'replaced', object: await counted(admitted, replaced.object) }
        : replaced;
    },
  };
}
