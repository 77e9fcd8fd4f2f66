import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { peerOf } from '../../../local/door/peer-uid.ts';
import { type Ends, eachPeer, endForms, listenersIn } from '../../../local/door/socket-table.ts';

const HEADER = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
/** 127.0.0.1:8080 is the server, 40000 (9C40) the client's port. */
const line = (local: string, remote: string, state: string, uid: number, inode = 12_345) =>
  `   1: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0000000000000000 20 4 30 10 -1`;
const ends: Ends = { remoteAddress: '127.0.0.1', remotePort: 40_000, localAddress: '127.0.0.1', localPort: 8080 };
const table = (...lines: readonly string[]) => [HEADER, ...lines, ''].join('\n');

/** What a table says of the peer. */
function uidIn(text: string, { remoteAddress, remotePort, localAddress, localPort }: Ends): number | null {
  const theirs = endForms(remoteAddress, remotePort);
  let found: number | null = null;
  for (const end of endForms(localAddress, localPort))
    eachPeer(text, end, (peer, uid) => {
      if (theirs.includes(peer)) found = uid ?? found;
    });
  return found;
}

describe('the peer in /proc/net/tcp', () => {
  test.each<[string, string, Ends, number | null]>([
    [
      'its own end, not ours',
      table(line('0100007F:1F90', '0100007F:9C40', '01', 7), line('0100007F:9C40', '0100007F:1F90', '01', 1001)),
      ends,
      1001,
    ],
    ['nothing', table(), ends, null],
    ['an empty file', '', ends, null],
    ['rubbish', 'a\nb c d e f g h i j', ends, null],
    ['the same port on another address', table(line('0200007F:9C40', '0100007F:1F90', '01', 1002)), ends, null],
    ['the same port to another server', table(line('0100007F:9C40', '0100007F:1F91', '01', 1002)), ends, null],
    ['a socket that nobody owns any more', table(line('0100007F:9C40', '0100007F:1F90', '06', 0)), ends, null],
    ['a client that has closed all', table(line('0100007F:9C40', '0100007F:1F90', '05', 0, 0)), ends, null],
    ['a client that has closed its half', table(line('0100007F:9C40', '0100007F:1F90', '05', 1001)), ends, 1001],
    [
      'mapped, in the other family',
      table(line('0000000000000000FFFF00000100007F:9C40', '0000000000000000FFFF00000100007F:1F90', '01', 1003)),
      ends,
      1003,
    ],
    [
      'a server that listens on both families',
      table(line('0100007F:9C40', '0100007F:1F90', '01', 1001)),
      { ...ends, remoteAddress: '::ffff:127.0.0.1', localAddress: '::ffff:127.0.0.1' },
      1001,
    ],
    [
      '::1',
      table(line('00000000000000000000000001000000:9C40', '00000000000000000000000001000000:1F90', '01', 1004)),
      { ...ends, remoteAddress: '::1', localAddress: '::1' },
      1004,
    ],
    [
      'fe80::1:2%lo',
      table(line('000080FE000000000000000002000100:9C40', '00000000000000000000000001000000:1F90', '01', 1005)),
      { ...ends, remoteAddress: 'fe80::1:2%lo', localAddress: '::1' },
      1005,
    ],
    [
      'a connection without a peer',
      table(line('0100007F:9C40', '0100007F:1F90', '01', 1001)),
      { ...ends, remotePort: undefined },
      null,
    ],
  ])('%s', (_, text, where, uid) => {
    expect(uidIn(text, where)).toBe(uid);
  });
});

test('who listens on a port, at an address and on all', () => {
  const text = table(
    line('00000000:1F90', '00000000:0000', '0A', 1001),
    line('0100007F:1F91', '00000000:0000', '0A', 1002),
    line('0100007F:1F90', '0100007F:9C40', '01', 1003),
    line('0100007F:9C40', '0100007F:1F90', '01', 1004),
    line('00000000000000000000000000000000:1F90', '00000000000000000000000000000000:0000', '0A', 1005),
  );
  expect(listenersIn(text, '127.0.0.1', 8080)).toEqual({ here: [], everywhere: [1001, 1005] });
  expect(listenersIn(text, '127.0.0.1', 8081)).toEqual({ here: [1002], everywhere: [] });
  expect(listenersIn(text, '127.0.0.1', 8082)).toEqual({ here: [], everywhere: [] });
});

/** The server's view of a connection that this very process opens. */
async function withConnection<T>(host: string, look: (socket: Socket) => Promise<T>): Promise<T> {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, host === '::' ? '127.0.0.1' : host);
  try {
    const [socket] = await accepted;
    const seen = await look(socket);
    socket.destroy();
    return seen;
  } finally {
    client.destroy();
    server.close();
  }
}

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

describe.runIf(process.platform === 'linux')('a real connection', () => {
  test('of hundreds at once is ours, too', async () => {
    const seen = await withConnection('127.0.0.1', async (socket) =>
      Promise.all(Array.from({ length: 500 }, async () => peerOf(socket))),
    );
    expect(new Set(seen.map((peer) => peer.kind === 'user' && peer.uid))).toEqual(new Set([process.getuid?.()]));
  });

  test.each(['127.0.0.1', ...(hasIpv6 ? ['::1', '::'] : [])])('to %s is ours', async (host) => {
    expect(await withConnection(host, peerOf)).toEqual({ kind: 'user', uid: process.getuid?.() });
  });

  test("that is gone is nobody's", async () => {
    expect(await peerOf({ ...ends, remotePort: 1, localPort: 1 })).toEqual({ kind: 'unknown' });
  });
});
