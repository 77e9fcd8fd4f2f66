import { getRequestListener } from '@hono/node-server';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Hono } from 'hono';
import { type LoopbackServer, listenOnLoopback } from '../wire/loopback-server.ts';

/** Serves the API on 127.0.0.1, to programs of this user only. Rejects when `port` is taken; null: any free one. */
export async function startFront(app: Hono, port: number | null): Promise<LoopbackServer> {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return listenOnLoopback((request: IncomingMessage, response: ServerResponse) => void answer(request, response), port ?? 0);
}
