import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BACKLOG, guardDoor } from '../door/door.ts';
import { readAgain } from '../door/read-again.ts';
import { takeTurns } from '../door/turns.ts';
import { HEAD_BYTES_MAX, type Upgrades } from '../local-part.ts';

export type LoopbackServer = {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Accepts no more calls, closes the connections, and resolves when the port is free. */
  close(): Promise<void>;
};

/**
 * Listens only on 127.0.0.1, for programs of this user; port 0 takes any free port. A connection has one request served at a
 * time. Rejects if the port is in use.
 *
 * @param upgrades takes requests that want another protocol; null: the handler does
 */
export async function listenOnLoopback(
  handler: RequestListener,
  port = 0,
  upgrades: Omit<Upgrades, 'close'> | null = null,
): Promise<LoopbackServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, maxHeaderSize: HEAD_BYTES_MAX }, handler);
  takeTurns(server);
  if (upgrades !== null) {
    const enter = server.listeners('connection');
    server.on('upgrade', (request, socket, head) => {
      if (upgrades.wants(request)) upgrades.take(request, socket, head);
      else readAgain(server, enter, request, socket, head);
    });
  }
  guardDoor(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', backlog: BACKLOG }, resolve);
  });
  return { url: `http://127.0.0.1:${addressOf(server).port}`, close: async () => close(server) };
}

/** Longer than clients keep idle sockets (Go programs: 90 s), so that no call meets a closing socket. */
const KEEP_ALIVE_MS = 120_000;

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address;
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
