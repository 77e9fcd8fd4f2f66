import type { User } from '../../domain/callers/user.ts';
import type { Context } from 'hono';
import type { ApiDeps } from '../http/api-deps.ts';
import { type Deletion, deletionOf } from './deletion.ts';
import type { KubeObject } from '../http/kube-object.ts';
import {
  type Resource,
  type StatusError,
  conflict,
  errorResponse,
  notFound,
  successStatus,
} from '../http/status-error.ts';
import type { FoundObject, ObjectName, Removed, WritableKind } from './writable-kind.ts';
import { tryOnConflict } from '../../store/retry-on-conflict.ts';

/**
 * Answers `DELETE` of one object: a Status if it is gone now, the object itself if a finalizer still holds it, or if its kind
 * shows what was deleted.
 */
export async function deleteObject<F extends FoundObject, A>(
  c: Context,
  kind: WritableKind<F, A>,
  key: ObjectName,
  show: (object: KubeObject, code: 200 | 201) => Response,
  { callerOf }: Pick<ApiDeps, 'callerOf'>,
): Promise<Response> {
  const wanted = await deletionOf(c, kind.orphans);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  const removed = await remove(kind, key, wanted, callerOf(c));
  if (removed.kind === 'refused') return errorResponse(removed.error);
  const { object } = removed;
  const isShown = removed.kind === 'terminating' || kind.resource.showsDeleted === true;
  return isShown ? show(object, 200) : Response.json(successStatus(kind.resource, key.name, object.metadata.uid));
}

/** `deleted`: with the object as it was. */
type Outcome =
  | { readonly kind: 'deleted' | 'terminating'; readonly object: KubeObject }
  | { readonly kind: 'refused'; readonly error: StatusError };

/** A delete without preconditions that meets a change uses the changed object. */
const TRIES_MAX = 10;

export async function remove<F extends FoundObject, A>(
  kind: WritableKind<F, A>,
  key: ObjectName,
  { preconditions, propagation, dryRun }: Pick<Deletion, 'preconditions' | 'propagation' | 'dryRun'>,
  user: User,
): Promise<Outcome> {
  const { resource } = kind;
  const outcome = await tryOnConflict(TRIES_MAX, async (): Promise<Outcome | 'conflict'> => {
    const found = await (kind.findToRemove?.(key) ?? kind.find(key, preconditions.resourceVersion !== null));
    if (found === null) return { kind: 'refused', error: notFound(resource, key.name) };
    const unmet = unmetPrecondition(resource, found.object, preconditions);
    if (unmet !== null) return { kind: 'refused', error: unmet };
    const removed: Removed = dryRun ? { kind: 'deleted' } : await kind.remove(found, propagation, user);
    if (removed.kind === 'gone') return { kind: 'refused', error: notFound(resource, key.name) };
    if (removed.kind === 'terminating') return removed;
    if (removed.kind === 'lost') return 'conflict';
    return { kind: 'deleted', object: found.object };
  });
  if (outcome !== 'conflict') return outcome;
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  return { kind: 'refused', error: conflict(resource, key.name, why) };
}

/** A precondition that the object does not meet; null: it meets all. */
export function unmetPrecondition(
  resource: Resource,
  { metadata: { name, uid, resourceVersion } }: KubeObject,
  wanted: Deletion['preconditions'],
): StatusError | null {
  if (wanted.uid !== null && wanted.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`;
    return conflict(resource, name, why);
  }
  if (wanted.resourceVersion !== null && wanted.resourceVersion !== resourceVersion) {
    const [given, is] = [wanted.resourceVersion, resourceVersion];
    const why = `Precondition failed: ResourceVersion in precondition: ${given}, ResourceVersion in object meta: ${is}`;
    return conflict(resource, name, why);
  }
  return null;
}
