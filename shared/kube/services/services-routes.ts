import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { SERVICES, errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { type ListedKind, selectStored } from '../list/select-stored.ts';
import { at, words } from '../list/stored-field.ts';
import { addWriteRoutes } from '../write/write-routes.ts';
import { serviceKind } from './service-kind.ts';
import { SERVICE_PRINTER } from './service-printer.ts';

const PATH = '/namespaces/:namespace/services';
const LISTED: ListedKind = {
  kind: 'Service',
  resource: SERVICES,
  apiVersion: 'v1',
  printer: SERVICE_PRINTER,
  fields: {
    'spec.clusterIP': (service) => words(at(service, 'spec', 'clusterIP')),
    'spec.type': (service) => words(at(service, 'spec', 'type')),
  },
};

/** `v1` Services: headless ones, which are stored and have no effect. */
export function servicesRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const kind = serviceKind(deps);
  for (const [path, isAll] of [
    ['/services', true],
    [PATH, false],
  ] as const)
    app.get(path, (c) => {
      const services = selectStored(c, isAll ? null : (c.req.param('namespace') ?? ''), LISTED, deps);
      return services.kind === 'bad' ? errorResponse(services.error) : listOrWatch(c, services.value, deps, options);
    });
  app.get(`${PATH}/:name`, async (c) => {
    const { namespace, name } = c.req.param();
    const found = await kind.find({ namespace, name }, false);
    return found === null
      ? errorResponse(notFound(SERVICES, name))
      : showObject(c, found.object, SERVICE_PRINTER, deps);
  });
  const show = (c: Context, object: KubeObject, code: 200 | 201) => c.json(object, code);
  addWriteRoutes(
    app,
    { kind, path: PATH, show, select: (c, namespace) => selectStored(c, namespace, LISTED, deps) },
    deps,
  );
  for (const path of ['/services', PATH, `${PATH}/:name`, `${PATH}/:name/status`])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}
