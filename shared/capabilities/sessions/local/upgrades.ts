import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer, createWebSocketStream } from 'ws';
import type { OpenUpgrades } from '../../../../local/local-part.ts';
import { tokenIn } from '../domain/protocols.ts';
import type { SessionPlan, TakeOver } from '../domain/session-plan.ts';
import type { Traffic } from './carried.ts';
import { forwardChannels } from './websocket-forward.ts';
import { type OpenSession, openSessions } from './open-sessions.ts';
import { serveStreams } from './serve-streams.ts';
import { SpdyConnection } from './spdy-connection.ts';
import { forwardStreams } from './spdy-forward.ts';
import { spdyStreams } from './spdy-streams.ts';
import { websocketStreams } from './websocket-streams.ts';

/** The longest message, as with upstream's server. */
const MESSAGE_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Clients ask for SPDY where sessions are, and a WebSocket may be wanted anywhere. Elsewhere SPDY is only an offer: such an answer
 * may be a watch, which does not end.
 */
function isSpoken({ url = '', headers }: IncomingMessage): boolean {
  const wanted = headers.upgrade?.toLowerCase();
  return wanted === 'websocket' || (wanted === 'spdy/3.1' && /^[^?]*\/(exec|attach|portforward)(\?|$)/.test(url));
}

type Context = {
  readonly sessions: Parameters<OpenUpgrades>[1];
  readonly websockets: WebSocketServer;
  readonly chosen: WeakMap<IncomingMessage, string>;
};

/** Asks the API about requests that want another protocol, and holds the sessions that it allows. */
export const openUpgrades: OpenUpgrades = (ask, sessions, warn) => {
  const open = openSessions();
  const chosen: Context['chosen'] = new WeakMap();
  const websockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
    handleProtocols: (_offered, request) => chosen.get(request) ?? false,
  });
  const context: Context = { sessions, websockets, chosen };
  const decide = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    let taken: Taken | null = null;
    const takeOver: TakeOver = (asked) => {
      const why = sessions.refusal(asked);
      if (why !== null) return { kind: 'none', why };
      const room = open.room();
      if (room.kind === 'taken') {
        const session = { plan: asked, socket, ping: () => undefined, bytes: () => 0 };
        taken = { request, socket, head, session };
        open.add(session);
      }
      return room;
    };
    const response = await ask(requestOf(request), { takeOver });
    if (socket.destroyed) return;
    if (taken === null) await answer(socket, response);
    else await hold(taken, context);
  };
  return {
    wants: isSpoken,
    take(request, socket, head) {
      socket.on('error', () => socket.destroy());
      decide(request, socket, head).catch((error: unknown) => {
        warn('a session broke off', { error });
        socket.destroy();
      });
    },
    close: () => open.close(),
  };
};

/** Without its body: a request for another protocol has none. A token among the subprotocols is one in a header. */
function requestOf({ method = 'GET', url = '/', headers }: IncomingMessage): Request {
  const given = new Headers();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) given.set(name, Array.isArray(value) ? value.join(', ') : value);
  const token = tokenIn(headers['sec-websocket-protocol']);
  if (token !== null && headers.authorization === undefined) {
    given.set('authorization', `Bearer ${Buffer.from(token.encoded, 'base64url').toString()}`);
    given.set('sec-websocket-protocol', token.others);
  }
  return new Request(new URL(url, `http://${headers.host ?? 'localhost'}`), { method, headers: given });
}

/** Sends an answer on a connection that HTTP has left, and ends it. */
async function answer(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const { status } = response;
  const headers = [...response.headers].filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding');
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]));
}

type Taken = {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly session: OpenSession & { readonly plan: SessionPlan };
};

async function hold(taken: Taken, context: Context): Promise<void> {
  const { over, name } = taken.session.plan.protocol;
  if (over === 'spdy') {
    const { socket, head } = taken;
    if (head.length > 0) socket.unshift(head);
    const version = name === '' ? '' : `X-Stream-Protocol-Version: ${name}\r\n`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n${version}\r\n`);
    await holdSpdy(taken, socket, context);
    return;
  }
  const { websockets, chosen } = context;
  if (name !== '') chosen.set(taken.request, name);
  const websocket = await new Promise<WebSocket>((resolve) =>
    websockets.handleUpgrade(taken.request, taken.socket, taken.head, resolve),
  );
  websocket.on('error', () => websocket.terminate());
  if (over === 'websocket') await holdWebSocket(taken, websocket, context);
  else await holdSpdy(taken, createWebSocketStream(websocket), context);
}

async function holdWebSocket({ session, socket }: Taken, websocket: WebSocket, { sessions }: Context): Promise<void> {
  const { plan } = session;
  const traffic: Traffic = { bytes: 0 };
  session.ping = () => pingOf(websocket);
  session.bytes = () => traffic.bytes;
  if (plan.wanted.kind === 'portForward') await forwardChannels(websocket, plan, traffic, sessions);
  else await serveStreams(plan, websocketStreams(websocket, plan, traffic), goneOf(socket), sessions);
}

function pingOf(websocket: WebSocket): void {
  if (websocket.readyState === websocket.OPEN) websocket.ping();
}

/** @param line what carries the frames: the socket, or what goes through it */
async function holdSpdy({ session, socket }: Taken, line: Duplex, { sessions }: Context): Promise<void> {
  const { plan } = session;
  const look = (connection: SpdyConnection): void => {
    session.ping = () => connection.ping();
    session.bytes = () => connection.bytes;
  };
  if (plan.wanted.kind === 'portForward') {
    const connection = new SpdyConnection(line, forwardStreams(plan, sessions));
    look(connection);
    await connection.run();
    return;
  }
  const gone = goneOf(socket);
  const { connection, carried } = await spdyStreams(line, plan);
  if (carried === null) return;
  look(connection);
  await serveStreams(plan, carried, gone, sessions);
}

function goneOf(socket: Duplex): AbortSignal {
  const controller = new AbortController();
  if (socket.destroyed) controller.abort();
  else socket.once('close', () => controller.abort());
  return controller.signal;
}
