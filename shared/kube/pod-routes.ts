import { type Context, Hono } from 'hono';
import { hasPod } from '../domain/index-record.ts';
import { parsePodName } from '../domain/pod-name.ts';
import type { ApiDeps, ApiOptions } from './api-deps.ts';
import { STREAM_MAX_SEC } from './api-deps.ts';
import { deletionOf } from './delete-job.ts';
import { listPods, parsePodFilter } from './list-pods.ts';
import { type JobRef, jobRefs, parsePage, renderList } from './list-page.ts';
import { findLogSource, logLines, parseLogOptions } from './pod-log.ts';
import type { Reads } from './read-job.ts';
import { readPod } from './read-pods.ts';
import { PODS, badRequest, conflict, errorResponse, methodNotAllowed, notFound } from './status-error.ts';
import { streamLines } from './streams.ts';
import { watchedPods } from './watch-pods.ts';
import { isWatch, watchResponse } from './watch-routes.ts';

/** Core/v1 Pods, which are a Job's attempts: get, list, watch, log. */
export function podRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const many = (c: Context, namespace: string | null) => listOrWatch(c, namespace, deps, options);
  app.get('/pods', (c) => many(c, null));
  app.get('/namespaces/:namespace/pods', (c) => many(c, c.req.param('namespace')));
  app.get('/namespaces/:namespace/pods/:name', async (c) => {
    const { namespace, name } = c.req.param();
    const found = await findPod(namespace, name, deps);
    return found === null ? errorResponse(notFound(PODS, name)) : c.json(found.pod);
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

async function listOrWatch(c: Context, namespace: string | null, deps: ApiDeps, options: ApiOptions) {
  const query = c.req.query();
  const filter = parsePodFilter(namespace, query);
  if (filter.kind === 'bad') return errorResponse(filter.error);
  if (isWatch(c)) return watchResponse(c, watchedPods(filter.value, deps), deps, options);
  const page = parsePage(query);
  if (page.kind === 'bad') return errorResponse(page.error);
  return c.json(renderList('PodList', 'v1', await listPods(filter.value, page.value, deps)));
}

/** A Pod's name leads to its attempt, once its Job is known: `<job>-<suffix>` or `<job>-<index>-<suffix>`. */
async function findPod(namespace: string, name: string, reads: Reads) {
  for await (const { uid, name: jobName } of ownersOf(namespace, name, reads)) {
    const spec = await reads.jobs.readSpec(uid);
    if (spec === null) continue;
    const { completionMode } = spec.manifest.spec;
    const attempt = parsePodName({ uid, name: jobName, completionMode }, name);
    const found = attempt === null ? null : await readPod(uid, attempt.index, attempt.attempt, reads);
    if (found !== null) return found;
  }
  return null;
}

/** From this length on a Pod's name holds only the beginning of its Job's. */
const CUT_CHARS = 58;

/** Jobs that may own a Pod of this name. */
async function* ownersOf(namespace: string, podName: string, { jobs }: Reads): AsyncGenerator<JobRef> {
  const [, rest] = /^(.+)-[a-z0-9]+$/.exec(podName) ?? [];
  if (rest === undefined) return;
  const [, beforeIndex] = /^(.+)-\d+$/.exec(rest) ?? [];
  for (const name of beforeIndex === undefined ? [rest] : [beforeIndex, rest])
    yield* jobRefs(jobs, { namespace, name }, null);
  if (rest.length + 1 < CUT_CHARS) return;
  for await (const ref of jobRefs(jobs, { namespace, name: undefined }, null))
    if (ref.name.startsWith(beforeIndex ?? rest)) yield ref;
}

/** Stops the Pod's attempt. What has ended is the Job's history, and goes when the Job does. */
async function deletePod(c: Context, namespace: string, name: string, deps: ApiDeps): Promise<Response> {
  const wish = await deletionOf(c);
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
