import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Hono } from 'hono';
import type { RequestSigner } from '../../shared/adapters/aws/sigv4.ts';
import { PROXIED, PROXIED_PAGES } from '../../shared/capabilities/lists/remote/held-by-proxy.ts';
import { loopbackGuard } from '../../shared/kube/http/guard.ts';
import { startFront } from '../front/api-front.ts';
import { guarded } from '../front/guarded.ts';
import type { LoopbackServer } from '../wire/loopback-server.ts';
import { type Target, canonicalTarget } from './canonical-target.ts';
import type { AskApi, AskUpstream } from '../local-part.ts';
import { createWarnings } from '../warnings.ts';
import { type Headers, answerHeaders, requestHeaders } from './forwarded-headers.ts';
import {
  type ProxyStatus,
  type RefusedRequest,
  areCredentialsStale,
  badTarget,
  bodyTooLarge,
  explained,
  unreachable,
} from './proxy-status.ts';
import type { Upstream } from './upstream.ts';

export type ProxyOptions = {
  readonly upstream: Upstream;
  /** the proxy's port on 127.0.0.1; 0: any free port */
  readonly port: number;
  readonly signer: RequestSigner;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A line for people; omitted: nobody hears of sessions that break off. */
  readonly say?: (line: string) => void;
};

/** `page`: where browsers get a page; null: nowhere. */
export type SigningProxy = LoopbackServer & { readonly page: string | null };

/** Lambda accepts at most 6 MB per request; the API's own limits are lower. */
const BODY_BYTES_MAX = 6 * 1024 * 1024;
/** AWS's refusals are a few hundred bytes. */
const REFUSAL_BYTES_MAX = 64 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
/** A watch may be silent for minutes: this detects a connection that a sleeping laptop or a router has lost. */
const KEEP_ALIVE_PROBE_MS = 30_000;

/**
 * Listens on 127.0.0.1 and forwards every request, signed for API Gateway, for clients that cannot sign (kubectl,
 * client libraries). Answers only programs of this user and no web pages but its own, because its clients act as this user on AWS.
 * Rejects when the port is in use.
 */
export async function startSigningProxy(options: ProxyOptions): Promise<SigningProxy> {
  const { protocol } = options.upstream;
  const agent = protocol === 'https:' ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(loopbackGuard);
  app.all('*', async ({ env: { incoming, outgoing } }) => {
    await forward(incoming as IncomingMessage, outgoing as ServerResponse, { ...options, agent });
    return RESPONSE_ALREADY_SENT;
  });
  const warn = createWarnings({ say: options.say ?? (() => undefined), outageOf: () => null });
  const [upgrades = null] = PROXIED.map((open) => open(upstreamOf({ ...options, agent }), guarded, warn));
  const besides = { asksWho: false, guard: guarded, now: options.now };
  const fetch = PROXIED_PAGES.reduce<AskApi>(
    (asked, open) => open(asked, besides),
    (request, env) => app.fetch(request, env as HttpBindings),
  );
  const front = await startFront({ fetch }, options.port, upgrades);
  return {
    url: front.url,
    page: PROXIED_PAGES.length === 0 ? null : `${front.url}/ui/`,
    async close() {
      await front.close();
      agent.destroy();
    },
  };
}

const upstreamOf =
  (way: Way): AskUpstream =>
  async ({ method, target, headers, body }) => {
    const canonical = canonicalTarget(target, way.upstream.prefix);
    if (canonical === null) throw new Error('an address of our own cannot be decoded');
    const passedOn = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]] as const));
    const request = { target: canonical, body: Buffer.from(body), signal: new AbortController().signal };
    const answered = await answerOf({ method, passedOn }, request, way).catch((error: unknown) =>
      unreachable(error, way.upstream),
    );
    return answered instanceof http.IncomingMessage
      ? { status: answered.statusCode ?? 502, body: answered }
      : { status: answered.code, body: Readable.from([Buffer.from(JSON.stringify(answered))]) };
  };

type Way = ProxyOptions & { readonly agent: http.Agent };

async function forward(incoming: IncomingMessage, outgoing: ServerResponse, way: Way): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const body = await readBody(incoming).catch(() => 'broken' as const);
  if (body === 'broken' || gone.signal.aborted) return;
  if (body === null) {
    sendStatus(incoming, outgoing, bodyTooLarge(BODY_BYTES_MAX));
    return;
  }
  const target = canonicalTarget(incoming.url ?? '/', way.upstream.prefix);
  if (target === null) {
    sendStatus(incoming, outgoing, badTarget());
    return;
  }
  try {
    await answer(incoming, { target, body, signal: gone.signal }, outgoing, way);
  } catch (error) {
    // A response that has begun is already cut off: a clean end would make it look complete.
    if (!gone.signal.aborted && !outgoing.headersSent) sendStatus(incoming, outgoing, unreachable(error, way.upstream));
  }
}

type Outgoing = { readonly target: Target; readonly body: Buffer; readonly signal: AbortSignal };

