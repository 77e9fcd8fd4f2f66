import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { openEngine } from '../../local/docker/engine.ts';
import { authFor, readHelper } from '../../local/docker/registry-auth.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const auth = async (registry: string, config: object) =>
  authFor(registry, {
    env: {},
    homeDir: '/home/kim',
    read: (path) => (path === '/home/kim/.docker/config.json' ? JSON.stringify(config) : null),
    isSocket: () => false,
  });

test('what docker login keeps: a password, which may have colons, or a token', async () => {
  const auths = {
    'a.test:5000': { auth: base64('kim:with:colon') },
    'https://b.test': { auth: base64('kim:b') },
    'c.test': { auth: base64('kim:'), identitytoken: 'tok' },
  };
  expect(await auth('a.test:5000', { auths })).toEqual({
    username: 'kim',
    password: 'with:colon',
    serveraddress: 'a.test:5000',
  });
  expect(await auth('b.test', { auths })).toMatchObject({ username: 'kim', password: 'b' });
  expect(await auth('c.test', { auths })).toEqual({ identitytoken: 'tok', serveraddress: 'c.test' });
  expect(await auth('d.test', { auths })).toBeNull();
});

test('a credential helper says a password, or a token without a user', () => {
  const said = (user: string): string => JSON.stringify({ ServerURL: 'a.test', Username: user, Secret: 's' });
  expect(readHelper(said('kim'), 'a.test')).toEqual({ username: 'kim', password: 's', serveraddress: 'a.test' });
  expect(readHelper(said('<token>'), 'a.test')).toEqual({ identitytoken: 's', serveraddress: 'a.test' });
  expect(readHelper('credentials not found in native keychain', 'a.test')).toBeNull();
});

test('an engine gets credentials of any length in padded base64', async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.headers['x-registry-auth']));
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const engine = openEngine({ kind: 'host', url: `http://127.0.0.1:${port}`, certDir: null });
  for (const password of ['', '1', '12', '123', '??>>~~'])
    await engine.ask({ method: 'POST', path: '/images/create', auth: { username: 'u', password, serveraddress: '' } });
  engine.close();
  server.close();
  expect(seen.map((text) => text.length % 4)).toEqual([0, 0, 0, 0, 0]);
  expect(seen.join('')).not.toMatch(/[+/]/);
  expect(JSON.parse(Buffer.from(seen.at(-1) ?? '', 'base64url').toString())).toMatchObject({ password: '??>>~~' });
});
