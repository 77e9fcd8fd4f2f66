import type { Context } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { Collection } from './collection.ts';
import { jsonAnswer } from '../http/json-answer.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { listAnswer } from './list-answer.ts';
import { parseListOptions } from './list-options.ts';
import { parsePage } from './list-page.ts';
import { negotiate } from '../http/negotiate.ts';
import { errorResponse, methodNotAllowed } from '../http/status-error.ts';
import { writerOf } from './object-writer.ts';
import type { Printer } from './printer.ts';
import { watchAnswer } from './watch-answer.ts';

/** Answers GET of a list, with or without `watch`, in the form that the client accepts. */
export async function listOrWatch<T extends KubeObject>(
  c: Context,
  collection: Collection<T>,
  deps: ApiDeps,
  options: ApiOptions,
): Promise<Response> {
  const wanted = parseListOptions(c);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  const of = wanted.value.watch ? 'watch' : 'list';
  const form = negotiate(c.req.header('accept'), of, c.req.query('includeObject'));
  if (form.kind === 'bad') return errorResponse(form.error);
  const { resource, apiVersion, printer } = collection;
  const now = () => deps.clock.now();
  const writer = writerOf(form.value, { kind: resource.kind, apiVersion, printer }, now);
  if (wanted.value.watch) {
    // HEAD has no body, so a watch would never be read or ended.
    if (c.req.method === 'HEAD') return errorResponse(methodNotAllowed());
    return watchAnswer(c, collection, wanted.value, writer, deps, options);
  }
  const page = parsePage(c.req.query());
  if (page.kind === 'bad') return errorResponse(page.error);
  return listAnswer(c, collection, page.value, wanted.value, writer, deps);
}

/** Answers with one object in the form that the client accepts: as it is, as a table with one row, or its metadata. */
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