async function answer(incoming: IncomingMessage, request: Outgoing, outgoing: ServerResponse, way: Way): Promise<void> {
  const from = { method: incoming.method ?? 'GET', passedOn: requestHeaders(incoming) };
  const response = await answerOf(from, request, way);
  if (!(response instanceof http.IncomingMessage)) {
    sendStatus(incoming, outgoing, response);
    return;
  }
  outgoing.writeHead(response.statusCode ?? 502, nodeHeaders(response));
  outgoing.flushHeaders(); // a watch is a response before its first event
  await pipeline(response, outgoing);
}

/** Of a client's request. */
type Asked = { readonly method: string; readonly passedOn: Headers };

/** The response, or what AWS's refusal of the signer means. */
async function answerOf(from: Asked, request: Outgoing, way: Way): Promise<IncomingMessage | ProxyStatus> {
  let response = await ask(from, request, way);
  let refusal = await refusalOf(response);
  if (refusal !== null && areCredentialsStale(refusal)) {
    way.signer.forget();
    response = await ask(from, request, way);
    refusal = await refusalOf(response);
  }
  return refusal === null ? response : explained(refusal, way.now(), way.upstream);
}

/** Signs and sends; resolves when the response begins. */
async function ask(
  { method, passedOn }: Asked,
  { target, body, signal }: Outgoing,
  way: Way,
): Promise<IncomingMessage> {
  const { upstream, signer, agent } = way;
  const type = passedOn['content-type']?.join(', ');
  // Only these are signed: gateways on the way may change others.
  const toSign: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  const signed = await signer.sign({
    method,
    host: upstream.host,
    path: target.path,
    query: target.query,
    headers: toSign,
    body,
  });
  const isRead = method === 'GET' || method === 'HEAD';
  const send = (): Promise<IncomingMessage> => {
    const { request } = upstream.protocol === 'https:' ? https : http;
    const sent = request({
      method,
      host: upstream.hostname,
      port: upstream.port,
      path: target.url,
      headers: {
        ...mutable(passedOn),
        ...signed,
        ...(body.length === 0 && isRead ? {} : { 'content-length': String(body.length) }),
      },
      // A write gets its own connection: on one that the gateway is about to close, its delivery would be in doubt.
      agent: isRead ? agent : false,
      signal,
    });
    const answered = answerTo(sent);
    sent.end(body);
    return answered.catch(async (error: unknown) => {
      const wasClosed = isRead && sent.reusedSocket && error instanceof Error && 'code' in error;
      if (wasClosed && error.code === 'ECONNRESET' && !signal.aborted) return send();
      throw error;
    });
  };
  return send();
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject); // also handles later errors, which the response itself reports
    request.once('socket', (socket) => {
      socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
      if (!socket.connecting) return;
      const late = setTimeout(() => {
        request.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
      }, CONNECT_TIMEOUT_MS);
      socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(late));
      socket.once('close', () => clearTimeout(late));
    });
  });
}

/** The body of a 401 or 403, which is small; null: another response, which is still unread. */
async function refusalOf(response: IncomingMessage): Promise<RefusedRequest | null> {
  const code = response.statusCode ?? 0;
  if ((code !== 401 && code !== 403) || response.headers['content-encoding'] !== undefined) return null;
  if (Number(response.headers['content-length'] ?? 0) > REFUSAL_BYTES_MAX) return null;
  const parts: Buffer[] = [];
  let left = REFUSAL_BYTES_MAX;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, left)); // keeps no more than this of a body without a length
    left -= Math.min(left, part.length);
  }
  const dateMs = Date.parse(response.headers.date ?? '');
  return { code, body: Buffer.concat(parts).toString('utf8'), dateMs: Number.isNaN(dateMs) ? null : dateMs };
}

/**
 * The whole body, which must be complete before it can be signed; null if it is too large. Rejects when the connection
 * breaks.
 */
function readBody(incoming: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    incoming.on('data', (part: Buffer) => {
      length += part.length;
      // The excess is read and discarded; otherwise the client would not read the response.
      if (length <= BODY_BYTES_MAX) parts.push(part);
      else parts.length = 0;
    });
    incoming.once('end', () => resolve(length > BODY_BYTES_MAX ? null : Buffer.concat(parts)));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('the request broke off')));
  });
}

/** Plain text for discovery requests: kubectl does not read a Status there, and prints a text as it is. */
function sendStatus({ headers }: IncomingMessage, outgoing: ServerResponse, status: ProxyStatus): void {
  const isDiscovery = (headers.accept ?? '').includes('apidiscovery.k8s.io');
  const body = `${isDiscovery ? status.message : JSON.stringify(status)}\n`;
  const type = isDiscovery ? 'text/plain; charset=utf-8' : 'application/json';
  outgoing.writeHead(status.code, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

const nodeHeaders = (message: IncomingMessage): Record<string, string[]> => mutable(answerHeaders(message));

/** In Node's format. */
const mutable = (headers: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [...values]]));
