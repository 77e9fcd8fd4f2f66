import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Words with which a client says that another protocol would do as well. */
const OFFERS: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings']);

/**
 * Serves a request that may be answered in another protocol, in this one (RFC 9110, 7.8). Java's client offers HTTP/2 like that, with
 * every request. Node has left its connection with the request's body unread: it gets the request back without the offer.
 *
 * @param enter what a server does with new connections
 */
export function readAgain(
  server: Server,
  enter: readonly unknown[],
  { method = 'GET', url = '/', rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    if (!OFFERS.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  for (const each of enter) if (typeof each === 'function') Reflect.apply(each, server, [socket]);
  socket.resume();
}
