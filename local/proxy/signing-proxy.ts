import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { Hono } from 'hono';
import type { RequestSigner } from '../../shared/adapters/aws/sigv4.ts';
import { loopbackGuard } from '../../shared/kube/guard.ts';
import { startFront } from '../front/api-front.ts';
import type { LoopbackServer } from '../wire/loopback-server.ts';
import { type Target, canonicalTarget } from './canonical-target.ts';
import { answerHeaders, requestHeaders } from './forwarded-headers.ts';
import {
  type ProxyStatus,
  type Refusal,
  areCredentialsStale,
  badTarget,
  bodyTooLarge,
  explained,
  unreachable,
} from './proxy-status.ts';
import type { Upstream } from './upstream.ts';

export type ProxyOptions = {
  readonly upstream: Upstream;
  /** of the proxy on 127.0.0.1; 0: any free one */
  readonly port: number;
  readonly signer: RequestSigner;
  /** Milliseconds since 1970. */
  readonly now: () => number;
};

/** Lambda takes no more than 6 MB of a request; the API's own limits are below it. */
const BODY_BYTES_MAX = 6 * 1024 * 1024;
/** AWS's refusals are a few hundred bytes. */
const REFUSAL_BYTES_MAX = 64 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
/** A watch may be silent for minutes: a connection that a sleeping laptop or a router has lost is noticed by this. */
const KEEP_ALIVE_PROBE_MS = 30_000;

/**
 * Listens on 127.0.0.1 and passes every request on, signed for API Gateway: whoever cannot sign (kubectl, client
 * libraries) talks to it as to the API itself. Only programs of this user are answered, and no page of a browser, since
 * whoever gets through acts as this user on AWS. Rejects when the port is taken.
 */
export async function startSigningProxy(options: ProxyOptions): Promise<LoopbackServer> {
  const { protocol } = options.upstream;
  const agent = protocol === 'https:' ? new https.Agent({ keepAlive: true }) : new http.Agent({ keepAlive: true });
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.use(loopbackGuard);
  app.all('*', async ({ env: { incoming, outgoing } }) => {
    await forward(incoming as IncomingMessage, outgoing as ServerResponse, { ...options, agent });
    return RESPONSE_ALREADY_SENT;
  });
  const front = await startFront(app, options.port);
  return {
    url: front.url,
    async close() {
      await front.close();
      agent.destroy();
    },
  };
}

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
    // An answer that has begun is broken off already: a clean end would say that this was all.
    if (!gone.signal.aborted && !outgoing.headersSent) sendStatus(incoming, outgoing, unreachable(error, way.upstream));
  }
}

type Outgoing = { readonly target: Target; readonly body: Buffer; readonly signal: AbortSignal };

async function answer(incoming: IncomingMessage, request: Outgoing, outgoing: ServerResponse, way: Way): Promise<void> {
  let response = await ask(incoming, request, way);
  let refusal = await refusalOf(response);
  if (refusal !== null && areCredentialsStale(refusal)) {
    way.signer.forget();
    response = await ask(incoming, request, way);
    refusal = await refusalOf(response);
  }
  if (refusal !== null) {
    sendStatus(incoming, outgoing, explained(refusal, way.now(), way.upstream));
    return;
  }
  outgoing.writeHead(response.statusCode ?? 502, nodeHeaders(response));
  outgoing.flushHeaders(); // a watch is an answer before its first event
  await pipeline(response, outgoing);
}

/** Signs and sends; resolves when the answer begins. */
async function ask(incoming: IncomingMessage, { target, body, signal }: Outgoing, way: Way): Promise<IncomingMessage> {
  const { upstream, signer, agent } = way;
  const method = incoming.method ?? 'GET';
  const passedOn = requestHeaders(incoming);
  const type = passedOn['content-type']?.join(', ');
  // Only these are signed: gateways on the way may touch others.
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
      // A change gets a connection of its own: on one that the gateway is about to close it would be in doubt whether it arrived.
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
    request.on('error', reject); // also of later, when the answer itself tells
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

/** The body of a 401 or 403, which is small; null: it is another answer, and still to be read. */
async function refusalOf(response: IncomingMessage): Promise<Refusal | null> {
  const code = response.statusCode ?? 0;
  if ((code !== 401 && code !== 403) || response.headers['content-encoding'] !== undefined) return null;
  if (Number(response.headers['content-length'] ?? 0) > REFUSAL_BYTES_MAX) return null;
  const parts: Buffer[] = [];
  let left = REFUSAL_BYTES_MAX;
  for await (const part of response as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, left)); // of one without a length no more than that is kept
    left -= Math.min(left, part.length);
  }
  const dateMs = Date.parse(response.headers.date ?? '');
  return { code, body: Buffer.concat(parts).toString('utf8'), dateMs: Number.isNaN(dateMs) ? null : dateMs };
}

/** All of a body, which has to be there before it can be signed; null: it is too large. Rejects when it breaks off. */
function readBody(incoming: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    incoming.on('data', (part: Buffer) => {
      length += part.length;
      // What is too much is read, or nobody would read the answer; it is not kept.
      if (length <= BODY_BYTES_MAX) parts.push(part);
      else parts.length = 0;
    });
    incoming.once('end', () => resolve(length > BODY_BYTES_MAX ? null : Buffer.concat(parts)));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('the request broke off')));
  });
}

/** To discovery in plain text: kubectl reads no Status there, and of a text it prints what it says. */
function sendStatus({ headers }: IncomingMessage, outgoing: ServerResponse, status: ProxyStatus): void {
  const isDiscovery = (headers.accept ?? '').includes('apidiscovery.k8s.io');
  const body = `${isDiscovery ? status.message : JSON.stringify(status)}\n`;
  const type = isDiscovery ? 'text/plain; charset=utf-8' : 'application/json';
  outgoing.writeHead(status.code, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

const nodeHeaders = (message: IncomingMessage): Record<string, string[]> => mutable(answerHeaders(message));

/** As node wants them. */
const mutable = (headers: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [...values]]));
