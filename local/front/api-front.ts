import { getRequestListener } from '@hono/node-server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type LoopbackServer, listenOnLoopback } from '../wire/loopback-server.ts';
import { peerOf } from './peer-uid.ts';

/** A Hono app, whatever it wants to know of node's request and answer. */
type App = { readonly fetch: Parameters<typeof getRequestListener>[0] };

/** Serves an API on 127.0.0.1, to programs of this user only. Rejects when `port` is taken; null: any free one. */
export async function startFront(app: App, port: number | null): Promise<LoopbackServer> {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const checked = new WeakMap<Socket, Promise<boolean>>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = request;
    const known = checked.get(socket) ?? isOurs(socket);
    checked.set(socket, known);
    if (await known) await answer(request, response);
    else socket.destroy();
  };
  return listenOnLoopback((request, response) => void handle(request, response), port ?? 0);
}

/** Only Linux tells whose the other end is; whom it does not name there is a stranger. */
async function isOurs(socket: Socket): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const peer = await peerOf(socket);
  return peer.kind === 'user' && peer.uid === process.getuid?.();
}
