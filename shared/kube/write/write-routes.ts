import type { Context, Hono } from 'hono';
import type { ApiDeps } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { Parsed } from '../http/query.ts';
import { errorResponse } from '../http/status-error.ts';
import { createObject } from './create-object.ts';
import { type Selected, deleteCollection } from './delete-collection.ts';
import { deleteObject } from './delete-object.ts';
import { patchObject } from './patch-object.ts';
import { updateObject } from './update-object.ts';
import type { FoundObject, ObjectName, Subresource, WritableKind } from './writable-kind.ts';

/** Routes of one kind: the paths of its objects, how one is shown, and which of them a request selects. */
export type WriteRoutes<F extends FoundObject, A> = {
  readonly kind: WritableKind<F, A>;
  /** `/namespaces/:namespace/jobs`; one object is at `/:name` below it. */
  readonly path: string;
  readonly show: (c: Context, object: KubeObject, code: 200 | 201) => Response;
  /** null: a collection of this kind cannot be deleted as a whole. */
  readonly select: ((c: Context, namespace: string) => Parsed<Selected>) | null;
};

/** Adds create, update, patch, and delete. */
export function addWriteRoutes<F extends FoundObject, A>(
  app: Hono,
  { kind, path, show, select }: WriteRoutes<F, A>,
  deps: ApiDeps,
): void {
  const shown = (c: Context) => (object: KubeObject, code: 200 | 201) => show(c, object, code);
  app.post(path, (c) =>
    createObject(c, kind, c.req.param('namespace') ?? '', ({ object }) => show(c, object, 201), deps),
  );
  app.put(`${path}/:name`, (c) => updateObject(c, kind, keyOf(c), shown(c), deps));
  app.patch(`${path}/:name`, (c) => patchObject(c, kind, keyOf(c), shown(c), deps));
  app.delete(`${path}/:name`, (c) => deleteObject(c, kind, keyOf(c), shown(c), deps));
  if (select === null) return;
  app.delete(path, async (c) => {
    const selected = select(c, c.req.param('namespace') ?? '');
    return selected.kind === 'bad' ? errorResponse(selected.error) : deleteCollection(c, kind, selected.value, deps);
  });
}

/** Adds the verbs for a part of an object that has a path of its own: update, and patch where possible. */
export function addSubresourceRoutes<F extends FoundObject, A>(
  app: Hono,
  { kind, path, show }: Pick<WriteRoutes<F, A>, 'path' | 'show'> & { readonly kind: Subresource<F, A> },
  verbs: readonly ('update' | 'patch')[],
  deps: ApiDeps,
): void {
  const at = `${path}/:name/${kind.subresource}`;
  const shown = (c: Context) => (object: KubeObject, code: 200 | 201) => show(c, object, code);
  if (verbs.includes('update')) app.put(at, (c) => updateObject(c, kind, keyOf(c), shown(c), deps));
  if (verbs.includes('patch')) app.patch(at, (c) => patchObject(c, kind, keyOf(c), shown(c), deps));
}

const keyOf = (c: Context): ObjectName => ({
  namespace: c.req.param('namespace') ?? '',
  name: c.req.param('name') ?? '',
});
