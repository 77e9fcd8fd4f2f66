import { getRequestListener } from '@hono/node-server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type LoopbackServer, listenOnLoopback } from '../wire/loopback-server.ts';
import { peerOf } from './peer-uid.ts';

/** A Hono app. */
type App = { readonly fetch: Parameters<typeof getRequestListener>[0] };

/** Serves an API on 127.0.0.1, only to programs of this user. Rejects when `port` is in use; null: any free port. */
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

/** Only Linux reports the owner of the other end. An owner that it does not report is treated as another user. */
async function isOurs(socket: Socket): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const peer = await peerOf(socket);
  return peer.kind === 'user' && peer.uid === process.getuid?.();
}
