import type { MiddlewareHandler } from 'hono';
import { parseGoDuration } from '../../domain/base/go-duration.ts';
import { API_KINDS } from '../../domain/kinds/api-kinds.ts';
import { isBarePod } from '../../domain/manifests/bare-pod.ts';
import { badRequest, errorResponse, forbidden, notFound } from './status-error.ts';

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * For an API on a user's own machine, which runs commands: refuses requests that a browser sends for another site. A name that
 * was rebound to 127.0.0.1 shows in Host; a page of another site shows in Origin or Sec-Fetch-Site, whatever it posts.
 */
export const loopbackGuard: MiddlewareHandler = async (c, next) => {
  const host = c.req.header('host');
  if (host === undefined || !LOOPBACK.test(host))
    return errorResponse(forbidden('this server answers requests to 127.0.0.1, localhost and [::1] only'));
  const origin = c.req.header('origin');
  if (origin !== undefined && origin !== `http://${host}`)
    return errorResponse(forbidden('this server does not answer pages of other sites'));
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return errorResponse(forbidden('this server does not answer pages of other sites'));
  return next();
};

/** `timeout` in a query must be a duration; how long a request may take is up to the transport. */
export const timeoutGuard: MiddlewareHandler = async (c, next) => {
  const parsed = parseGoDuration(c.req.query('timeout') || '0');
  return parsed.kind === 'ok'
    ? next()
    : errorResponse(badRequest(`invalid timeout specified in the request URL - ${parsed.reason}`));
};

/** A bare Pod is stored as a Job, which has no path: it is read and changed as a Pod. */
export const storedPodGuard: MiddlewareHandler = async (c, next) => {
  const segments = c.req.path.split('/').map(decoded);
  const name = segments.find((segment, i) => segments[i - 1] === 'jobs' && isBarePod({ name: segment }));
  return name === undefined ? next() : errorResponse(notFound(API_KINDS.Job, name));
};

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/**
 * A client that wants a WebSocket gets an empty answer that ends. fabric8's Java client asks for watches like that, and goes on over
 * plain HTTP after a 200 or a 503; a 503 it first repeats for twenty seconds, and an endless 200 it would wait for.
 */
export const upgradeGuard: MiddlewareHandler = async (c, next) =>
  c.req.header('upgrade')?.toLowerCase() === 'websocket' ? c.body(null, 200) : next();
