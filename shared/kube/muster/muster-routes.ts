import { Hono } from 'hono';
import type { ApiDeps } from '../http/api-deps.ts';
import { findItems, parseItemQuery } from './find-items.ts';
import { findAttempts, parseAttemptQuery } from './list-attempts.ts';
import { indexRoutes } from './index-routes.ts';
import { renderFailures } from './render-failures.ts';
import { findProgress } from './render-progress.ts';
import { submissionRoutes } from './submission-routes.ts';
import { findWaits } from './render-waits.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';

const JOB = '/namespaces/:namespace/jobs/:name';

/** What Kubernetes has no resource for: submissions, changes of single indexes, and what is only read. Not in discovery, so that kubectl's lists do not change. */
export function musterRoutes(deps: ApiDeps): Hono {
  const app = new Hono();
  app.get(`${JOB}/waits`, async (c) => {
    const { namespace, name } = c.req.param();
    const waits = await findWaits(namespace, name, deps);
    return waits === null ? errorResponse(notFound(API_KINDS.Job, name)) : c.json(waits);
  });
  app.get(`${JOB}/failures`, async (c) => {
    const { namespace, name } = c.req.param();
    const failures = await deps.readFailures(namespace, name);
    return failures === null ? errorResponse(notFound(API_KINDS.Job, name)) : c.json(renderFailures(failures));
  });
  app.get(`${JOB}/progress`, async (c) => {
    const { namespace, name } = c.req.param();
    const progress = await findProgress(namespace, name, deps);
    return progress === null ? errorResponse(notFound(API_KINDS.Job, name)) : c.json(progress);
  });
  app.get(`${JOB}/attempts`, async (c) => {
    const { namespace, name } = c.req.param();
    const query = parseAttemptQuery(c.req.query());
    if (query.kind === 'bad') return errorResponse(query.error);
    const found = await findAttempts(namespace, name, query.value, deps);
    return found.kind === 'ok' ? c.json(found.value) : errorResponse(found.error);
  });
  app.get(`${JOB}/items`, async (c) => {
    const { namespace, name } = c.req.param();
    const query = parseItemQuery(c.req.queries('hash') ?? [], c.req.query('continue'));
    if (query.kind === 'bad') return errorResponse(query.error);
    const found = await findItems(namespace, name, query.value, deps);
    return found.kind === 'ok' ? c.json(found.value) : errorResponse(found.error);
  });
  for (const part of ['waits', 'failures', 'attempts', 'progress', 'items'])
    app.all(`${JOB}/${part}`, () => errorResponse(methodNotAllowed()));
  app.route('/', indexRoutes(deps));
  for (const routes of deps.capabilityRoutes) app.route('/', routes);
  app.route('/', submissionRoutes(deps));
  return app;
}
