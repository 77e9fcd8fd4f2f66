import type { Context, Hono } from 'hono';
import type { ResourceAttributes } from '../../../domain/callers/attributes.ts';
import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import type { ApiDeps } from '../../../kube/http/api-deps.ts';
import { refusalOf } from '../../../kube/http/authorizer.ts';
import { noteTakenOver } from '../../../kube/http/request-notes.ts';
import {
  type StatusError,
  badRequest,
  errorResponse,
  forbidden,
  notFound,
  tooManyRequests,
} from '../../../kube/http/status-error.ts';
import { findPod } from '../../../kube/pods/find-pod.ts';
import { type Protocol, chooseProtocol } from '../domain/protocols.ts';
import type { TakeOver } from '../domain/session-plan.ts';
import { containerOf, wantedIn } from '../domain/wanted.ts';
import { containersOf, taskOf } from './found-task.ts';

const SUBRESOURCES = ['exec', 'attach', 'portforward'] as const;
type Subresource = (typeof SUBRESOURCES)[number];

/** When a client that finds no room may try again. */
const BUSY_SEC = 1;

/** The connections of `kubectl exec`, `cp`, `attach`, and `port-forward`: what may not be, or cannot be, is answered here. */
export function addSessionRoutes(app: Hono, deps: ApiDeps): void {
  for (const subresource of SUBRESOURCES)
    app.on(['GET', 'POST'], `/api/v1/namespaces/:namespace/pods/:name/${subresource}`, async (c) => {
      const refused = await begin(c, subresource, deps);
      if (refused !== null) return errorResponse(refused);
      noteTakenOver(c);
      return c.body(null, 200);
    });
}

/** null: the connection is taken over. */
async function begin(c: Context, subresource: Subresource, deps: ApiDeps): Promise<StatusError | null> {
  const { namespace = '', name = '' } = c.req.param();
  const attributes: ResourceAttributes = {
    kind: 'resource',
    verb: 'create',
    group: '',
    resource: 'pods',
    subresource,
    namespace,
    name,
  };
  // A WebSocket begins with GET, but what it does is no reading: since 1.35 Kubernetes asks for both.
  const refusal = c.req.method === 'GET' ? await refusalOf(c, attributes, deps) : null;
  if (refusal !== null) return refusal;
  const chosen = protocolOf(c, subresource);
  if (chosen.kind === 'bad') return chosen.error;
  const { protocol } = chosen;
  const asked = wantedIn(subresource, c.req.queries());
  if (asked.kind === 'bad') return badRequest(asked.why);
  const { wanted } = asked;
  const found = await findPod(namespace, name, deps);
  if (found === null) return notFound(API_KINDS.Pod, name);
  const container = wanted.kind === 'portForward' ? null : containerOf(asked.container, name, containersOf(found));
  if (container?.kind === 'bad') return badRequest(container.why);
  const task = taskOf(found, wanted.kind, container?.name ?? null);
  if (task.kind === 'none') return badRequest(task.why);
  const user = deps.callerOf(c);
  const taken = takeOverOf(c)?.({
    protocol,
    taskId: task.id,
    container: container?.name ?? null,
    pod: { name, uid: found.pod.metadata.uid },
    wanted,
    mayGoOn: async () => deps.authorizer === null || (await deps.authorizer.decide(user, attributes)).allowed,
  });
  if (taken?.kind === 'taken') return null;
  if (taken?.kind === 'busy') return tooManyRequests(taken.why, BUSY_SEC);
  return badRequest(taken?.why ?? UPGRADE_REQUIRED);
}

const UPGRADE_REQUIRED = 'Upgrade request required';

type FromRequest =
  | { readonly kind: 'ok'; readonly protocol: Protocol }
  | { readonly kind: 'bad'; readonly error: StatusError };

function protocolOf(c: Context, subresource: Subresource): FromRequest {
  const chosen = chooseProtocol(subresource === 'portforward' ? 'portForward' : 'streams', {
    upgrade: c.req.header('upgrade'),
    subprotocols: c.req.header('sec-websocket-protocol'),
    versions: c.req.header('x-stream-protocol-version'),
  });
  if (chosen.kind === 'protocol') return { kind: 'ok', protocol: chosen.protocol };
  if (chosen.kind === 'plain') return { kind: 'bad', error: badRequest(UPGRADE_REQUIRED) };
  const why = `unable to negotiate protocol: client supports [${chosen.offered.join(' ')}], server accepts [${chosen.served.join(' ')}]`;
  return { kind: 'bad', error: forbidden(why) };
}

/** What the transport offers; null: it cannot give connections away. */
function takeOverOf(c: Context): TakeOver | null {
  const env: unknown = c.env;
  const given: unknown = typeof env === 'object' && env !== null ? Reflect.get(env, 'takeOver') : null;
  return isTakeOver(given) ? given : null;
}

const isTakeOver = (value: unknown): value is TakeOver => typeof value === 'function';
