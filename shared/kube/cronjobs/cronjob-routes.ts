import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { type ListedKind, selectStored } from '../list/select-stored.ts';
import { cronJobKind, cronJobStatusKind } from './cronjob-kind.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { CRON_JOB_PRINTER } from './cronjob-printer.ts';
import { addSubresourceRoutes, addWriteRoutes } from '../write/write-routes.ts';

const PATH = '/namespaces/:namespace/cronjobs';
const LISTED: ListedKind = {
  kind: 'CronJob',
  resource: API_KINDS.CronJob,
  apiVersion: 'batch/v1',
  printer: CRON_JOB_PRINTER,
};

/** `batch/v1` CronJobs, as they are stored. `control/cron` creates their Jobs and writes their status. */
export function cronJobRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const kind = cronJobKind(deps);
  for (const [path, isAll] of [
    ['/cronjobs', true],
    [PATH, false],
  ] as const)
    app.get(path, async (c) => {
      const cronJobs = selectStored(c, isAll ? null : (c.req.param('namespace') ?? ''), LISTED, deps);
      return cronJobs.kind === 'bad' ? errorResponse(cronJobs.error) : listOrWatch(c, cronJobs.value, deps, options);
    });
  for (const path of [`${PATH}/:name`, `${PATH}/:name/status`])
    app.get(path, async (c) => {
      const [namespace, name] = [c.req.param('namespace') ?? '', c.req.param('name') ?? ''];
      const found = await kind.find({ namespace, name }, false);
      return found === null
        ? errorResponse(notFound(API_KINDS.CronJob, name))
        : showObject(c, found.object, CRON_JOB_PRINTER, deps);
    });
  const show = (c: Context, object: KubeObject, code: 200 | 201) => c.json(object, code);
  addSubresourceRoutes(app, { kind: cronJobStatusKind(deps), path: PATH, show }, ['update', 'patch'], deps);
  addWriteRoutes(
    app,
    {
      kind,
      path: PATH,
      show,
      select: (c, namespace) => selectStored(c, namespace, LISTED, deps),
    },
    deps,
  );
  for (const path of ['/cronjobs', PATH, `${PATH}/:name`, `${PATH}/:name/status`])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}
