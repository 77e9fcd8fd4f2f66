import { type Context, Hono } from 'hono';
import type { ApiDeps, ApiOptions } from '../http/api-deps.ts';
import { BUFFERED_MAX_SEC, STREAM_MAX_SEC } from '../http/api-deps.ts';
import { listOrWatch, showObject } from '../list/collection-routes.ts';
import { findAttempt, findEndedAttempt, findPod } from './find-pod.ts';
import type { PageRequest } from '../list/list-page.ts';
import { jobNameOfPod } from '../../domain/manifests/bare-pod.ts';
import { createObject } from '../write/create-object.ts';
import { patchObject } from '../write/patch-object.ts';
import { updateObject } from '../write/update-object.ts';
import { barePodKind } from './bare-pod-kind.ts';
import { listPods, parsePodFilter } from './list-pods.ts';
import { deletePod, deletePods, evictPod } from './pod-delete.ts';
import { type LogLookouts, createLogLookouts } from './log-lookouts.ts';
import { logText } from './log-text.ts';
import { type LogSource, findLogSource } from './pod-log.ts';
import type { PodFacts } from './pod-facts.ts';
import { parseLogOptions } from './pod-log-options.ts';
import { negotiate } from '../http/negotiate.ts';
import { flagOf, ok } from '../http/query.ts';
import { readAttempt } from './read-pods.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { badRequest, errorResponse, methodNotAllowed, notFound } from '../http/status-error.ts';
import { streamLines } from '../http/streams.ts';
import { POD_PRINTER, isPodOver } from './pod-printer.ts';
import { withTerminationMessage } from './termination-message.ts';
import { watchedPods } from './watch-pods.ts';
import { followed } from '../feed/watched.ts';

const PATH = '/namespaces/:namespace/pods';

/**
 * Core/v1 Pods: get, list, watch, log, and delete, which stops them. They are attempts of Jobs, or bare Pods, which users make and
 * change.
 */
export function podRoutes(deps: ApiDeps, options: ApiOptions): Hono {
  const app = new Hono();
  const lookouts = createLogLookouts(deps);
  const many = async (c: Context, namespace: string | null): Promise<Response> => {
    const pods = selectPods(c, namespace, deps);
    return pods.kind === 'bad' ? errorResponse(pods.error) : listOrWatch(c, pods.value, deps, options);
  };
  app.get('/pods', (c) => many(c, null));
  app.get(PATH, (c) => many(c, c.req.param('namespace')));
  app.delete(PATH, async (c) => {
    const pods = selectPods(c, c.req.param('namespace'), deps);
    return pods.kind === 'bad' ? errorResponse(pods.error) : deletePods(c, pods.value.list, deps);
  });
  for (const path of [`${PATH}/:name`, `${PATH}/:name/status`] as const)
    app.get(path, async (c) => {
      const { namespace, name } = c.req.param();
      const found = await findPod(namespace, name, deps);
      if (found === null) return errorResponse(notFound(API_KINDS.Pod, name));
      return showObject(c, await shownPod(c, found, deps), POD_PRINTER, deps);
    });
  app.get(`${PATH}/:name/log`, (c) => {
    const { namespace, name } = c.req.param();
    return readLog(c, namespace, name, { ...deps, lookouts }, options);
  });
  app.delete(`${PATH}/:name`, (c) => {
    const { namespace, name } = c.req.param();
    return deletePod(c, namespace, name, deps);
  });
  app.post(`${PATH}/:name/eviction`, (c) => {
    const { namespace, name } = c.req.param();
    return evictPod(c, namespace, name, deps);
  });
  const kind = barePodKind(deps);
  app.post(PATH, (c) => createObject(c, kind, c.req.param('namespace'), ({ object }) => c.json(object, 201), deps));
  app.on(['PUT', 'PATCH'], `${PATH}/:name`, async (c) => {
    const key = { namespace: c.req.param('namespace'), name: c.req.param('name') };
    const isBare = (await deps.jobs.findJob(key.namespace, jobNameOfPod(key.name))) !== null;
    if (!isBare && (await findPod(key.namespace, key.name, deps)) !== null)
      return errorResponse(methodNotAllowed(NOT_WRITTEN));
    const change = c.req.method === 'PUT' ? updateObject : patchObject;
    return change(c, kind, key, (object, code) => c.json(object, code), deps);
  });
  for (const path of [
    '/pods',
    PATH,
    `${PATH}/:name`,
    `${PATH}/:name/status`,
    `${PATH}/:name/log`,
    `${PATH}/:name/eviction`,
  ])
    app.all(path, () => errorResponse(methodNotAllowed(NOT_WRITTEN)));
  return app;
}

