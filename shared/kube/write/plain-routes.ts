import { type Context, Hono } from 'hono';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { PlainShape } from '../../schema/object/plain-admission.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import type { Printer } from '../list/printer.ts';
import { type ListedKind, selectStored } from '../list/select-stored.ts';
import type { AdmittedPlain, FoundPlain, PlainKind } from './plain-kind.ts';
import type { WritableKind } from './writable-kind.ts';
import { addWriteRoutes } from './write-routes.ts';

/** A plain kind as it is served. */
export type ServedPlain<T extends PlainShape> = PlainKind<T> &
  Pick<ListedKind, 'fields'> & {
    readonly printer: Printer<KubeObject>;
    /** How its objects are written. */
    readonly kind: WritableKind<FoundPlain, AdmittedPlain>;
    /** Where they are read and listed, if that shows more than is stored. */
    readonly seen?: ObjectStore;
    /** `shown`: a status can be read at a path of its own; `refused`: there is that path, and nothing may be done there. */
    readonly status?: 'shown' | 'refused';
  };

/** All routes of a plain kind, from the root of the API on. */
export function plainRoutes<T extends PlainShape>(served: ServedPlain<T>, deps: ApiDeps, options: ApiOptions): Hono {
  const { kind, stored, resource, form, printer, fields, status, seen = deps.objects } = served;
  const app = new Hono();
  const root = resource.group === '' ? '/api/v1' : `/apis/${form.apiVersion}`;
  const all = `${root}/${resource.plural}`;
  const path = form.isNamespaced ? `${root}/namespaces/:namespace/${resource.plural}` : all;
  const one = `${path}/:name`;
  const listed: ListedKind = {
    kind: stored,
    resource,
    apiVersion: form.apiVersion,
    printer,
    ...(fields === undefined ? {} : { fields }),
  };
  const select = (c: Context, namespace: string | null, objects: ObjectStore) =>
    selectStored(c, form.isNamespaced ? namespace : null, listed, { ...deps, objects });
  const many = (c: Context, namespace: string | null) => {
    const selected = select(c, namespace, seen);
    return selected.kind === 'bad' ? errorResponse(selected.error) : listOrWatch(c, selected.value, deps, options);
  };
  app.get(all, (c) => many(c, null));
  if (form.isNamespaced) app.get(path, (c) => many(c, c.req.param('namespace') ?? ''));
  for (const at of status === 'shown' ? [one, `${one}/status`] : [one])
    app.get(at, async (c) => {
      const { namespace = '', name = '' } = c.req.param() as { readonly namespace?: string; readonly name?: string };
      const found = await kind.find({ namespace, name }, false);
      return found === null ? errorResponse(notFound(resource, name)) : showObject(c, found.object, printer, deps);
    });
  const show = (c: Context, object: KubeObject, code: 200 | 201) => c.json(object, code);
  // What is derived is not deleted with the others.
  addWriteRoutes(app, { kind, path, show, select: (c, namespace) => select(c, namespace, deps.objects) }, deps);
  for (const at of new Set([all, path, one, ...(status === undefined ? [] : [`${one}/status`])]))
    app.all(at, () => errorResponse(methodNotAllowed()));
  return app;
}
