import type { Context } from 'hono';
import { type Page, type PageRequest, parsePage } from '../list/list-page.ts';
import { type Resource, type StatusError, errorResponse, successStatus } from '../http/status-error.ts';

/** Objects of one page, which is listed before any of them is deleted. */
const PAGE = 500;
/** Each takes a few requests to the store, one after the other; a gateway waits half a minute. */
const AT_ONCE = 8;

/**
 * Answers `DELETE` of a collection: everything that `list` shows, a few at a time, or one page of it if the request has a
 * limit.
 *
 * @param remove resolves to the obstacle that ends it; null: none
 */
export async function deleteListed<T>(
  c: Context,
  resource: Resource,
  list: (page: PageRequest) => Promise<Page<T>>,
  remove: (object: T) => Promise<StatusError | null>,
): Promise<Response> {
  const limit = c.req.query('limit');
  const first = parsePage({ ...c.req.query(), limit: limit ?? String(PAGE) });
  if (first.kind === 'bad') return errorResponse(first.error);
  for (let { from } = first.value; ; ) {
    const { items, next } = await list({ limit: first.value.limit ?? PAGE, from });
    for (let at = 0; at < items.length; at += AT_ONCE) {
      const refusals = await Promise.all(items.slice(at, at + AT_ONCE).map(remove));
      const refusal = refusals.find((each) => each !== null) ?? null;
      if (refusal !== null) return errorResponse(refusal);
    }
    if (next === null || limit !== undefined) break;
    from = next;
  }
  return Response.json(successStatus(resource, '', null));
}
