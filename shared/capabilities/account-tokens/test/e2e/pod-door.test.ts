import { request } from 'node:https';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { aTemporaryFolder } from '../../../../../test/support/a-temporary-folder.ts';
import { type PodDoor, openPodDoor } from '../../local/pod-door.ts';

/** This machine in a network of containers, as far as loopback can be one: another address of it is a container. */
const GATEWAY = '127.0.0.2';
const CONTAINER = '127.0.0.3';

async function aDoor(dataDir = aTemporaryFolder('muster-pod-door-')) {
  const door = await openPodDoor(dataDir, GATEWAY);
  onTestFinished(async () => door.close());
  return { dataDir, door };
}

/** Status and text of an answer, or how the connection ended. */
const ask = async (
  { place: { host, port, authority } }: PodDoor,
  from: string,
  headers: object = {},
): Promise<string> =>
  new Promise((resolve) => {
    const options = {
      host,
      port,
      ca: authority,
      localAddress: from,
      path: '/version',
      headers: { ...headers },
      agent: false,
    };
    const asked = request(options, (answer) => {
      let text = '';
      answer.on('data', (data: Buffer) => (text += data.toString()));
      answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
    });
    asked.on('error', (error: Error & { code?: string }) => resolve(error.code ?? error.message));
    asked.end();
  });

const says = async (request: Request): Promise<Response> =>
  new Response(
    [new URL(request.url).pathname, request.headers.get('host'), request.headers.get('authorization')].join(' '),
  );

test('a container is answered over TLS, with what it sends, as if it were on this machine', async () => {
  const { door } = await aDoor();
  door.serve(says, null);
  expect(await ask(door, CONTAINER, { authorization: 'Bearer t' })).toBe('200 /version localhost Bearer t');
});

test('who comes while the runtime starts is answered when it has', async () => {
  const { door } = await aDoor();
  const answered = ask(door, CONTAINER);
  await ask(door, GATEWAY);
  door.serve(says, null);
  expect(await answered).toMatch(/^200/);
});

test('another user of this machine is closed before TLS begins', async () => {
  const { door } = await aDoor();
  door.serve(says, null);
  expect(await ask(door, GATEWAY)).toBe('ECONNRESET');
});

test('port and authority are kept, so that containers find it after a restart; the key is for nobody else', async () => {
  const { dataDir, door } = await aDoor();
  await door.close();
  const again = await aDoor(dataDir);
  expect(again.door.place).toEqual(door.place);
  expect(statSync(join(dataDir, 'pod-api-authority.json')).mode & 0o777).toBe(0o600);
});

test('what nobody can take over is refused', async () => {
  const { door } = await aDoor();
  door.serve(says, null);
  expect(await ask(door, CONTAINER, { connection: 'upgrade', upgrade: 'websocket' })).toMatch(/^400/);
});
