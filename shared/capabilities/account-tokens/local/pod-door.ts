import { getRequestListener } from '@hono/node-server';
import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type Server, createServer } from 'node:https';
import { join } from 'node:path';
import type { Socket } from 'node:net';
import * as z from 'zod';
import { keptPorts, rememberPort } from '../../../../local/kept-port.ts';
import { type AskApi, HEAD_BYTES_MAX, type Upgrades } from '../../../../local/local-part.ts';
import { readPrivateFile } from '../../../../local/private-file.ts';
import { writeWhole } from '../../../../local/whole-file.ts';
import type { ApiPlace } from './pod-token-signer.ts';
import type { KeyPair } from './authority.ts';

const FILE = 'pod-api-authority.json';
const KeyPairSchema = z.strictObject({ certificate: z.string(), key: z.string() });

/** How many connections containers have together, at most. */
const OPEN_MAX = 1_024;

type Served = { readonly ask: AskApi; readonly upgrades: Upgrades | null };

export type PodDoor = {
  readonly place: ApiPlace;
  /** Answers with this API; requests that come before wait for it. */
  serve(ask: AskApi, upgrades: Upgrades | null): void;
  close(): Promise<void>;
};

/**
 * A second door to the API, for containers: TLS at the address of this machine in their network, which is the only way in, and no way
 * for other users of this machine. Who comes in needs a token like everybody else.
 *
 * @param gateway this machine's address in the network of the containers
 * @throws if nothing can listen there
 */
export async function openPodDoor(dataDir: string, gateway: string): Promise<PodDoor> {
  const { certify, makeAuthority } = await import('./authority.ts');
  const nowMs = Date.now();
  const authority = readAuthority(dataDir) ?? keepAuthority(dataDir, await makeAuthority(nowMs));
  const { certificate: cert, key } = await certify(authority, gateway, nowMs);
  let open: (served: Served) => void = () => undefined;
  const served = new Promise<Served>((resolve) => (open = resolve));
  const answer = getRequestListener(async (request, env) => (await served).ask(request, { ...env }), {
    overrideGlobalObjects: false,
  });
  const server = createServer({ cert, key, maxHeaderSize: HEAD_BYTES_MAX }, (request, response) => {
    void answer(asLocal(request), response);
  });
  server.on('upgrade', (request: IncomingMessage, socket, head) => {
    socket.on('error', () => socket.destroy()); // node leaves it without a listener
    void served.then(({ upgrades }) => {
      if (upgrades?.wants(request) === true) upgrades.take(asLocal(request), socket, head);
      else socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    });
  });
  server.maxConnections = OPEN_MAX;
  guardDoor(server, gateway);
  const port = await firstFree(server, gateway, keptPorts(dataDir, 'pod-api-port'));
  rememberPort(dataDir, 'pod-api-port', port);
  return {
    place: { host: gateway, port, authority: authority.certificate },
    serve(ask, upgrades) {
      open({ ask, upgrades });
    },
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** The network's own containers come in. Another user of this machine would come from the machine's address, and is closed unread. */
function guardDoor(server: Server, gateway: string): void {
  const network = gateway.slice(0, gateway.split('.', 2).join('.').length + 1);
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (!remoteAddress.startsWith(network) || remoteAddress === gateway) socket.destroy();
  });
}

/** The API answers loopback only, because of browsers on this machine. No browser comes by this door. */
function asLocal(request: IncomingMessage): IncomingMessage {
  request.headers.host = LOCAL;
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    if (request.rawHeaders[i]?.toLowerCase() === 'host') request.rawHeaders[i + 1] = LOCAL;
  return request;
}
const LOCAL = 'localhost';

async function firstFree(server: Server, host: string, ports: readonly number[]): Promise<number> {
  let refusal: unknown = new Error('no port was given');
  for (const port of ports) {
    try {
      return await listen(server, host, port);
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

const listen = async (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('the server does not listen on a port'));
      else resolve(address.port);
    });
  });

function readAuthority(dataDir: string): KeyPair | null {
  const path = join(dataDir, FILE);
  if (!existsSync(path)) return null;
  const file = readPrivateFile(path);
  if (file.kind === 'refused') throw new Error(`${path}: ${file.fault}`);
  return KeyPairSchema.parse(JSON.parse(file.text));
}

function keepAuthority(dataDir: string, authority: KeyPair): KeyPair {
  writeWhole(join(dataDir, FILE), JSON.stringify(authority), 'durable');
  return authority;
}
