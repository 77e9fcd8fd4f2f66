import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { type ListedKind, selectStored } from '../list/select-stored.ts';
import { addWriteRoutes } from '../write/write-routes.ts';
import { workListKind } from './work-list-kind.ts';
import { addPart, listParts, sealList } from './work-list-parts.ts';
import { WORK_LIST_PRINTER } from './work-list-printer.ts';

const PATH = '/namespaces/:namespace/worklists';
const LISTED: ListedKind = {
  kind: 'WorkList',
  resource: API_KINDS.WorkList,
  apiVersion: 'muster.run/v1',
  printer: WORK_LIST_PRINTER,
};

/** `muster.run/v1` WorkLists. */
export function workListRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const kind = workListKind(deps);
  for (const [path, isAll] of [
    ['/worklists', true],
    [PATH, false],
  ] as const)
    app.get(path, async (c) => {
      const lists = selectStored(c, isAll ? null : (c.req.param('namespace') ?? ''), LISTED, deps);
      return lists.kind === 'bad' ? errorResponse(lists.error) : listOrWatch(c, lists.value, deps, options);
    });
  app.get(`${PATH}/:name`, async (c) => {
    const { namespace, name } = c.req.param();
    const found = await kind.find({ namespace, name }, false);
    return found === null
      ? errorResponse(notFound(API_KINDS.WorkList, name))
      : showObject(c, found.object, WORK_LIST_PRINTER, deps);
  });
  app.get(`${PATH}/:name/parts`, (c) => listParts(c, deps));
  app.post(`${PATH}/:name/parts/:no`, (c) => addPart(c, deps));
  app.post(`${PATH}/:name/seal`, (c) => sealList(c, deps));
  const show = (c: Context, object: KubeObject, code: 200 | 201) => c.json(object, code);
  addWriteRoutes(
    app,
    { kind, path: PATH, show, select: (c, namespace) => selectStored(c, namespace, LISTED, deps) },
    deps,
  );
  for (const path of ['/worklists', PATH, ...['', '/parts', '/parts/:no', '/seal'].map((sub) => `${PATH}/:name${sub}`)])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}
