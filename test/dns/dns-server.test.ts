import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { createConnection } from 'node:net';
import { decode, encode, streamDecode, streamEncode, type Packet } from 'dns-packet';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Cloudmap, FoundName } from '../../local/cloudmap/create-cloudmap.ts';
import { keptPorts } from '../../local/kept-port.ts';
import { startDns, type DnsServer } from '../../local/dns/dns-server.ts';

// A zone of a few names, asked by node's own resolver (c-ares) and by datagrams of ours.

const names = new Map<string, readonly string[]>();
const zone = 'muster.internal';
const lookUp = (name: string): FoundName => {
  const lower = name.toLowerCase();
  if (lower === zone) return { kind: 'empty', isZone: true };
  if (!lower.endsWith(`.${zone}`)) return { kind: 'foreign' };
  const ips = names.get(lower);
  if (ips !== undefined) return { kind: 'addresses', ips, ttlSec: 5 };
  return [...names.keys()].some((below) => below.endsWith(`.${lower}`))
    ? { kind: 'empty', isZone: false }
    : { kind: 'absent' };
};
const cloudmap = { zone, negativeTtlSec: 5, lookUp } as unknown as Cloudmap;

/** As a runtime takes them: of those that the system gives to connections, one is sometimes free for UDP alone. */
const PORTS = keptPorts('/no/folder', 'dns-port');

