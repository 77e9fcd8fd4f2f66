import { Hono } from 'hono';
import { LIMIT_RANGE_FORM } from '../../schema/quota/limit-range-form.ts';
import { QUOTA_FORM } from '../../schema/quota/quota-form.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { renderStored } from '../list/stored-objects.ts';
import { type AdmittedPlain, type FoundPlain, plainKind } from '../write/plain-kind.ts';
import { plainRoutes } from '../write/plain-routes.ts';
import type { WritableKind } from '../write/writable-kind.ts';
import { LIMIT_RANGE_PRINTER, QUOTA_PRINTER } from './quota-printer.ts';

const PLAIN = { stored: 'ResourceQuota', resource: API_KINDS.ResourceQuota, form: QUOTA_FORM } as const;

const LIMITS = { stored: 'LimitRange', resource: API_KINDS.LimitRange, form: LIMIT_RANGE_FORM } as const;

/** `v1` ResourceQuotas and LimitRanges: what the Jobs of a namespace may use, all together and each of their containers. */
export function quotasRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const quotas = { ...PLAIN, kind: quotaKind(deps), printer: QUOTA_PRINTER, status: 'shown' } as const;
  app.route('/', plainRoutes(quotas, deps, options));
  app.route(
    '/',
    plainRoutes({ ...LIMITS, kind: plainKind(LIMITS, deps), printer: LIMIT_RANGE_PRINTER }, deps, options),
  );
  return app;
}

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
    async create(admitted, managedFields, user) {
      const created = await plain.create(admitted, managedFields, user);
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
