import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { findJob } from '../jobs/list-jobs.ts';
import { type ListedJobs, selectFaces } from '../jobs/select-jobs.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { addWriteRoutes } from '../write/write-routes.ts';
import { FURIKO_FACE, type FurikoJobObject } from './furiko-face.ts';
import { furikoJobKind } from './furiko-job-kind.ts';
import { FURIKO_JOB_PRINTER, isFurikoJobOver } from './furiko-job-printer.ts';

const PATH = '/namespaces/:namespace/jobs';
const LISTED: ListedJobs<FurikoJobObject> = {
  face: FURIKO_FACE,
  printer: FURIKO_JOB_PRINTER,
  isOver: isFurikoJobOver,
};

/** Jobs of `execution.furiko.io/v1alpha1`. */
export function furikoJobRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const many = (c: Context, namespace: string | null) => {
    const jobs = selectFaces(c, namespace, LISTED, deps);
    return jobs.kind === 'bad' ? errorResponse(jobs.error) : listOrWatch(c, jobs.value, deps, options);
  };
  app.get('/jobs', (c) => many(c, null));
  app.get(PATH, (c) => many(c, c.req.param('namespace') ?? ''));
  for (const path of [`${PATH}/:name`, `${PATH}/:name/status`])
    app.get(path, async (c) => {
      const [namespace, name] = [c.req.param('namespace') ?? '', c.req.param('name') ?? ''];
      const job = await findJob(FURIKO_FACE, { namespace, name }, deps);
      return job === null
        ? errorResponse(notFound(API_KINDS.FurikoJob, name))
        : showObject(c, job, FURIKO_JOB_PRINTER, deps);
    });
  addWriteRoutes(
    app,
    {
      kind: furikoJobKind(deps),
      path: PATH,
      show: (c: Context, job: KubeObject, code: 200 | 201) => c.json(job, code),
      select: (c, namespace) => selectFaces(c, namespace, LISTED, deps),
    },
    deps,
  );
  for (const path of ['/jobs', PATH, `${PATH}/:name`, `${PATH}/:name/status`])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}
