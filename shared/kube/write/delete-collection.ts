import type { Context } from 'hono';
import type { ApiDeps } from '../http/api-deps.ts';
import type { Collection } from '../list/collection.ts';
import { deletionOf } from './deletion.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { type StatusError, errorResponse } from '../http/status-error.ts';
import { deleteListed } from './delete-listed.ts';
import { remove } from './delete-object.ts';
import type { FoundObject, WritableKind } from './writable-kind.ts';

/** The objects that a request selects. */
export type Selected = Pick<Collection<KubeObject>, 'list'>;

/**
 * Answers `DELETE` of a collection: every object that matches the selectors. Objects that are already deleted are fine; any
 * other obstacle ends it, as in Kubernetes.
 */
export async function deleteCollection<F extends FoundObject, A>(
  c: Context,
  kind: WritableKind<F, A>,
  collection: Selected,
  { callerOf }: Pick<ApiDeps, 'callerOf'>,
): Promise<Response> {
  const wanted = await deletionOf(c, kind.orphans);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  return deleteListed(
    c,
    kind.resource,
    (page) => collection.list(page),
    async ({ metadata: { namespace = '', name, uid } }) => {
      // The one that was listed, not another with its name.
      const preconditions = { uid, resourceVersion: null };
      const removed = await remove(kind, { namespace, name }, { ...wanted, preconditions }, callerOf(c));
      return removed.kind === 'refused' && !isGone(removed.error) ? removed.error : null;
    },
  );
}

const isGone = ({ reason }: StatusError): boolean => reason === 'NotFound' || reason === 'Conflict';
