import { getRequestListener } from '@hono/node-server';
import type { Upgrades } from '../local-part.ts';
import { type LoopbackServer, listenOnLoopback } from '../wire/loopback-server.ts';

/** A Hono app. */
type App = { readonly fetch: Parameters<typeof getRequestListener>[0] };

/**
 * Serves an API on 127.0.0.1, only to programs of this user. Rejects when `port` is in use; null: any free port.
 *
 * @param upgrades takes requests that want another protocol; null: they are answered like all others
 */
export async function startFront(
  app: App,
  port: number | null,
  upgrades: Upgrades | null = null,
): Promise<LoopbackServer> {
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = await listenOnLoopback((request, response) => void answer(request, response), port ?? 0, upgrades);
  return {
    url: server.url,
    async close() {
      upgrades?.close();
      await server.close();
    },
  };
}
