import { type Context, Hono } from 'hono';
import { type ApiKind, pathOfAll, pathWithin } from '../../domain/kinds/api-kind.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { type EventFilter, parseEventFilter } from './event-filter.ts';
import { EVENTS, type EventObject } from './event-object.ts';
import { NEWER_EVENTS, NEWER_PRINTER, newerCollection, newerEvent, olderSelector } from './newer-event.ts';
import { listEvents, presentEvents } from './event-list.ts';
import { watchedEvents } from './event-watch.ts';
import { withCronEvents } from './event-watch-cron.ts';
import type { Collection } from '../list/collection.ts';
import { type Resource, errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { EVENT_PRINTER } from './event-printer.ts';
import { followed } from '../feed/watched.ts';

/**
 * Events of namespaces, objects that make Jobs, Jobs, and Pods, in core/v1 and in events.k8s.io/v1: get, list, watch. They are derived,
 * so they cannot be written or deleted.
 */
export function eventRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  for (const form of FORMS) {
    const [ofAll, within] = [pathOfAll(form.kind), pathWithin(form.kind, ':namespace')];
    const many = (c: Context, namespace: string | null) => form.showMany(c, namespace, deps, options);
    app.get(ofAll, (c) => many(c, null));
    app.get(within, (c) => many(c, c.req.param('namespace') ?? null));
    app.get(`${within}/:name`, async (c) => {
      const { namespace = '', name } = c.req.param() as { namespace?: string; name: string };
      const event = await findEvent(namespace, name, deps);
      return event === null ? errorResponse(notFound(form.resource, name)) : form.showOne(c, event, deps);
    });
    for (const path of [ofAll, within, `${within}/:name`])
      app.all(path, () => errorResponse(methodNotAllowed(NOT_WRITTEN)));
  }
  return app;
}

type EventForm = {
  readonly kind: ApiKind;
  readonly resource: Resource;
  showOne(c: Context, event: EventObject, deps: ApiDeps): Response;
  showMany(c: Context, namespace: string | null, deps: ApiDeps, options: ApiOptions): Promise<Response>;
};

const FORMS: readonly EventForm[] = [
  {
    kind: API_KINDS.Event,
    resource: EVENTS,
    showOne: (c, event, deps) => showObject(c, event, EVENT_PRINTER, deps),
    async showMany(c, namespace, deps, options) {
      const filter = parseEventFilter(namespace, c.req.query());
      if (filter.kind === 'bad') return errorResponse(filter.error);
      return listOrWatch(c, collectionOf(filter.value, deps), deps, options);
    },
  },
  {
    kind: API_KINDS.NewerEvent,
    resource: NEWER_EVENTS,
    showOne: (c, event, deps) => showObject(c, newerEvent(event), NEWER_PRINTER, deps),
    async showMany(c, namespace, deps, options) {
      const { fieldSelector = '', ...query } = c.req.query();
      const selector = olderSelector(fieldSelector);
      if (selector.kind === 'bad') return errorResponse(selector.error);
      const filter = parseEventFilter(namespace, { ...query, fieldSelector: selector.value });
      if (filter.kind === 'bad') return errorResponse(filter.error);
      return listOrWatch(c, newerCollection(collectionOf(filter.value, deps)), deps, options);
    },
  },
];

const NOT_WRITTEN =
  'Events are derived from their objects here: they cannot be written or deleted, and go with their object';

const collectionOf = (filter: EventFilter, deps: ApiDeps): Collection<EventObject> => ({
  resource: EVENTS,
  apiVersion: 'v1',
  printer: EVENT_PRINTER,
  list: (page) => listEvents(filter, page, deps),
  watch: () => {
    const ofJobs = followed(deps.tails.jobs, watchedEvents(filter, deps));
    return filter.ofStored.reduce((others, kind) => withCronEvents(kind, others, filter, deps), ofJobs);
  },
});

/** An Event's name begins with that of its object. */
async function findEvent(namespace: string, name: string, deps: ApiDeps) {
  const filter = parseEventFilter(namespace, { fieldSelector: `metadata.name=${name}` });
  if (filter.kind === 'bad') return null;
  for await (const { events } of presentEvents(filter.value, deps)) {
    const [found] = events;
    if (found !== undefined) return found;
  }
  return null;
}
