import { Hono } from 'hono';
import type { ApiDeps } from './api-deps.ts';
import { diagnosisRoutes } from './diagnosis-routes.ts';
import { findWaits } from './render-waits.ts';
import { JOBS, errorResponse, methodNotAllowed, notFound } from './status-error.ts';

const JOB = '/namespaces/:namespace/jobs/:name';

/** What Kubernetes has no word for: read only, and in no discovery, so that kubectl's lists stay as they are. */
export function musterRoutes(deps: ApiDeps): Hono {
  const app = new Hono();
  app.get(`${JOB}/waits`, async (c) => {
    const { namespace, name } = c.req.param();
    const waits = await findWaits(namespace, name, deps);
    return waits === null ? errorResponse(notFound(JOBS, name)) : c.json(waits);
  });
  app.all(`${JOB}/waits`, () => errorResponse(methodNotAllowed()));
  app.route('/', diagnosisRoutes(deps.doctor));
  return app;
}
