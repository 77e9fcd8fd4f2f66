import { type Context, Hono } from 'hono';
import { FURIKO_API_VERSION } from '../../domain/furiko/furiko-job.ts';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import type { KubeObject } from '../http/kube-object.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { type ListedKind, selectStored } from '../list/select-stored.ts';
import { addWriteRoutes } from '../write/write-routes.ts';
import { jobConfigKind } from './job-config-kind.ts';
import { JOB_CONFIG_PRINTER } from './job-config-printer.ts';

const PATH = '/namespaces/:namespace/jobconfigs';
const LISTED: ListedKind = {
  kind: 'JobConfig',
  resource: API_KINDS.JobConfig,
  apiVersion: FURIKO_API_VERSION,
  printer: JOB_CONFIG_PRINTER,
};

/** JobConfigs of `execution.furiko.io/v1alpha1`, as they are stored. `control/configs` creates their Jobs and writes their status. */
export function jobConfigRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const kind = jobConfigKind(deps);
  const many = (c: Context, namespace: string | null) => {
    const configs = selectStored(c, namespace, LISTED, deps);
    return configs.kind === 'bad' ? errorResponse(configs.error) : listOrWatch(c, configs.value, deps, options);
  };
  app.get('/jobconfigs', (c) => many(c, null));
  app.get(PATH, (c) => many(c, c.req.param('namespace') ?? ''));
  for (const path of [`${PATH}/:name`, `${PATH}/:name/status`])
    app.get(path, async (c) => {
      const [namespace, name] = [c.req.param('namespace') ?? '', c.req.param('name') ?? ''];
      const found = await kind.find({ namespace, name }, false);
      return found === null
        ? errorResponse(notFound(API_KINDS.JobConfig, name))
        : showObject(c, found.object, JOB_CONFIG_PRINTER, deps);
    });
  addWriteRoutes(
    app,
    {
      kind,
      path: PATH,
      show: (c: Context, config: KubeObject, code: 200 | 201) => c.json(config, code),
      select: (c, namespace) => selectStored(c, namespace, LISTED, deps),
    },
    deps,
  );
  for (const path of ['/jobconfigs', PATH, `${PATH}/:name`, `${PATH}/:name/status`])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}
