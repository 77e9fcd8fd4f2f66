import type { Context } from 'hono';
import type { Collection } from '../collection.ts';
import { deletionOf } from '../delete-options.ts';
import type { KubeObject } from '../kube-object.ts';
import { type StatusError, errorResponse } from '../status-error.ts';
import { deleteListed } from './delete-listed.ts';
import { remove } from './delete-object.ts';
import type { Found, WritableKind } from './writable-kind.ts';

/** The objects that a request selects. */
export type Selected = Pick<Collection<KubeObject>, 'list'>;

/**
 * Answers `DELETE` of a collection: every object that the selectors show. What somebody else has deleted meanwhile is
 * fine; anything else that stands in the way ends it, as in Kubernetes.
 */
export async function deleteCollection<F extends Found, A>(
  c: Context,
  kind: WritableKind<F, A>,
  collection: Selected,
): Promise<Response> {
  const wish = await deletionOf(c, kind.orphans);
  if (wish.kind === 'bad') return errorResponse(wish.error);
  return deleteListed(
    c,
    kind.resource,
    (page) => collection.list(page),
    async ({ metadata: { namespace = '', name, uid } }) => {
      // The one that was listed, not another of its name.
      const preconditions = { uid, resourceVersion: null };
      const removed = await remove(kind, { namespace, name }, { ...wish, preconditions });
      return removed.kind === 'refused' && !isGone(removed.error) ? removed.error : null;
    },
  );
}

const isGone = ({ reason }: StatusError): boolean => reason === 'NotFound' || reason === 'Conflict';
