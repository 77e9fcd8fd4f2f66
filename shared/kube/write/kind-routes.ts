import type { Context, Hono, MiddlewareHandler } from 'hono';
import { type ApiKind, pathOfAll, pathWithin } from '../../domain/kinds/api-kind.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { Parsed } from '../http/query.ts';
import { errorResponse, forbiddenObject, methodNotAllowed, notFound } from '../http/status-error.ts';
import type { Collection } from '../list/collection.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import type { Printer } from '../list/printer.ts';
import type { Selected } from './delete-collection.ts';
import type { FoundObject, ObjectName, Subresource, WritableKind } from './writable-kind.ts';
import { addSubresourceRoutes, addWriteRoutes } from './write-routes.ts';

// The routes of a kind follow from its row, from the root of the API on.

type Paths = { readonly all: string; readonly within: string; readonly one: string };

function pathsOf(row: ApiKind): Paths {
  const all = pathOfAll(row);
  const within = row.isNamespaced ? pathWithin(row, ':namespace') : all;
  return { all, within, one: `${within}/:name` };
}

/** How objects are read. */
export type ReadRoutes<T extends KubeObject> = {
  readonly printer: Printer<T>;
  readonly find: (key: ObjectName) => Promise<T | null>;
  /** The objects of a namespace (null: of all) that a request selects. */
  readonly select: (c: Context, namespace: string | null) => Parsed<Collection<T>>;
};

/** Adds get, list, and watch, and get of every subresource that shows the object. */
export function addReadRoutes<T extends KubeObject>(
  app: Hono,
  row: ApiKind,
  { printer, find, select }: ReadRoutes<T>,
  deps: ApiDeps,
  options: ApiOptions,
): void {
  const { all, within, one } = pathsOf(row);
  const many = (c: Context, namespace: string | null) => {
    const selected = select(c, namespace);
    return selected.kind === 'bad' ? errorResponse(selected.error) : listOrWatch(c, selected.value, deps, options);
  };
  app.get(all, (c) => many(c, null));
  if (row.isNamespaced) app.get(within, (c) => many(c, c.req.param('namespace') ?? ''));
  const shown = (row.subresources ?? []).filter(({ verbs }) => verbs.includes('get'));
  for (const at of [one, ...shown.map(({ name }) => `${one}/${name}`)])
    app.get(at, async (c) => {
      const [namespace, name] = [c.req.param('namespace') ?? '', c.req.param('name') ?? ''];
      const object = await find({ namespace, name });
      return object === null ? errorResponse(notFound(row, name)) : showObject(c, object, printer, deps);
    });
}

/** How objects are changed. */
export type ChangeRoutes<F extends FoundObject, A> = {
  readonly kind: WritableKind<F, A>;
  /** Those that DELETE of a collection selects. */
  readonly select: (c: Context, namespace: string) => Parsed<Selected>;
  /** Why an object of this name is never deleted; null: it may be. */
  readonly mayNotDelete?: (name: string) => string | null;
};

/** Adds every verb that changes objects, as far as the kind's row has it. */
export function addChangeRoutes<F extends FoundObject, A>(
  app: Hono,
  row: ApiKind,
  { kind, select, mayNotDelete = () => null }: ChangeRoutes<F, A>,
  deps: ApiDeps,
): void {
  const { within: path, one } = pathsOf(row);
  app.delete(one, async (c, next) => {
    const name = c.req.param('name') ?? '';
    const why = mayNotDelete(name);
    return why === null ? next() : errorResponse(forbiddenObject(row, name, why));
  });
  if (row.isConfidential === true) app.on(['PATCH', 'PUT'], one, veiled(row, deps));
  addWriteRoutes(app, { kind, path, show, select: row.verbs.includes('deletecollection') ? select : null }, deps);
}

/**
 * A change is answered with the whole object, also one that changes nothing: who may not get it hears only which version there is
 * now.
 */
const veiled =
  ({ group, plural: resource }: ApiKind, { authorizer, callerOf }: ApiDeps): MiddlewareHandler =>
  async (c, next) => {
    const [namespace, name] = [c.req.param('namespace') ?? '', c.req.param('name') ?? ''];
    const wanted = { kind: 'resource', verb: 'get', group, resource, subresource: '', namespace, name } as const;
    const mayGet = authorizer === null || (await authorizer.decide(callerOf(c), wanted)).allowed;
    await next();
    if (mayGet || !c.res.ok) return;
    const answer = (await c.res.json()) as KubeObject;
    c.res = Response.json(withoutContents(answer), { status: c.res.status });
  };

const withoutContents = ({ apiVersion, kind, metadata }: KubeObject): object => {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, creationTimestamp } };
};

const show = (c: Context, object: KubeObject, code: 200 | 201): Response => c.json(object, code);

/** Adds the verbs that change a part of objects at a path of its own, as far as the kind's row has them. */
export function addPartRoutes<F extends FoundObject, A>(
  app: Hono,
  row: ApiKind,
  part: Subresource<F, A>,
  deps: ApiDeps,
): void {
  const has = row.subresources?.find(({ name }) => name === part.subresource)?.verbs ?? [];
  const verbs = (['update', 'patch'] as const).filter((verb) => has.includes(verb));
  addSubresourceRoutes(app, { kind: part, path: pathsOf(row).within, show }, verbs, deps);
}

/** A path below that of an object which discovery does not list. */
export type FurtherRoute = {
  /** `parts/:no` */
  readonly path: string;
  /** null: nothing may be done there. */
  readonly answer: {
    readonly method: 'GET' | 'POST';
    readonly by: (c: Context, deps: ApiDeps) => Promise<Response>;
  } | null;
};

/** Adds further paths of a kind, and refuses every other method at all of its paths. To be called last. */
export function addOtherRoutes(app: Hono, row: ApiKind, further: readonly FurtherRoute[], deps: ApiDeps): void {
  const { all, within, one } = pathsOf(row);
  for (const { path, answer } of further)
    if (answer !== null) app.on(answer.method, `${one}/${path}`, (c) => answer.by(c, deps));
  const below = [...(row.subresources ?? []).map(({ name }) => name), ...further.map(({ path }) => path)];
  for (const at of new Set([all, within, one, ...below.map((path) => `${one}/${path}`)]))
    app.all(at, () => errorResponse(methodNotAllowed()));
}
