import { Hono } from 'hono';
import type { ApiDeps } from './api-deps.ts';
import { NAMESPACES, badRequest, errorResponse, methodNotAllowed, notFound } from './status-error.ts';
import { asTime } from '../domain/brand.ts';
import { isWatch } from './watch-routes.ts';

type Namespace = Awaited<ReturnType<ApiDeps['jobs']['listNamespaces']>>[number];

/** Namespaces are rows: get and list. */
export function namespaceRoutes({ jobs, feed }: ApiDeps): Hono {
  const app = new Hono();
  app.get('/namespaces', async (c) => {
    if (isWatch(c)) return errorResponse(methodNotAllowed('namespaces cannot be watched in this version of Muster'));
    const { labelSelector = '', fieldSelector = '' } = c.req.query();
    if (labelSelector !== '' || fieldSelector !== '')
      return errorResponse(badRequest('namespaces cannot be selected in this version of Muster'));
    const version = String(await feed.head());
    const items = (await jobs.listNamespaces()).map(renderNamespace);
    return c.json({ kind: 'NamespaceList', apiVersion: 'v1', metadata: { resourceVersion: version }, items });
  });
  app.get('/namespaces/:name', async (c) => {
    const name = c.req.param('name');
    const found = (await jobs.listNamespaces()).find((each) => each.name === name);
    return found === undefined ? errorResponse(notFound(NAMESPACES, name)) : c.json(renderNamespace(found));
  });
  for (const path of ['/namespaces', '/namespaces/:name']) app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}

const renderNamespace = ({ name, uid, createdAt }: Namespace) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    uid,
    // It never changes.
    resourceVersion: '1',
    creationTimestamp: asTime(createdAt),
    labels: { 'kubernetes.io/metadata.name': name },
  },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
});
