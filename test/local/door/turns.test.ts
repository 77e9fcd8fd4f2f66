import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeTurns } from '../../../local/door/turns.ts';

type Turn = { readonly url: string; readonly answer: (text: string) => void; readonly request: IncomingMessage };

/** Requests that are being served, oldest first. */
let turns: Turn[];
let server: Server;
/** The server's end of the connection. */
let near: Socket;
let client: Socket;
let seen: string;

/** Resolves when so many requests have been served or are. */
let served: (count: number) => Promise<void>;

beforeEach(async () => {
  turns = [];
  const calls = new Set<() => void>();
  server = createServer((request: IncomingMessage, response: ServerResponse) => {
    turns.push({ url: request.url ?? '', request, answer: (text) => void response.end(text) });
    for (const call of calls) call();
  });
  served = async (count) =>
    new Promise((resolve) => {
      const look = (): void => {
        if (turns.length >= count) resolve();
      };
      calls.add(look);
      look();
    });
  takeTurns(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [near] = await accepted;
  seen = '';
  client.setEncoding('latin1').on('data', (text: string) => (seen += text));
  client.on('error', () => undefined);
});
afterEach(() => {
  client.destroy();
  server.closeAllConnections();
  server.close();
});

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

test('requests of one connection are served one after the other, and answered in order', async () => {
  client.write(['/0', '/1', '/2', '/3'].map(get).join(''));
  for (let n = 0; n < 4; n++) {
    await served(n + 1);
    expect(turns).toHaveLength(n + 1);
    turns[n]?.answer(`answer ${n};`);
  }
  client.end();
  await once(client, 'close');
  expect(seen.match(/answer \d/g)).toEqual(['answer 0', 'answer 1', 'answer 2', 'answer 3']);
});

test('a body that arrives later is read, whatever waited before it', async () => {
  client.write(`${get('/0')}POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345`);
  await served(1);
  turns[0]?.answer('');
  await served(2);
  client.write('67890');
  const { request } = turns[1]!;
  expect(Buffer.concat(await request.toArray()).toString()).toBe('1234567890');
});

const MUCH = get('/').repeat(200_000);
/** What node reads at a time, and the kernel's share of a reading that had begun. */
const FEW_READS = 4 * 65_536;

test('a connection whose requests wait is not read, also after answers', async () => {
  client.write(MUCH);
  for (let n = 0; n < 20; n++) {
    await served(n + 1);
    turns[n]?.answer('a'.repeat(100_000));
  }
  await served(21);
  expect(near.bytesRead).toBeLessThan(FEW_READS);
});

test('what a client that is gone has asked is dropped', async () => {
  client.write(MUCH);
  await served(1);
  client.resetAndDestroy();
  const gone = new Promise((resolve) => near.once('close', resolve));
  turns[0]?.answer('a'.repeat(100_000));
  await gone;
  expect(turns.length).toBeLessThanOrEqual(2);
});