/** A Pod as it is shown singly. A table shows no messages, so no log is read for it. */
async function shownPod(c: Context, { pod, facts }: NonNullable<Awaited<ReturnType<typeof findPod>>>, deps: ApiDeps) {
  const form = negotiate(c.req.header('accept'), 'object', c.req.query('includeObject'));
  if (form.kind === 'bad' || form.value.kind !== 'plain') return pod;
  try {
    return await withTerminationMessage(pod, facts, deps.logs);
  } catch (error) {
    // The Pod is what was asked for; too many calls to CloudWatch Logs must not hide it.
    deps.telemetry.warn('a termination message could not be read', { pod: pod.metadata.name, error: String(error) });
    return pod;
  }
}

const NOT_WRITTEN = 'this Pod is one attempt of its Job: it can be read and deleted, which stops it, but not changed';

function selectPods(c: Context, namespace: string | null, deps: ApiDeps) {
  const filter = parsePodFilter(namespace, c.req.query());
  if (filter.kind === 'bad') return filter;
  return ok({
    resource: API_KINDS.Pod,
    apiVersion: 'v1',
    printer: POD_PRINTER,
    isOver: isPodOver,
    list: (page: PageRequest) => listPods(filter.value, page, deps),
    watch: () => followed(deps.tails.jobs, watchedPods(filter.value, deps)),
  });
}

type LogDeps = ApiDeps & { readonly lookouts: LogLookouts };

async function readLog(c: Context, namespace: string, name: string, deps: LogDeps, options: ApiOptions) {
  const { follow, previous } = c.req.query();
  const ended = flagOf(follow) || flagOf(previous) ? null : await findEndedAttempt(namespace, name, deps);
  if (ended !== null) return readEndedLog(c, name, ended, deps, options);
  // The log of a deleted Pod can be read as long as its attempt's record exists.
  const found = await findAttempt(namespace, name, deps);
  if (found === null) return errorResponse(notFound(API_KINDS.Pod, name));
  const { view, index, attempt, facts } = found;
  const now = deps.clock.now();
  const wanted = parseLogOptions(c.req.query(), name, containersOf(facts), now);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  const source = await findLogSource(facts, name, wanted.value, deps.jobs);
  if (source.kind === 'none') return errorResponse(badRequest(source.why, causesOf(source)));
  const hasEnded = async (): Promise<boolean> => {
    const pod = await readAttempt(view.spec.identity.uid, index, attempt, deps, 'evenDeleted');
    const then: LogSource | null = pod === null ? null : await findLogSource(pod.facts, name, wanted.value, deps.jobs);
    return then?.kind !== 'task' || then.taskArn !== source.taskArn || then.hasEnded;
  };
  const endsAt = endOf(now, options);
  const pieces = (isCancelled: () => boolean) =>
    logText(source, wanted.value, { endsAt, isCancelled, checkEnded: hasEnded }, deps);
  // A log that is not followed ends by itself, however many others are open.
  if (!wanted.value.follow) return streamLines('text/plain', pieces);
  const { username } = deps.callerOf(c);
  return options.watchMode === 'buffered'
    ? deps.streams.collect(username, 'text/plain', pieces)
    : deps.streams.send(username, 'text/plain', pieces);
}

const causesOf = ({ cause }: Extract<LogSource, { readonly kind: 'none' }>) =>
  cause === undefined ? [] : [{ ...cause, field: '' }];

/** When an answer must be over. */
function endOf(now: number, { streamMaxSec = STREAM_MAX_SEC, watchMode }: ApiOptions): number {
  return now + Math.min(streamMaxSec, watchMode === 'buffered' ? BUFFERED_MAX_SEC : streamMaxSec) * 1000;
}

/** The log of an attempt that has run and is over. */
function readEndedLog(
  c: Context,
  name: string,
  { spec, taskArn }: NonNullable<Awaited<ReturnType<typeof findEndedAttempt>>>,
  deps: LogDeps,
  options: ApiOptions,
): Response {
  const now = deps.clock.now();
  const wanted = parseLogOptions(c.req.query(), name, containersOf({ spec }), now);
  if (wanted.kind === 'bad') return errorResponse(wanted.error);
  const endsAt = endOf(now, options);
  return streamLines('text/plain', (isCancelled) =>
    logText({ taskArn, hasEnded: true }, wanted.value, { endsAt, isCancelled, checkEnded: async () => true }, deps),
  );
}

function containersOf({ spec }: Pick<PodFacts, 'spec'>) {
  const { containers, initContainers = [] } = spec.manifest.spec.template.spec;
  return { containers: containers.map(({ name }) => name), initContainers: initContainers.map(({ name }) => name) };
}
