import { keptPorts, portBefore, rememberPort } from '../kept-port.ts';
import type { LoopbackServer } from '../wire/loopback-server.ts';
import { startFront } from './api-front.ts';

/**
 * Serves the API of a data folder at the port that it had before, so that kubeconfigs and habits last; at another one, which
 * `say` is told, if that is taken. `port` asks for one (0: any) and is kept for the next time. Rejects when it is taken.
 */
export async function startKeptFront(
  app: Parameters<typeof startFront>[0],
  dataDir: string,
  { port, say }: { readonly port: number | null; readonly say: (line: string) => void },
): Promise<LoopbackServer> {
  const before = portBefore(dataDir, 'api-port');
  const front = await firstFree(app, port === null ? keptPorts(dataDir, 'api-port') : [port]);
  const taken = Number(new URL(front.url).port);
  if (port === null && before !== null && taken !== before)
    say(`warning: port ${before}, which this folder had before, is taken: the API is at ${taken} from now on`);
  try {
    rememberPort(dataDir, 'api-port', taken);
  } catch (error) {
    await front.close();
    throw error;
  }
  return front;
}

async function firstFree(app: Parameters<typeof startFront>[0], ports: readonly number[]): Promise<LoopbackServer> {
  let refusal: unknown = new Error('no port was given');
  for (const port of ports) {
    try {
      return await startFront(app, port);
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}
