import type { Context } from 'hono';
import type { ApiDeps, ApiOptions } from './api-deps.ts';
import type { Collection } from './collection.ts';
import { jsonAnswer } from './json-answer.ts';
import type { KubeObject } from './kube-object.ts';
import { listAnswer } from './list-answer.ts';
import { parseListOptions } from './list-options.ts';
import { parsePage } from './list-page.ts';
import { negotiate } from './negotiate.ts';
import { errorResponse, methodNotAllowed } from './status-error.ts';
import { writerOf } from './table.ts';
import type { Printer } from './tables/printer.ts';
import { watchAnswer } from './watch-answer.ts';

/** Answers GET of a list, with `watch` or without, in the form that the client accepts. */
export async function listOrWatch<T extends KubeObject>(
  c: Context,
  collection: Collection<T>,
  deps: ApiDeps,
  options: ApiOptions,
): Promise<Response> {
  const wish = parseListOptions(c);
  if (wish.kind === 'bad') return errorResponse(wish.error);
  const of = wish.value.watch ? 'watch' : 'list';
  const form = negotiate(c.req.header('accept'), of, c.req.query('includeObject'));
  if (form.kind === 'bad') return errorResponse(form.error);
  const { resource, apiVersion, printer } = collection;
  const now = () => deps.clock.now();
  const writer = writerOf(form.value, { kind: resource.kind, apiVersion, printer }, now);
  if (wish.value.watch) {
    // Nobody would read what a watch tells, nor end it.
    if (c.req.method === 'HEAD') return errorResponse(methodNotAllowed());
    return watchAnswer(c, collection, wish.value, writer, deps, options);
  }
  const page = parsePage(c.req.query());
  if (page.kind === 'bad') return errorResponse(page.error);
  return listAnswer(c, collection, page.value, wish.value, writer, deps);
}

/** Answers with one object in the form that the client accepts: as it is, as a table of one row, or its metadata. */
export function showObject<T extends KubeObject>(
  c: Context,
  object: T,
  printer: Printer<T>,
  deps: Pick<ApiDeps, 'clock'>,
): Response {
  const form = negotiate(c.req.header('accept'), 'object', c.req.query('includeObject'));
  if (form.kind === 'bad') return errorResponse(form.error);
  const { kind, apiVersion } = object;
  const writer = writerOf(form.value, { kind, apiVersion, printer }, () => deps.clock.now());
  return jsonAnswer(c, writer.object(object, 'withColumns'));
}
