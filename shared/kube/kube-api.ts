import { loggedError } from './http/logged-error.ts';
import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { TrieRouter } from 'hono/router/trie-router';
import { isNewerFormat } from '../domain/base/newer-format.ts';
import { Busy } from '../ports/busy.ts';
import { ObjectTooLarge } from '../ports/object-store.ts';
import { Unavailable } from '../ports/unavailable.ts';
import { unreadableRows } from '../domain/base/unreadable-row.ts';
import { authenticatedUser, authentication } from './http/authentication.ts';
import { type ApiDeps, type ApiOptions, type ApiPorts, POLL_MS } from './http/api-deps.ts';
import { AUTHORIZERS, FURTHER_ROUTES, OBJECT_VIEWS } from '../capabilities/lists/served.ts';
import { auditTrail } from './authorization/audit-trail.ts';
import { authorizationGuard } from './authorization/authorization-guard.ts';
import { impersonationGuard } from './authorization/impersonation-guard.ts';
import { openAuthorizer } from './http/open-authorizer.ts';
import { callerOf } from './http/caller.ts';
import { discoveryRoutes } from './discovery/discovery.ts';
import { servedBy } from './discovery/served-resources.ts';
import { absentKindRoutes } from './namespace-defaults/absent-kinds.ts';
import { refusedPodRoutes } from './pods/refused-pod-routes.ts';
import { loopbackGuard, storedPodGuard, timeoutGuard, upgradeGuard } from './http/guard.ts';
import { eventRoutes } from './events/event-routes.ts';
import { addJobRoutes } from './jobs/job-routes.ts';
import { musterRoutes } from './muster/muster-routes.ts';
import { openApiRoutes } from './openapi/openapi-routes.ts';
import { podRoutes } from './pods/pod-routes.ts';
import { SERVED_KINDS } from './served-kinds.ts';
import {
  errorResponse,
  insufficientStorage,
  internalError,
  laterRelease,
  noSuchPath,
  objectTooLarge,
  storageReadError,
  tooManyRequests,
  unavailable,
} from './http/status-error.ts';
import { createOpenStreams } from './http/streams.ts';
import { createTails } from './feed/watched.ts';

/**
 * The Kubernetes API, the subset that this version supports, on Web requests and responses. The transport (Lambda, a server on
 * loopback) must be able to stream. Every failure is a Status object.
 */
export function createKubeApi(stored: ApiPorts, given: ApiOptions = {}): Hono {
  const objects = OBJECT_VIEWS.reduce((seen, view) => view(seen, stored.ports ?? {}), stored.objects);
  const ports: ApiPorts = { ...stored, objects };
  const { authenticate } = given;
  const options: ApiOptions = authenticate === undefined ? given : { ...given, userOf: authenticatedUser };
  const { clock, notifications } = ports;
  const { openStreamsMax, pollMs = POLL_MS, needsCommand = false, hostFolders = null } = options;
  const { authorization = 'AlwaysAllow' } = options;
  const authorizer = openAuthorizer(authorization, options.authorizers ?? AUTHORIZERS, ports);
  const deps: ApiDeps = {
    ...ports,
    callerOf: callerOf(options),
    authorizer,
    needsCommand,
    hostFolders,
    streams: createOpenStreams(clock, openStreamsMax),
    tails: createTails(ports, { clock, notifications, pollMs }),
  };
  // `/api/v1/` is `/api/v1`: some generated clients send it. Hono's other router does not support all of these paths: by default
  // the first request finds that out, and that takes longer than adding them here.
  const app = new Hono({ strict: false, router: new TrieRouter() });
  const { originOf = () => ({}) } = options;
  if (ports.audit !== undefined) app.use(auditTrail({ ...deps, audit: ports.audit, originOf }));
  if (options.embedded === true) app.use(loopbackGuard);
  if (authenticate !== undefined) app.use(authentication((c) => authenticate(c, deps)));
  app.use(impersonationGuard(deps.callerOf));
  if (authorizer !== null) app.use(authorizationGuard({ ...deps, authorizer }));
  app.use(timeoutGuard);
  app.use(storedPodGuard);
  for (const add of options.sessionRoutes ?? []) add(app, deps);
  app.route('/api/v1', refusedPodRoutes());
  app.use(upgradeGuard);
  for (const add of options.metricRoutes ?? []) add(app, deps);
  app.route('/', openApiRoutes());
  app.route('/', discoveryRoutes(servedBy(options)));
  addJobRoutes(app, deps, options);
  for (const add of FURTHER_ROUTES) add(app, deps, options);
  for (const kind of Object.values(SERVED_KINDS)) kind.addRoutes(app, deps, options);
  app.route('/api/v1', podRoutes(deps, options));
  app.route('/', eventRoutes(deps, options));
  app.route('/', absentKindRoutes());
  app.route('/muster/v1', musterRoutes(deps));
  app.notFound(() => errorResponse(noSuchPath()));
  app.onError((error, c) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof ObjectTooLarge) return errorResponse(objectTooLarge(error));
    if (error instanceof Busy) return errorResponse(tooManyRequests(BUSY, error.retryAfterSec));
    deps.telemetry.warn('request failed', {
      method: c.req.method,
      path: c.req.path,
      error: loggedError(c.req.path, error),
    });
    if (error instanceof Unavailable) return errorResponse(unavailable(error.message));
    if (isNewerFormat(error)) return errorResponse(laterRelease());
    const unreadable = unreadableRows(error);
    if (unreadable.length > 0) return errorResponse(storageReadError(unreadable));
    const outage = options.outageOf?.(error) ?? null;
    if (outage !== null) return errorResponse(insufficientStorage(outage));
    return errorResponse(internalError('the request could not be carried out; it may be repeated'));
  });
  return app;
}

const BUSY = 'too many requests write at once; nothing was written, try again later';
