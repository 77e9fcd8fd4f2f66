import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import { listOrWatch } from '../list/collection-routes.ts';
import type { Collection } from '../list/collection.ts';
import { type Parsed, ok } from '../http/query.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors/label-selector.ts';
import { SERVICES, errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { SERVICE_PRINTER } from './service-printer.ts';
import { EMPTY_VERSION, type WatchSource, followed } from '../feed/watched.ts';

const PATH = '/namespaces/:namespace/services';

/** `v1` Services: there are none, and there will be none. `kubectl get all` and `kubectl cluster-info` list them. */
export function servicesRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  for (const path of ['/services', PATH])
    app.get(path, (c) => {
      const services = noServices(c, deps);
      return services.kind === 'bad' ? errorResponse(services.error) : listOrWatch(c, services.value, deps, options);
    });
  for (const path of [`${PATH}/:name`, `${PATH}/:name/status`])
    app.get(path, (c) => errorResponse(notFound(SERVICES, c.req.param('name') ?? '')));
  for (const path of ['/services', PATH, `${PATH}/:name`, `${PATH}/:name/status`])
    app.all(path, () =>
      errorResponse(methodNotAllowed('Services are not made here: nothing routes to a Job; leave the Service out')),
    );
  return app;
}

const NOTHING: WatchSource<never, never> = {
  kind: SERVICES.kind,
  apiVersion: 'v1',
  async *present() {
    // none
  },
  concerns: () => false,
  async *changes() {
    // none
  },
};

/** There is nothing to select, but the selector must still be valid. */
function noServices(c: Context, { tails }: ApiDeps): Parsed<Collection> {
  const { labelSelector, fieldSelector } = c.req.query();
  const labels = parseLabelSelector(labelSelector);
  if (labels.kind === 'bad') return labels;
  const fields = parseFieldSelector(fieldSelector, [
    'metadata.name',
    'metadata.namespace',
    'spec.clusterIP',
    'spec.type',
  ]);
  if (fields.kind === 'bad') return fields;
  return ok({
    resource: SERVICES,
    apiVersion: 'v1',
    printer: SERVICE_PRINTER,
    list: async () => ({ version: EMPTY_VERSION, items: [], next: null }),
    watch: () => followed(tails.none, NOTHING),
  });
}
