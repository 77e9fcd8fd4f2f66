import type { Context } from 'hono';
import type { Collection } from '../collection.ts';
import { deletionOf } from '../delete-options.ts';
import type { KubeObject } from '../kube-object.ts';
import { parsePage } from '../list-page.ts';
import { type StatusError, errorResponse, successStatus } from '../status-error.ts';
import { remove } from './delete-object.ts';
import type { Found, WritableKind } from './writable-kind.ts';

/** The objects that a request selects. */
export type Selected = Pick<Collection<KubeObject>, 'list'>;

/** Objects of one page, which is listed before any of it is deleted. */
const PAGE = 500;

/**
 * Answers `DELETE` of a collection: every object that the selectors show, one after the other. What somebody else has
 * deleted meanwhile is fine; anything else that stands in the way ends it, as in Kubernetes.
 */
export async function deleteCollection<F extends Found, A>(
  c: Context,
  kind: WritableKind<F, A>,
  collection: Selected,
): Promise<Response> {
  const wish = await deletionOf(c, kind.orphans);
  if (wish.kind === 'bad') return errorResponse(wish.error);
  const first = parsePage({ ...c.req.query(), limit: c.req.query('limit') ?? String(PAGE) });
  if (first.kind === 'bad') return errorResponse(first.error);
  const isLimited = c.req.query('limit') !== undefined;
  for (let { from } = first.value; ; ) {
    const page = await collection.list({ limit: first.value.limit ?? PAGE, from });
    for (const { metadata } of page.items) {
      const { namespace = '', name, uid } = metadata;
      // The one that was listed, not another of its name.
      const preconditions = { uid, resourceVersion: null };
      const removed = await remove(kind, { namespace, name }, { ...wish, preconditions });
      if (removed.kind === 'refused' && !isGone(removed.error)) return errorResponse(removed.error);
    }
    if (page.next === null || isLimited) break;
    from = page.next;
  }
  return Response.json(successStatus(kind.resource, '', null));
}

const isGone = ({ reason }: StatusError): boolean => reason === 'NotFound' || reason === 'Conflict';
