import { loggedError } from '../http/logged-error.ts';
import type { Context } from 'hono';
import { encodePlace } from '../../schema/object/list-place.ts';
import type { ApiDeps } from '../http/api-deps.ts';
import type { Collection } from './collection.ts';
import { jsonAnswer } from '../http/json-answer.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { ListOptions } from './list-options.ts';
import type { Page, PageOptions } from './list-page.ts';
import { errorResponse, expired, versionAhead } from '../http/status-error.ts';
import { streamLines } from '../http/streams.ts';
import { withWarnings } from '../http/warnings.ts';
import type { Writer } from './object-writer.ts';

/** Objects that are kept in memory at a time, however long the list is. */
const PAGE_OBJECTS = 250;

/**
 * Answers a list with everything that was requested, keeping no more than a page in memory. A list that fits one page is
 * answered whole; the rest is written as it is read. If a later page cannot be read, the connection breaks.
 */
export async function listAnswer<T extends KubeObject>(
  c: Context,
  collection: Collection<T>,
  { limit, from }: PageOptions,
  options: ListOptions,
  writer: Writer<T>,
  deps: ApiDeps,
): Promise<Response> {
  const refusal = await refuse(collection, { limit, from }, options);
  if (refusal !== null) return errorResponse(refusal);
  const sizeOf = (left: number): number => Math.min(left, PAGE_OBJECTS);
  const wanted = limit ?? Number.POSITIVE_INFINITY;
  const first = await collection.list({ limit: sizeOf(wanted), from });
  if (first.next === null || first.items.length >= wanted) {
    const items = first.items.map((object) => writer.item(object));
    const answer = jsonAnswer(c, { ...writer.head, metadata: metadataOf(first, c), [writer.field]: items });
    return withWarnings(answer, first.warnings ?? []);
  }
  const pages = async function* (): AsyncGenerator<Page<T>> {
    let left = wanted;
    for (let page = first; ; page = await collection.list({ limit: sizeOf(left), from: page.next })) {
      // Its header has been sent.
      if (page !== first) for (const text of page.warnings ?? []) deps.telemetry.warn(text, { path: c.req.path });
      yield page;
      left -= page.items.length;
      if (page.next === null || left <= 0) return;
    }
  };
  const answer = streamLines('application/json', async function* (isCancelled) {
    try {
      yield* listText(pages(), writer, (last) => metadataOf(last, c), isCancelled);
    } catch (error) {
      deps.telemetry.warn('list broke off', { path: c.req.path, error: loggedError(c.req.path, error) });
      throw error;
    }
  });
  return withWarnings(answer, first.warnings ?? []);
}

/** The list as text, piece by piece. Its metadata comes last, because only then is its continue token known. */
async function* listText<T>(
  pages: AsyncIterable<Page<T>>,
  { head, field, item }: Writer<T>,
  metadata: (last: Page<T>) => object,
  isCancelled: () => boolean,
): AsyncGenerator<string> {
  let between = `${JSON.stringify(head).slice(0, -1)},"${field}":[`;
  let last: Page<T> | null = null;
  for await (const page of pages) {
    if (isCancelled()) return;
    let text = '';
    for (const object of page.items) {
      text += between + JSON.stringify(item(object));
      between = ',';
    }
    last = page;
    if (text !== '') yield text;
  }
  const open = between === ',' ? '' : between;
  yield `${open}],"metadata":${JSON.stringify(last === null ? {} : metadata(last))}}`;
}

/** With selectors, the number of remaining matches is unknown, and Kubernetes does not report one. */
function metadataOf({ version, next, remaining }: Omit<Page<unknown>, 'items'>, c: Context) {
  const { labelSelector = '', fieldSelector = '' } = c.req.query();
  const isCounted = remaining !== undefined && labelSelector === '' && fieldSelector === '';
  return {
    resourceVersion: String(version),
    ...(next === null ? {} : { continue: encodePlace(next) }),
    ...(isCounted ? { remainingItemCount: remaining } : {}),
  };
}

/** Why a list cannot be answered as requested; null: it can. */
async function refuse<T extends KubeObject>(
  collection: Collection<T>,
  { from }: PageOptions,
  { version, match }: ListOptions,
) {
  if (from === null && (version === null || version === 0)) return null;
  const watched = collection.watch();
  const head = await watched.head();
  if (from !== null) {
    if (from.version > head) return expired(TOO_OLD_TOKEN);
    return (await watched.read(from.version, 1)).kind === 'expired' ? expired(TOO_OLD_TOKEN) : null;
  }
  if (version !== null && version > head) return versionAhead(version, head);
  // Only the current state can be listed.
  return match === 'Exact' && version !== head
    ? expired('The resourceVersion for the provided list is too old.')
    : null;
}

const TOO_OLD_TOKEN =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.';
