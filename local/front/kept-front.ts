import { keptPorts, portBefore, rememberPort } from '../kept-port.ts';
import type { LoopbackServer } from '../wire/loopback-server.ts';
import type { Upgrades } from '../local-part.ts';
import { startFront } from './api-front.ts';

/**
 * Serves the API of a data folder at its previous port, so that kubeconfigs stay valid. If that port is in use, uses
 * another and reports it with `say`. `port` requests one (0: any), which is kept for the next time. Rejects when the
 * requested port is in use.
 */
export async function startKeptFront(
  app: Parameters<typeof startFront>[0],
  dataDir: string,
  { port, say }: { readonly port: number | null; readonly say: (line: string) => void },
  upgrades: Upgrades | null = null,
): Promise<LoopbackServer> {
  const before = portBefore(dataDir, 'api-port');
  const front = await firstFree(app, port === null ? keptPorts(dataDir, 'api-port') : [port], upgrades);
  const taken = Number(new URL(front.url).port);
  if (port === null && before !== null && taken !== before)
    say(`warning: port ${before}, which this folder used before, is in use: the API is now at ${taken}`);
  try {
    rememberPort(dataDir, 'api-port', taken);
  } catch (error) {
    await front.close();
    throw error;
  }
  return front;
}

async function firstFree(
  app: Parameters<typeof startFront>[0],
  ports: readonly number[],
  upgrades: Upgrades | null,
): Promise<LoopbackServer> {
  let refusal: unknown = new Error('no port was given');
  for (const port of ports) {
    try {
      return await startFront(app, port, upgrades);
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}
