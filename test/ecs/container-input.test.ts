import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { ContainerInput } from '../../local/ecs/sessions/container-input.ts';

const MIB = 1024 * 1024;
const nextTurn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A program that reads nothing until the test lets it. */
function aDeafProgram() {
  let seen = '';
  let listen: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => (listen = resolve));
  const pipe = new Writable({
    write(chunk: Buffer, _encoding, done) {
      seen += chunk.toString();
      void listening.then(() => done());
    },
  });
  return { pipe, listen: () => listen(), seen: () => seen, bytes: () => seen.length };
}

test('what a client has sent that leaves is not kept, but for the piece that is under way', async () => {
  const program = aDeafProgram();
  const input = new ContainerInput(program.pipe, { once: false, sizes: null });
  for (let n = 0; n < 20; n++) {
    const client = input.attach(() => undefined);
    client.write(Buffer.alloc(MIB));
    await nextTurn();
    client.destroy();
  }
  program.listen();
  await nextTurn();
  expect(program.bytes()).toBe(65_536);
});

test('clients take turns, and each piece is whole', async () => {
  const program = aDeafProgram();
  const input = new ContainerInput(program.pipe, { once: false, sizes: null });
  const clients = ['a', 'b'].map((letter) => {
    const client = input.attach(() => undefined);
    client.write(Buffer.alloc(2 * 65_536, letter));
    return client;
  });
  program.listen();
  while (program.bytes() < 4 * 65_536) await nextTurn();
  expect(program.seen().replaceAll(/(.)\1{65535}/g, '$1')).toBe('abab');
  for (const client of clients) client.destroy();
});

test.each([
  ['once', { once: true, sizes: null }, { isOpen: false, left: 0 }],
  ['more often', { once: false, sizes: null }, { isOpen: true, left: 1 }],
  ['a terminal', { once: true, sizes: new PassThrough() }, { isOpen: true, left: 1 }],
])('the end of a client: %s', async (_, options, { isOpen, left }) => {
  for (const how of ['end', 'destroy'] as const) {
    const pipe = new PassThrough();
    const input = new ContainerInput(pipe, options);
    let times = 0;
    const other = input.attach(() => undefined);
    const client = input.attach(() => (times = 1));
    client[how]();
    await nextTurn();
    expect([pipe.writable, times]).toEqual([isOpen, left]);
    // What another one sends to a program that takes nothing more is thrown away.
    await new Promise<void>((resolve) => other.write('x', () => resolve()));
  }
});
