import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { RESOURCE_QUOTAS, errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { type ListedKind, selectStored } from '../list/select-stored.ts';
import { addWriteRoutes } from '../write/write-routes.ts';
import { quotaKind } from './quota-kind.ts';
import { QUOTA_PRINTER } from './quota-printer.ts';

const PATH = '/namespaces/:namespace/resourcequotas';
const LISTED: ListedKind = {
  kind: 'ResourceQuota',
  resource: RESOURCE_QUOTAS,
  apiVersion: 'v1',
  printer: QUOTA_PRINTER,
};

/** `v1` ResourceQuotas: what the Jobs of a namespace may use. */
export function quotasRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const kind = quotaKind(deps);
  for (const [path, isAll] of [
    ['/resourcequotas', true],
    [PATH, false],
  ] as const)
    app.get(path, (c) => {
      const quotas = selectStored(c, isAll ? null : (c.req.param('namespace') ?? ''), LISTED, deps);
      return quotas.kind === 'bad' ? errorResponse(quotas.error) : listOrWatch(c, quotas.value, deps, options);
    });
  for (const path of [`${PATH}/:name`, `${PATH}/:name/status`])
    app.get(path, async (c) => {
      const { namespace = '', name = '' } = c.req.param() as { readonly namespace?: string; readonly name?: string };
      const found = await kind.find({ namespace, name }, false);
      return found === null
        ? errorResponse(notFound(RESOURCE_QUOTAS, name))
        : showObject(c, found.object, QUOTA_PRINTER, deps);
    });
  const show = (c: Context, object: KubeObject, code: 200 | 201) => c.json(object, code);
  addWriteRoutes(
    app,
    { kind, path: PATH, show, select: (c, namespace) => selectStored(c, namespace, LISTED, deps) },
    deps,
  );
  for (const path of ['/resourcequotas', PATH, `${PATH}/:name`, `${PATH}/:name/status`])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}
