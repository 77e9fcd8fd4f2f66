import type { Context, Hono } from 'hono';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import { readAtMost } from '../../../kube/http/request-body.ts';
import {
  badRequest,
  errorResponse,
  methodNotAllowed,
  notFound,
  tooLarge,
  tooManyRequests,
} from '../../../kube/http/status-error.ts';
import { findPod } from '../../../kube/pods/find-pod.ts';
import { ANSWER_KIND, REMOTE_TYPE, type RemoteRequest, remoteRequestIn } from '../domain/remote-request.ts';
import { containerOf } from '../domain/wanted.ts';
import type { RemoteSessions } from '../ports/remote-sessions.ts';
import { type FoundPod, containersOf, hasReadOnlyRoot, taskOf } from './found-task.ts';

const SUBRESOURCES = ['exec', 'attach', 'portforward'] as const;
type Subresource = (typeof SUBRESOURCES)[number];

const BODY_BYTES_MAX = 256 * 1024;
const BUSY_SEC = 1;

/**
 * Sessions that clients hold by themselves: the API says whether one may be, has it opened, and gives its token away, which is in no
 * log. The caller's right, and the audit, are those of the path, as for the connections that the embedded runtime holds.
 */
export const remoteSessionRoutes =
  (sessions: RemoteSessions) =>
  (app: Hono, deps: ApiDeps): void => {
    for (const subresource of SUBRESOURCES)
      app.on(['GET', 'POST'], `/api/v1/namespaces/:namespace/pods/:name/${subresource}`, async (c) =>
        isRemote(c) ? answer(c, subresource, sessions, deps) : errorResponse(methodNotAllowed(BY_THE_PROXY)),
      );
  };

const BY_THE_PROXY =
  'connections to Pods do not go through this API: use `muster exec`, or let kubectl connect by way of `muster proxy`';

const isRemote = (c: Context): boolean =>
  c.req.method === 'POST' && (c.req.header('content-type') ?? '').split(';')[0] === REMOTE_TYPE;

async function answer(
  c: Context,
  subresource: Subresource,
  sessions: RemoteSessions,
  deps: ApiDeps,
): Promise<Response> {
  const bytes = await readAtMost(c.req.raw, BODY_BYTES_MAX);
  if (bytes === null) return errorResponse(tooLarge(BODY_BYTES_MAX));
  const request = remoteRequestIn(jsonIn(bytes));
  if (request === null || !KINDS[subresource].includes(request.kind))
    return errorResponse(badRequest(`the body is no request for ${subresource}`));
  const { namespace = '', name = '' } = c.req.param();
  const found = await findPod(namespace, name, deps);
  if (found === null) return errorResponse(notFound(API_KINDS.Pod, name));
  if (request.kind === 'end') {
    await sessions.end(request.sessionId);
    return opened(c, found, null, null);
  }
  const isPorts = subresource === 'portforward';
  const asked = request.kind === 'forward' ? null : request.container;
  const container = isPorts ? null : containerOf(asked, name, containersOf(found));
  if (container?.kind === 'bad') return errorResponse(badRequest(container.why));
  const named = container?.name ?? null;
  const task = taskOf(found, isPorts ? 'portForward' : subresource, named);
  if (task.kind === 'none') return errorResponse(badRequest(task.why));
  if (subresource !== 'attach' && hasReadOnlyRoot(found, named)) return errorResponse(badRequest(READ_ONLY));
  if (request.kind === 'look' || (request.kind === 'run' && named === null)) return opened(c, found, named, null);
  const outcome = await open(request, task.id, named, sessions);
  if (outcome.kind === 'busy') return errorResponse(tooManyRequests(outcome.why, BUSY_SEC));
  if (outcome.kind === 'refused') return errorResponse(badRequest(outcome.why));
  return opened(c, found, named, outcome.session);
}

/** What may be asked of which. */
const KINDS: Readonly<Record<Subresource, readonly RemoteRequest['kind'][]>> = {
  exec: ['run', 'end'],
  attach: ['look'],
  portforward: ['look', 'forward'],
};

/** The agent writes beside the container's own files (aws/containers-roadmap#1359). */
const READ_ONLY =
  'its container has readOnlyRootFilesystem, and the agent of ECS Exec cannot run without writing to the root: leave it out, or read the log';

const open = async (
  request: Extract<RemoteRequest, { readonly kind: 'run' | 'forward' }>,
  taskId: string,
  container: string | null,
  sessions: RemoteSessions,
) =>
  request.kind === 'run'
    ? sessions.run({ taskId, container: container ?? '' }, request.command)
    : sessions.forward({ taskId, container }, request.port);

function opened(c: Context, { pod }: FoundPod, container: string | null, session: object | null): Response {
  c.header('cache-control', 'no-store');
  const answered = { kind: ANSWER_KIND, apiVersion: 'muster.run/v1', container, podUid: pod.metadata.uid, session };
  return c.json(answered);
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
