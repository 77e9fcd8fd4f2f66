import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import type { Collection } from '../list/collection.ts';
import { GIVEN_KINDS, type GivenKind, givenObject } from './given-objects.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { type Parsed, ok } from '../http/query.ts';
import { parseFieldSelector, parseLabelSelector } from '../selectors/label-selector.ts';
import { errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { type StoredSelection, listStored, renderStored, watchStored } from '../list/stored-objects.ts';
import { type WatchSource, followed } from '../feed/watched.ts';

/** The default objects of every namespace. They are not stored: they are derived from the namespaces, and watched with them. */
export function givenRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  for (const kind of GIVEN_KINDS) addRoutes(app, kind, deps, options);
  return app;
}

function addRoutes(app: Hono, kind: GivenKind, deps: ApiDeps, options: ApiOptions): void {
  const { resource, printer, name: only, refusal } = kind;
  const all = `/${resource.plural}`;
  const within = `/namespaces/:namespace${all}`;
  const many = (c: Context, namespace: string | null): Promise<Response> | Response => {
    const found = select(c, kind, namespace, deps);
    return found.kind === 'bad' ? errorResponse(found.error) : listOrWatch(c, found.value, deps, options);
  };
  app.get(all, (c) => many(c, null));
  app.get(within, (c) => many(c, c.req.param('namespace') ?? ''));
  app.get(`${within}/:name`, async (c) => {
    const [namespace, name] = [c.req.param('namespace') ?? '', c.req.param('name') ?? ''];
    const home = name === only ? await deps.objects.read('Namespace', { namespace: '', name: namespace }) : null;
    return home === null
      ? errorResponse(notFound(resource, name))
      : showObject(c, givenObject(kind, renderStored(home)), printer, deps);
  });
  const why = refusal(options.embedded === true);
  for (const path of [all, within, `${within}/:name`]) app.all(path, () => errorResponse(methodNotAllowed(why)));
}

/** Those of a namespace (null: of all) that match a request's selectors. */
function select(
  c: Context,
  kind: GivenKind,
  namespace: string | null,
  { objects, tails }: ApiDeps,
): Parsed<Collection> {
  const { labelSelector, fieldSelector } = c.req.query();
  const labels = parseLabelSelector(labelSelector);
  if (labels.kind === 'bad') return labels;
  const fields = parseFieldSelector(fieldSelector, ['metadata.name', 'metadata.namespace']);
  if (fields.kind === 'bad') return fields;
  const home = namespace ?? fields.value.exact('metadata.namespace') ?? null;
  const isMeant = (name: string): boolean =>
    (home ?? name) === name &&
    labels.value.matches({}) &&
    fields.value.matches({ 'metadata.name': kind.name, 'metadata.namespace': name });
  const namespaces: StoredSelection = {
    kind: 'Namespace',
    apiVersion: 'v1',
    namespace: null,
    matches: ({ metadata }) => isMeant(metadata.name),
  };
  return ok({
    resource: kind.resource,
    apiVersion: 'v1',
    printer: kind.printer,
    async list(page) {
      const found = await listStored(namespaces, page, objects);
      return { ...found, items: found.items.map((each) => givenObject(kind, each)) };
    },
    watch: () => followed(tails.of('Namespace'), givenSource(kind, isMeant, watchStored(namespaces, objects))),
  });
}

type Namespaces = ReturnType<typeof watchStored>;

function givenSource(kind: GivenKind, isMeant: (namespace: string) => boolean, namespaces: Namespaces): Namespaces {
  const source: WatchSource<KubeObject, Parameters<Namespaces['changes']>[0]> = {
    kind: kind.resource.kind,
    apiVersion: 'v1',
    concerns: ({ object }) => isMeant(object.key.name),
    async *present() {
      for await (const each of namespaces.present()) yield givenObject(kind, each);
    },
    async *changes(row) {
      for await (const { type, object } of namespaces.changes(row)) yield { type, object: givenObject(kind, object) };
    },
  };
  return source;
}
