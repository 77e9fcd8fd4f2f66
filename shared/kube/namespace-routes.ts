import { Hono } from 'hono';
import type { StoredObject } from '../ports/object-store.ts';
import type { ApiDeps } from './api-deps.ts';
import { NAMESPACES, badRequest, errorResponse, methodNotAllowed, notFound } from './status-error.ts';
import { isWatch } from './watch-routes.ts';

/** Namespaces are rows: get and list. */
export function namespaceRoutes({ objects }: ApiDeps): Hono {
  const app = new Hono();
  app.get('/namespaces', async (c) => {
    if (isWatch(c)) return errorResponse(methodNotAllowed('namespaces cannot be watched in this version of Muster'));
    const { labelSelector = '', fieldSelector = '' } = c.req.query();
    if (labelSelector !== '' || fieldSelector !== '')
      return errorResponse(badRequest('namespaces cannot be selected in this version of Muster'));
    const version = String(await objects.head('Namespace'));
    const page = await objects.list('Namespace', { namespace: null, after: null, limit: 5_000 });
    const items = page.objects.map(renderNamespace);
    return c.json({ kind: 'NamespaceList', apiVersion: 'v1', metadata: { resourceVersion: version }, items });
  });
  app.get('/namespaces/:name', async (c) => {
    const name = c.req.param('name');
    const found = await objects.read('Namespace', { namespace: '', name });
    return found === null ? errorResponse(notFound(NAMESPACES, name)) : c.json(renderNamespace(found));
  });
  for (const path of ['/namespaces', '/namespaces/:name']) app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}

const renderNamespace = ({ document, version }: StoredObject) => ({
  ...document,
  metadata: { ...document.metadata, resourceVersion: String(version) },
});
