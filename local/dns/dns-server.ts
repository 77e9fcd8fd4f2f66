import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import type { Cloudmap } from '../cloudmap/create-cloudmap.ts';
import { BACKLOG, guardDoor, usualRoom } from '../door/door.ts';
import { answerTo, type Zone } from './dns-answer.ts';

export type DnsServer = {
  /** `127.0.0.1:<port>`, the same for UDP and TCP */
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
};

/** Route 53 answers with at most eight of a multivalue record's addresses (reference/aws.md 4.1). */
const ADDRESSES_MAX = 8;
/** A TCP connection without traffic is closed after this time. */
const TCP_IDLE_MS = 10_000;
const TCP_BYTES_MAX = 65_535;
/** A query is one name of at most 255 bytes, and options. */
const QUERY_BYTES_MAX = 4_096;
const CONNECTIONS_MAX = 256;
/** Answers that the system has not taken yet; a datagram that comes then is lost, as any may be. */
const DATAGRAMS_MAX = 256;

/**
 * Answers DNS queries for Cloud Map's zone on 127.0.0.1, by UDP and TCP. Uses the first of `ports` that is free for both; 0
 * is any. Rejects if none is free.
 */
export async function startDns(cloudmap: Cloudmap, ports: readonly number[]): Promise<DnsServer> {
  const zone: Zone = {
    zone: cloudmap.zone,
    negativeTtlSec: cloudmap.negativeTtlSec,
    lookUp: (name) => cloudmap.lookUp(name),
    choose: (ips) => (ips.length <= ADDRESSES_MAX ? ips : shuffled(ips).slice(0, ADDRESSES_MAX)),
  };
  let refusal: unknown = new Error('no port was given');
  for (const port of ports) {
    try {
      return await listen(zone, port);
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

async function listen(zone: Zone, wanted: number): Promise<DnsServer> {
  const datagrams = createSocket('udp4');
  datagrams.on('message', (message, { address, port }) => {
    if (message.length > QUERY_BYTES_MAX || datagrams.getSendQueueCount() >= DATAGRAMS_MAX) return;
    const answer = answerTo(message, zone, null);
    // a client that is gone gets no answer, nor does a forged port 0
    if (answer !== null && port !== 0) datagrams.send(answer, port, address, () => undefined);
  });
  const connections = new Set<Socket>();
  const streams = createServer((connection) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection));
    serveStream(connection, zone);
  });
  const { open, waiting } = usualRoom();
  guardDoor(streams, { open: Math.min(open, CONNECTIONS_MAX), waiting });
  try {
    const port = await bindDatagrams(datagrams, wanted);
    await bindStreams(streams, port);
    // from here on, an error concerns one message (its client is gone), not the server
    datagrams.on('error', () => undefined);
    streams.on('error', () => undefined);
    return {
      address: `127.0.0.1:${port}`,
      port,
      async close() {
        for (const connection of connections) connection.destroy();
        await Promise.all([
          new Promise<void>((resolve) => datagrams.close(() => resolve())),
          new Promise<void>((resolve) => streams.close(() => resolve())),
        ]);
      },
    };
  } catch (error) {
    datagrams.close();
    throw error;
  }
}

/**
 * Messages in a stream are prefixed with their length in two bytes (RFC 1035, 4.2.2). A client that does not take its answers is not
 * read.
 */
function serveStream(connection: Socket, zone: Zone): void {
  let rest: Buffer = Buffer.alloc(0);
  const answerAll = (): void => {
    while (!connection.writableNeedDrain && rest.length >= 2 && !connection.destroyed) {
      const end = 2 + rest.readUInt16BE(0);
      if (end - 2 > QUERY_BYTES_MAX) return void connection.destroy();
      if (rest.length < end) break;
      const answer = answerTo(rest.subarray(2, end), zone, TCP_BYTES_MAX);
      rest = rest.subarray(end);
      if (answer === null) return void connection.destroy();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      connection.write(Buffer.concat([length, answer]));
    }
    if (connection.writableNeedDrain) connection.pause();
    else connection.resume();
  };
  connection.setTimeout(TCP_IDLE_MS, () => connection.destroy());
  connection.on('error', () => connection.destroy());
  connection.on('drain', answerAll);
  connection.on('data', (piece) => {
    rest = Buffer.concat([rest, piece]);
    answerAll();
  });
}

async function bindDatagrams(socket: DatagramSocket, port: number): Promise<number> {
  return await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.off('error', reject);
      resolve(socket.address().port);
    });
  });
}

async function bindStreams(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', backlog: BACKLOG, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  const keyed = items.map((item) => ({ item, key: Math.random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
