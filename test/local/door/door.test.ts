import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type Room, filesIn, guardDoor, roomFor } from '../../../local/door/door.ts';

test.each<[number, Room]>([
  [64, { open: 32, waiting: 16 }],
  [1_024, { open: 512, waiting: 256 }],
  [1_048_576, { open: 4_096, waiting: 2_048 }],
])('of %s open files %j are connections', (files, room) => {
  expect(roomFor(files)).toEqual(room);
});

test.each([
  ['Limit  Soft  Hard  Units\nMax open files            1024                 524288               files     \n', 1_024],
  ['Max open files            unlimited            unlimited            files     \n', null],
  ['', null],
])('the limit of open files in %j', (limits, files) => {
  expect(filesIn(limits)).toBe(files);
});

const clients: Socket[] = [];
afterEach(() => {
  for (const each of clients.splice(0)) each.destroy();
});

/** A server that sends back what it gets, and a way to it. */
async function anEcho(room: Room) {
  const server = createServer((socket) => void socket.pipe(socket));
  guardDoor(server, room);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    server,
    /** What comes back; null: it was closed. */
    say: async (text: string): Promise<string | null> => {
      const client = connect(port, '127.0.0.1').setEncoding('utf8');
      clients.push(client);
      client.on('error', () => undefined);
      client.write(text);
      return new Promise((resolve) => {
        client.once('data', (back: string) => resolve(back));
        client.once('close', () => resolve(null));
      });
    },
  };
}

test('what was sent before the door opened is read', async () => {
  const { server, say } = await anEcho({ open: 1_000, waiting: 1_000 });
  const all = Array.from({ length: 300 }, (_, n) => `hello ${n}`);
  expect(await Promise.all(all.map(say))).toEqual(all);
  server.close();
});

test('a burst that is larger than the room in front of the door is let in all the same', async () => {
  const { server, say } = await anEcho({ open: 1_000, waiting: 4 });
  const all = Array.from({ length: 200 }, (_, n) => `hello ${n}`);
  expect(await Promise.all(all.map(say))).toEqual(all);
  server.close();
});

test('where the room is full, a connection is closed at once, and room that is free again is used', async () => {
  const { server, say } = await anEcho({ open: 2, waiting: 2 });
  expect([await say('a'), await say('b'), await say('c')]).toEqual(['a', 'b', null]);
  clients[0]?.destroy();
  await expect.poll(async () => say('d')).toBe('d');
  server.close();
});

test.runIf(process.platform === 'linux')('nobody is let in after the server has closed', async () => {
  const entered: Socket[] = [];
  const server = createServer((socket) => entered.push(socket));
  guardDoor(server, { open: 10, waiting: 10 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  clients.push(connect((server.address() as AddressInfo).port, '127.0.0.1'));
  await accepted;
  server.close();
  await once(server, 'close');
  expect(entered).toEqual([]);
});