let server: DnsServer;
let resolver: Resolver;
const LONG = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${zone}`;

beforeEach(async () => {
  names.clear();
  names.set('train-0.workers.default.muster.internal', ['127.3.4.5']);
  names.set(
    'many.muster.internal',
    Array.from({ length: 20 }, (_, n) => `10.0.0.${n}`),
  );
  names.set(LONG, ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']);
  server = await startDns(cloudmap, PORTS);
  resolver = new Resolver({ timeout: 5_000, tries: 3 });
  resolver.setServers([server.address]);
});
afterEach(async () => server.close());

describe('by name', () => {
  test('a name has its address, in whatever case, for five seconds', async () => {
    expect(await resolver.resolve4('train-0.workers.default.muster.internal', { ttl: true })).toEqual([
      { address: '127.3.4.5', ttl: 5 },
    ]);
    expect(await resolver.resolve4('TRAIN-0.Workers.default.muster.internal')).toEqual(['127.3.4.5']);
    names.set('train-0.workers.default.muster.internal', ['127.3.4.6']);
    expect(await resolver.resolve4('train-0.workers.default.muster.internal')).toEqual(['127.3.4.6']);
  });

  test('of many addresses eight are answered, not always the same', async () => {
    const seen = new Set<string>();
    for (let n = 0; n < 40; n++) {
      const ips = await resolver.resolve4('many.muster.internal');
      expect(new Set(ips).size).toBe(8);
      for (const ip of ips) seen.add(ip);
    }
    expect(seen.size).toBe(20);
  });

  test('an answer that is too long for a datagram is fetched by TCP', async () => {
    expect((await resolver.resolve4(LONG)).sort()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']);
    const { flag_tc: isCut, answers } = await ask(LONG);
    expect([isCut, answers]).toEqual([true, []]);
  });

  test.each([
    ['a name that is not there', 'train-9.workers.default.muster.internal', 'ENOTFOUND'],
    ['a name with names below it', 'workers.default.muster.internal', 'ENODATA'],
    ['the zone itself', 'muster.internal', 'ENODATA'],
    ['a name of another zone', 'example.com', 'EREFUSED'],
    ['a zone that only ends alike', 'evilmuster.internal', 'EREFUSED'],
  ])('%s: %s is %s', async (_what, name, code) => {
    await expect(resolver.resolve4(name)).rejects.toMatchObject({ code });
  });

  test('other types of a name: no data, and the SOA says how long that holds', async () => {
    await expect(resolver.resolve6('train-0.workers.default.muster.internal')).rejects.toMatchObject({
      code: 'ENODATA',
    });
    const missing = await ask('nobody.muster.internal');
    expect((missing.flags ?? 0) & 15).toBe(3);
    expect(missing.authorities).toMatchObject([{ type: 'SOA', name: zone, ttl: 5, data: { minimum: 5 } }]);
    expect((await resolver.resolveSoa(zone)).minttl).toBe(5);
  });
});

describe('whatever comes', () => {
  const dig = (packet: Packet & { opcode?: never }): Buffer => encode({ type: 'query', id: 7, ...packet });
  const question = { type: 'A', name: 'many.muster.internal', class: 'IN' } as const;

  test('no question or two, another class and another operation are refused in their own ways', async () => {
    const rcodeOf = async (message: Buffer): Promise<number> => ((await exchange(message)).flags ?? 0) & 15;
    expect(await rcodeOf(dig({ questions: [] }))).toBe(1);
    expect(await rcodeOf(dig({ questions: [question, question] }))).toBe(1);
    expect(await rcodeOf(dig({ questions: [{ ...question, class: 'CH' }] }))).toBe(5);
    expect(await rcodeOf(dig({ flags: 5 << 11, questions: [question] }))).toBe(4);
    expect(await rcodeOf(dig({ questions: [{ ...question, name: 'ünter.muster.internal' }] }))).toBe(1);
  });

  test('an answer is not answered: the first thing to come back is the answer to the query behind it', async () => {
    const answer = encode({ type: 'response', id: 6, questions: [question] });
    expect((await exchange(answer, dig({ questions: [question] }))).id).toBe(7);
  });

  test('it goes on after random bytes, cut queries and answers by UDP and TCP', async () => {
    const query = dig({ questions: [question] });
    const socket = createSocket('udp4');
    const send = async (bytes: Uint8Array) =>
      new Promise<void>((resolve) => socket.send(bytes, server.port, '127.0.0.1', () => resolve()));
    for (let n = 0; n < 3_000; n++) {
      const bytes = Buffer.from(n % 3 === 0 ? randomBytes(n % 200) : query);
      if (n % 3 === 1) bytes[n % bytes.length] = n;
      await send(n % 3 === 2 ? bytes.subarray(0, n % bytes.length) : bytes);
    }
    socket.close();
    for (const bytes of [randomBytes(5_000), Buffer.from([255, 255, 1]), Buffer.from([0, 3, 1, 2, 3])]) {
      const connection = createConnection(server.port, '127.0.0.1', () => connection.end(bytes));
      await new Promise<void>((resolve) =>
        connection
          .on('error', () => undefined)
          .on('close', () => resolve())
          .resume(),
      );
    }
    expect(await resolver.resolve4('train-0.workers.default.muster.internal')).toEqual(['127.3.4.5']);
  });

  test('two queries in one stream, the second in pieces, are both answered', async () => {
    const connection = createConnection(server.port, '127.0.0.1');
    const second = streamEncode({ type: 'query', id: 2, questions: [question] });
    connection.write(
      Buffer.concat([streamEncode({ type: 'query', id: 1, questions: [question] }), second.subarray(0, 9)]),
    );
    let received = Buffer.alloc(0);
    const ids: (number | undefined)[] = [];
    for await (const piece of connection as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, piece]);
      while (received.length > 2 && received.length >= 2 + received.readUInt16BE(0)) {
        ids.push(streamDecode(received).id);
        received = received.subarray(2 + received.readUInt16BE(0));
        if (ids.length === 1) connection.write(second.subarray(9));
      }
      if (ids.length === 2) break;
    }
    expect(ids).toEqual([1, 2]);
  });
});

test('the port that is wanted is taken if it is free, else the next', async () => {
  const other = await startDns(cloudmap, [server.port, ...PORTS]);
  expect(other.port).not.toBe(server.port);
  await other.close();
  const again = await startDns(cloudmap, [other.port]);
  expect(again.address).toBe(`127.0.0.1:${other.port}`);
  await again.close();
  await expect(startDns(cloudmap, [server.port])).rejects.toThrow('EADDRINUSE');
});

const ask = async (name: string) =>
  exchange(encode({ type: 'query', id: 7, questions: [{ type: 'A', name, class: 'IN' }] }));

/** Sends the messages in their order; returns the first that comes back. */
async function exchange(...messages: Buffer[]): Promise<ReturnType<typeof decode>> {
  const socket = createSocket('udp4');
  const answer = await new Promise<Buffer>((resolve) => {
    socket.on('message', resolve);
    for (const message of messages) socket.send(message, server.port, '127.0.0.1');
  });
  socket.close();
  return decode(answer);
}
