import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { Collection } from '../list/collection.ts';
import { jobKind } from './job-kind.ts';
import { jobStatusKind } from './job-status-kind.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { BATCH_FACE } from './job-face.ts';
import { findJob } from './list-jobs.ts';
import type { KubeObject } from '../http/kube-object.ts';
import type { Parsed } from '../http/query.ts';
import type { JobObject } from './render-job.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { JOB_PRINTER, isJobOver } from './job-printer.ts';
import { selectFaces } from './select-jobs.ts';
import { addSubresourceRoutes, addWriteRoutes } from '../write/write-routes.ts';

const PATH = '/namespaces/:namespace/jobs';

/** `batch/v1` Jobs. */
export function jobRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const many = (c: Context, namespace: string | null) => showMany(c, namespace, deps, options);
  app.get('/jobs', (c) => many(c, null));
  app.get(PATH, (c) => many(c, c.req.param('namespace') ?? ''));
  for (const path of [`${PATH}/:name`, `${PATH}/:name/status`])
    app.get(path, async (c) => {
      const name = c.req.param('name') ?? '';
      const job = await findJob(BATCH_FACE, { namespace: c.req.param('namespace') ?? '', name }, deps);
      return job === null ? errorResponse(notFound(API_KINDS.Job, name)) : showObject(c, job, JOB_PRINTER, deps);
    });
  const show = (c: Context, job: KubeObject, code: 200 | 201) => c.json(job, code);
  addSubresourceRoutes(app, { kind: jobStatusKind(deps), path: PATH, show }, ['update', 'patch'], deps);
  addWriteRoutes(
    app,
    {
      kind: jobKind(deps),
      path: PATH,
      show,
      select: (c, namespace) => selectJobs(c, namespace, deps),
    },
    deps,
  );
  for (const path of ['/jobs', PATH, `${PATH}/:name`, `${PATH}/:name/status`])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}

const selectJobs = (c: Context, namespace: string | null, deps: ApiDeps): Parsed<Collection<JobObject>> =>
  selectFaces(c, namespace, { face: BATCH_FACE, printer: JOB_PRINTER, isOver: isJobOver }, deps);

async function showMany(c: Context, namespace: string | null, deps: ApiDeps, options: ApiOptions) {
  const jobs = selectJobs(c, namespace, deps);
  return jobs.kind === 'bad' ? errorResponse(jobs.error) : listOrWatch(c, jobs.value, deps, options);
}
