import { type Context, Hono } from 'hono';
import { hasPod } from '../domain/index-record.ts';
import type { ApiDeps, ApiOptions } from './api-deps.ts';
import { STREAM_MAX_SEC } from './api-deps.ts';
import { listOrWatch, showObject } from './collection-routes.ts';
import { deletionOf } from './delete-options.ts';
import type { PageRequest } from './list-page.ts';
import { listPods, parsePodFilter } from './list-pods.ts';
import { findPod } from './find-pod.ts';
import { findLogSource, logLines, parseLogOptions } from './pod-log.ts';
import { PODS, badRequest, conflict, errorResponse, methodNotAllowed, notFound } from './status-error.ts';
import { streamLines } from './streams.ts';
import { POD_PRINTER, isPodOver } from './tables/pod-printer.ts';
import { watchedPods } from './watch-pods.ts';
import { followed, jobFeed } from './watched.ts';

/** Core/v1 Pods, which are a Job's attempts: get, list, watch, log. */
export function podRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const many = (c: Context, namespace: string | null) => showMany(c, namespace, deps, options);
  app.get('/pods', (c) => many(c, null));
  app.get('/namespaces/:namespace/pods', (c) => many(c, c.req.param('namespace')));
  app.get('/namespaces/:namespace/pods/:name', async (c) => {
    const { namespace, name } = c.req.param();
    const found = await findPod(namespace, name, deps);
    return found === null ? errorResponse(notFound(PODS, name)) : showObject(c, found.pod, POD_PRINTER, deps);
  });
  app.get('/namespaces/:namespace/pods/:name/log', (c) => {
    const { namespace, name } = c.req.param();
    return readLog(c, namespace, name, deps, options);
  });
  app.delete('/namespaces/:namespace/pods/:name', async (c) => {
    const { namespace, name } = c.req.param();
    return deletePod(c, namespace, name, deps);
  });
  for (const path of ['/pods', ...['', '/:name', '/:name/log'].map((rest) => `/namespaces/:namespace/pods${rest}`)])
    app.all(path, () => errorResponse(methodNotAllowed()));
  return app;
}

async function showMany(c: Context, namespace: string | null, deps: ApiDeps, options: ApiOptions) {
  const filter = parsePodFilter(namespace, c.req.query());
  if (filter.kind === 'bad') return errorResponse(filter.error);
  const pods = {
    resource: PODS,
    apiVersion: 'v1',
    printer: POD_PRINTER,
    isOver: isPodOver,
    list: (page: PageRequest) => listPods(filter.value, page, deps),
    watch: () => followed(jobFeed(deps.feed), watchedPods(filter.value, deps)),
  };
  return listOrWatch(c, pods, deps, options);
}

/** Stops the Pod's attempt. What has ended is the Job's history, and goes when the Job does. */
async function deletePod(c: Context, namespace: string, name: string, deps: ApiDeps): Promise<Response> {
  const wish = await deletionOf(c, null);
  if (wish.kind === 'bad') return errorResponse(wish.error);
  const found = await findPod(namespace, name, deps);
  if (found === null) return errorResponse(notFound(PODS, name));
  const { index, attempt, view } = found;
  const record = view.board.record(index);
  if (record === null || record.attempt !== attempt || !hasPod(record.state)) {
    return errorResponse(conflict(PODS, name, 'it has ended; its record is deleted with its Job'));
  }
  const { uid } = view.spec.identity;
  if (!wish.dryRun) await deps.changes.deletePod(uid, { index, attempt, nonce: record.nonce });
  return c.json(found.pod);
}

async function readLog(c: Context, namespace: string, name: string, deps: ApiDeps, options: ApiOptions) {
  const found = await findPod(namespace, name, deps);
  if (found === null) return errorResponse(notFound(PODS, name));
  const { view, index, attempt } = found;
  const { containers, initContainers = [] } = view.spec.manifest.spec.template.spec;
  const names = (of: readonly { readonly name: string }[]) => of.map((container) => container.name);
  const choice = { containers: names(containers), initContainers: names(initContainers) };
  const now = deps.clock.now();
  const wanted = parseLogOptions(c.req.query(), name, choice, now);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  const { uid } = view.spec.identity;
  const look = async () => findLogSource({ uid, index, attempt }, deps);
  const source = await look();
  const taskArn = source?.taskArn ?? null;
  if (source === null || taskArn === null || (found.state !== 'running' && !source.hasEnded)) {
    const { container } = wanted.value;
    const why = `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)} is waiting to start: ContainerCreating`;
    return errorResponse(badRequest(why));
  }
  const endsAt = now + (options.streamMaxSec ?? STREAM_MAX_SEC) * 1000;
  return streamLines('text/plain', (isCancelled) =>
    logLines({ ...source, taskArn }, { ...wanted.value, endsAt, isCancelled }, look, deps),
  );
}
