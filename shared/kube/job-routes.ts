import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from './api-deps.ts';
import { createJob } from './create-job.ts';
import { deleteJob } from './delete-job.ts';
import { findJob, listJobs, parseJobFilter } from './list-jobs.ts';
import { parsePage, renderList } from './list-page.ts';
import { JOBS, errorResponse, methodNotAllowed, notFound, unsupportedMediaType } from './status-error.ts';
import { watchedJobs } from './watch-jobs.ts';
import { isWatch, watchResponse } from './watch-routes.ts';

/** `batch/v1` Jobs: create, get, list, watch, delete. */
export function jobRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const many = (c: Context, namespace: string | null) => listOrWatch(c, namespace, deps, options);
  app.get('/jobs', (c) => many(c, null));
  app.get('/namespaces/:namespace/jobs', (c) => many(c, c.req.param('namespace')));
  app.post('/namespaces/:namespace/jobs', (c) => createJob(c, c.req.param('namespace'), deps));
  app.get('/namespaces/:namespace/jobs/:name', async (c) => {
    const { namespace, name } = c.req.param();
    const job = await findJob(namespace, name, deps);
    return job === null ? errorResponse(notFound(JOBS, name)) : c.json(job);
  });
  app.delete('/namespaces/:namespace/jobs/:name', (c) => {
    const { namespace, name } = c.req.param();
    return deleteJob(c, namespace, name, deps);
  });
  app.patch('/namespaces/:namespace/jobs/:name', () => errorResponse(unsupportedMediaType([])));
  for (const path of ['/jobs', '/namespaces/:namespace/jobs', '/namespaces/:namespace/jobs/:name'])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}

async function listOrWatch(c: Context, namespace: string | null, deps: ApiDeps, options: ApiOptions) {
  const query = c.req.query();
  const filter = parseJobFilter(namespace, query);
  if (filter.kind === 'bad') return errorResponse(filter.error);
  if (isWatch(c)) return watchResponse(c, watchedJobs(filter.value, deps), deps, options);
  const page = parsePage(query);
  if (page.kind === 'bad') return errorResponse(page.error);
  return c.json(renderList('JobList', 'batch/v1', await listJobs(filter.value, page.value, deps)));
}
