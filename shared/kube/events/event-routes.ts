import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { parseEventFilter } from './event-filter.ts';
import { EVENTS } from './event-object.ts';
import { listEvents, presentEvents } from './event-list.ts';
import { watchedEvents } from './event-watch.ts';
import { withCronEvents } from './event-watch-cron.ts';
import type { PageRequest } from '../list/list-page.ts';
import { errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { EVENT_PRINTER } from './event-printer.ts';
import { followed } from '../feed/watched.ts';

/** Core/v1 Events of namespaces, objects that make Jobs, Jobs, and Pods: get, list, watch. They are derived, so they cannot be written or deleted. */
export function eventRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const many = (c: Context, namespace: string | null) => showMany(c, namespace, deps, options);
  app.get('/events', (c) => many(c, null));
  app.get('/namespaces/:namespace/events', (c) => many(c, c.req.param('namespace')));
  app.get('/namespaces/:namespace/events/:name', async (c) => {
    const { namespace, name } = c.req.param();
    const event = await findEvent(namespace, name, deps);
    return event === null ? errorResponse(notFound(EVENTS, name)) : showObject(c, event, EVENT_PRINTER, deps);
  });
  for (const path of ['/events', '/namespaces/:namespace/events', '/namespaces/:namespace/events/:name'])
    app.all(path, () => errorResponse(methodNotAllowed(NOT_WRITTEN)));
  return app;
}

const NOT_WRITTEN =
  'Events are derived from their objects here: they cannot be written or deleted, and go with their object';

async function showMany(c: Context, namespace: string | null, deps: ApiDeps, options: ApiOptions) {
  const filter = parseEventFilter(namespace, c.req.query());
  if (filter.kind === 'bad') return errorResponse(filter.error);
  const events = {
    resource: EVENTS,
    apiVersion: 'v1',
    printer: EVENT_PRINTER,
    list: (page: PageRequest) => listEvents(filter.value, page, deps),
    watch: () => {
      const ofJobs = followed(deps.tails.jobs, watchedEvents(filter.value, deps));
      return filter.value.ofStored.reduce((others, kind) => withCronEvents(kind, others, filter.value, deps), ofJobs);
    },
  };
  return listOrWatch(c, events, deps, options);
}

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
