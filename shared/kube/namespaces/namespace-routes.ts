import { type Context, Hono } from 'hono';
import { DEFAULT_NAMESPACE } from '../../domain/spec/namespace.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import type { Collection } from '../list/collection.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { namespaceKind, namespacePart } from './namespace-kind.ts';
import { type Parsed, ok } from '../http/query.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors/label-selector.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { errorResponse, forbiddenObject, methodNotAllowed, notFound } from '../http/status-error.ts';
import { type Selection, listStored, watchStored } from '../list/stored-objects.ts';
import { NAMESPACE_PRINTER } from './namespace-printer.ts';
import { followed } from '../feed/watched.ts';
import { addSubresourceRoutes, addWriteRoutes } from '../write/write-routes.ts';

const PATH = '/namespaces';

/** `v1` Namespaces. */
export function namespaceRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const kind = namespaceKind(deps);
  app.get(PATH, async (c) => {
    const namespaces = selectNamespaces(c, deps);
    return namespaces.kind === 'bad'
      ? errorResponse(namespaces.error)
      : listOrWatch(c, namespaces.value, deps, options);
  });
  for (const path of [`${PATH}/:name`, `${PATH}/:name/status`])
    app.get(path, async (c) => {
      const name = c.req.param('name') ?? '';
      const found = await kind.find({ namespace: '', name }, false);
      return found === null
        ? errorResponse(notFound(API_KINDS.Namespace, name))
        : showObject(c, found.object, NAMESPACE_PRINTER, deps);
    });
  app.delete(`${PATH}/${DEFAULT_NAMESPACE}`, () =>
    errorResponse(forbiddenObject(API_KINDS.Namespace, DEFAULT_NAMESPACE, 'this namespace may not be deleted')),
  );
  const show = (c: Context, object: KubeObject, code: 200 | 201) => c.json(object, code);
  const [status, finalize] = [namespacePart(deps, 'status'), namespacePart(deps, 'finalize')];
  addSubresourceRoutes(app, { kind: status, path: PATH, show }, ['update', 'patch'], deps);
  addSubresourceRoutes(app, { kind: finalize, path: PATH, show }, ['update'], deps);
  addWriteRoutes(app, { kind, path: PATH, show, select: null }, deps);
  for (const path of [PATH, `${PATH}/:name`, `${PATH}/:name/status`, `${PATH}/:name/finalize`])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}

function selectNamespaces(c: Context, { objects, tails }: ApiDeps): Parsed<Collection> {
  const { labelSelector, fieldSelector } = c.req.query();
  const labels = parseLabelSelector(labelSelector);
  if (labels.kind === 'bad') return labels;
  const fields = parseFieldSelector(fieldSelector, ['metadata.name', 'status.phase', 'name']);
  if (fields.kind === 'bad') return fields;
  const selection: Selection = {
    kind: 'Namespace',
    apiVersion: 'v1',
    namespace: null,
    matches: (object) => {
      const { name, labels: has = {} } = object.metadata;
      const said = { 'metadata.name': name, name, 'status.phase': phaseOf(object) };
      return labels.value.matches(has) && fields.value.matches(said);
    },
    // A namespace goes from Active to Terminating, and never back.
    before: (object) => ({ ...object, status: { phase: 'Active' } }),
  };
  return ok({
    resource: API_KINDS.Namespace,
    apiVersion: 'v1',
    printer: NAMESPACE_PRINTER,
    list: (page) => listStored(selection, page, objects),
    watch: () => followed(tails.of('Namespace'), watchStored(selection, objects)),
  });
}

function phaseOf({ status }: KubeObject): string {
  const phase = typeof status === 'object' && status !== null && 'phase' in status ? status.phase : undefined;
  return typeof phase === 'string' ? phase : '';
}
