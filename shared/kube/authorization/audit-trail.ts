import type { User } from '../../domain/callers/user.ts';
import type { Context, MiddlewareHandler } from 'hono';
import type { Attributes } from '../../domain/callers/attributes.ts';
import { asTime } from '../../domain/base/time.ts';
import type { Audit, AuditEvent } from '../../ports/callers/audit.ts';
import type { Clock } from '../../ports/clock.ts';
import { decisionOn } from '../http/authorizer.ts';
import { type Origin, isTakenOver, storedName } from '../http/request-notes.ts';
import { requestAttributes } from './request-attributes.ts';

export type TrailDeps = {
  readonly audit: Audit;
  readonly callerOf: (c: Context) => User;
  readonly originOf: (c: Context) => Origin;
  readonly newUid: () => string;
  readonly clock: Pick<Clock, 'now'>;
};

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Questions, which change nothing. */
const QUESTIONS: ReadonlySet<string> = new Set(['authorization.k8s.io', 'authentication.k8s.io']);
const URI_CHARS_MAX = 512;

/** Records every change that is asked for, and every session with a program, whatever the answer, and every read that is forbidden. */
export function auditTrail({ audit, callerOf, originOf, newUid, clock }: TrailDeps): MiddlewareHandler {
  return async (c, next) => {
    const received = asTime(clock.now());
    await next();
    const { method, path } = c.req;
    const status = isTakenOver(c) ? SWITCHED : c.res.status;
    const wanted = requestAttributes({ method, path, query: c.req.query() });
    const attributes = wanted.kind === 'attributes' ? wanted.attributes : null;
    const isQuestion = attributes?.kind === 'resource' && QUESTIONS.has(attributes.group);
    const isRead = READS.has(method) && !isSession(attributes);
    if (status !== FORBIDDEN && (isRead || isQuestion)) return;
    const { requestId, sourceIPs = [] } = originOf(c);
    audit.record({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: requestId ?? newUid(),
      stage: 'ResponseComplete',
      requestURI: uriOf(c),
      verb: attributes?.verb ?? method.toLowerCase(),
      user: callerOf(c),
      ...(sourceIPs.length === 0 ? {} : { sourceIPs }),
      ...(attributes?.kind === 'resource' ? { objectRef: refOf(attributes, storedName(c)) } : {}),
      responseStatus: { code: status },
      requestReceivedTimestamp: received,
      stageTimestamp: asTime(clock.now()),
      annotations: annotationsOf(c),
    });
  };
}

const FORBIDDEN = 403;
const SWITCHED = 101;

/** What runs programs in a Pod, or connects to them. A WebSocket begins with GET, whatever is done with it. */
const SESSIONS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward']);
const isSession = (wanted: Attributes | null): boolean =>
  wanted?.kind === 'resource' && wanted.resource === 'pods' && SESSIONS.has(wanted.subresource);

/** As it was sent, without scheme and host, and without the words of a command, which may be secret. */
function uriOf({ req }: Context): string {
  const { url } = req;
  const uri = url.slice(url.indexOf('/', url.indexOf('://') + 3));
  return uri.replaceAll(/([?&]command=)[^&]*/g, '$1').slice(0, URI_CHARS_MAX);
}

function refOf(
  { group, resource, subresource, namespace, name }: Extract<Attributes, { readonly kind: 'resource' }>,
  given: string | null,
): NonNullable<AuditEvent['objectRef']> {
  const shown = name === '' ? (given ?? '') : name;
  return {
    resource,
    ...(namespace === '' ? {} : { namespace }),
    ...(shown === '' ? {} : { name: shown }),
    ...(group === '' ? {} : { apiGroup: group }),
    ...(subresource === '' ? {} : { subresource }),
  };
}

const DECISION = 'authorization.k8s.io/decision';
const REASON = 'authorization.k8s.io/reason';

/** In the words of apiserver/pkg/endpoints/filters/authorization.go. */
function annotationsOf(c: Context): AuditEvent['annotations'] {
  const decision = decisionOn(c);
  if (decision === null) return {};
  return { [DECISION]: decision.allowed ? 'allow' : 'forbid', [REASON]: decision.reason };
}
