import { getRequestListener } from '@hono/node-server';
import { type LoopbackServer, listenOnLoopback } from '../wire/loopback-server.ts';

/** A Hono app. */
type App = { readonly fetch: Parameters<typeof getRequestListener>[0] };

/** Serves an API on 127.0.0.1, only to programs of this user. Rejects when `port` is in use; null: any free port. */
export async function startFront(app: App, port: number | null): Promise<LoopbackServer> {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  return listenOnLoopback((request, response) => void answer(request, response), port ?? 0);
}
