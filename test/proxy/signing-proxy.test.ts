import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { KEYS, type Received, REGION } from './a-gateway.ts';
import { aProxy, aProxyOf } from './a-proxy.ts';
import type { Keys } from './signature-check.ts';

const ok = (_: Received, response: ServerResponse): void => void response.end('fine');

describe('what is signed', () => {
  test.each<[target: string, sent: string]>([
    ['/version', '/k8s/version'],
    ['/', '/k8s/'],
    ['/apis/', '/k8s/apis/'],
    [
      '/a?labelSelector=batch.kubernetes.io%2Fjob-name%3Dframes',
      '/k8s/a?labelSelector=batch.kubernetes.io%2Fjob-name%3Dframes',
    ],
    ['/a?labelSelector=app+in+%28a%2Cb%29%2C%21c', '/k8s/a?labelSelector=app%20in%20%28a%2Cb%29%2C%21c'],
    ['/a?labelSelector=x=y,z!=w', '/k8s/a?labelSelector=x%3Dy%2Cz%21%3Dw'],
    ["/a?q=it's*(so)", '/k8s/a?q=it%27s%2A%28so%29'],
    ['/a?q=1%2B1', '/k8s/a?q=1%2B1'],
    ['/a?b=2&a=1&b=1&a=', '/k8s/a?b=2&a=1&b=1&a='],
    ['/a?watch', '/k8s/a?watch='],
    ['/a?continue=eyJ2IjoxfQ==&limit=500', '/k8s/a?continue=eyJ2IjoxfQ%3D%3D&limit=500'],
    ['/a?q=%C3%A9%F0%9F%8C%8D', '/k8s/a?q=%C3%A9%F0%9F%8C%8D'],
    ['/a?hasOwnProperty=1&constructor=2', '/k8s/a?hasOwnProperty=1&constructor=2'],
    ['/a?x=%zz', '/k8s/a?x=%25zz'],
    ['/pods/a:b', '/k8s/pods/a%3Ab'],
    ['/pods/a%3Ab%2Fc', '/k8s/pods/a%3Ab%2Fc'],
    ['/pods/%C3%A9~_-.', '/k8s/pods/%C3%A9~_-.'],
    ['//api///v1', '/k8s/api/v1'],
    ['/../../other/./x', '/k8s/other/x'],
    ['/%2e%2e/%2E%2e/other', '/k8s/other'],
  ])('%s', async (target, sent) => {
    const { call, gateway } = await aProxy({ answer: ok });
    const { code, text } = await call(target);
    expect({ code, text, refused: gateway.refused }).toEqual({ code: 200, text: 'fine', refused: [] });
    expect(gateway.received.map(({ url }) => url)).toEqual([sent]);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s with its body, byte for byte', async (method) => {
    const { call, gateway } = await aProxy({ answer: ok });
    const body = Buffer.from([0x6b, 0x38, 0x73, 0, 0xff, 0xfe, 0xc3, 0x28, 0]);
    const { code } = await call('/apis/batch/v1/namespaces/default/jobs?fieldManager=kubectl-create', {
      method,
      body,
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
    });
    expect({ code, refused: gateway.refused }).toEqual({ code: 200, refused: [] });
    expect(gateway.received[0]).toMatchObject({ method, body });
    expect(gateway.received[0]!.message.headers['content-type']).toBe('application/vnd.kubernetes.protobuf');
  });

  test('a change without a body says that it has none', async () => {
    const { call, gateway } = await aProxy({ answer: ok });
    expect((await call('/a', { method: 'DELETE' })).code).toBe(200);
    expect(gateway.received[0]!.message.headers).toMatchObject({ 'content-length': '0' });
  });

  test('as the user who has logged in: with the session token, and with new credentials as they come', async () => {
    let keys: Keys = { ...KEYS, sessionToken: 'one' };
    const { call, gateway } = await aProxy({ answer: ok, keys: () => keys, credentials: async () => keys });
    await call('/a');
    keys = { accessKeyId: 'AKIDOTHER', secretAccessKey: 'other', sessionToken: 'two' };
    await call('/a');
    const tokens = gateway.received.map(({ message }) => message.headers['x-amz-security-token']);
    expect({ tokens, refused: gateway.refused }).toEqual({ tokens: ['one', 'two'], refused: [] });
  });
});

describe('headers', () => {
  test("the client's go on, but those of its connection and its own credentials", async () => {
    const { call, gateway } = await aProxy({ answer: ok });
    await call('/a', {
      headers: {
        accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
        'accept-encoding': 'gzip',
        'user-agent': 'kubectl/v1.33.1',
        'kubectl-command': 'kubectl get',
        'impersonate-user': 'ann',
        authorization: 'Bearer secret',
        'proxy-authorization': 'Basic secret',
        cookie: 'secret',
        'x-amz-security-token': 'secret',
        'x-forwarded-for': '10.0.0.1',
        connection: 'keep-alive, x-hop',
        'x-hop': '1',
        te: 'trailers',
      },
    });
    const { headers } = gateway.received[0]!.message;
    expect(headers).toMatchObject({
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      'accept-encoding': 'gzip',
      'user-agent': 'kubectl/v1.33.1',
      'kubectl-command': 'kubectl get',
      'impersonate-user': 'ann',
      host: new URL(gateway.url).host,
    });
    expect(JSON.stringify(headers)).not.toMatch(/secret|x-hop|trailers|10\.0\.0\.1/);
  });

  test('answers come back with theirs, repeated ones too, and under their own names', async () => {
    const { call } = await aProxy({
      answer: (_, response) =>
        response
          .writeHead(201, [
            ['content-type', 'application/json'],
            ['warning', '299 - "one"'],
            ['warning', '299 - "two"'],
            ['x-amzn-remapped-www-authenticate', 'Bearer'],
            ['x-amzn-remapped-connection', 'close'],
          ])
          .end('{}'),
    });
    const { code, headers } = await call('/a');
    expect({ code, headers }).toMatchObject({
      code: 201,
      headers: {
        'content-type': 'application/json',
        warning: '299 - "one", 299 - "two"',
        'www-authenticate': 'Bearer',
      },
    });
  });

  test('what is compressed stays so', async () => {
    const packed = gzipSync('{"kind":"APIGroupDiscoveryList"}');
    const { call } = await aProxy({
      answer: (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed),
    });
    const { answer } = call.open('/apis', { headers: { 'accept-encoding': 'gzip' } });
    const message = await answer;
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part as Buffer);
    expect(Buffer.concat(parts)).toEqual(packed);
    expect(message.headers['content-encoding']).toBe('gzip');
  });

  test("the API's own failures are handed on as they are", async () => {
    const status = '{"kind":"Status","apiVersion":"v1","code":403,"reason":"Forbidden","message":"no"}';
    for (const code of [404, 409, 429, 500, 504]) {
      const { call } = await aProxy({
        answer: (_, response) => response.writeHead(code, { 'content-type': 'application/json' }).end(status),
      });
      expect(await call('/a')).toMatchObject({ code, text: status });
    }
  });
});

describe('streams', () => {
  test('the head comes before there is a first byte, the first line before there is a second', async () => {
    const opened = aPromise<ServerResponse>();
    const { call } = await aProxy({
      answer: (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
        opened.resolve(response);
      },
    });
    const message = await call.open('/a?watch=true').answer;
    const upstream = await opened.promise;
    const parts = message.setEncoding('utf8')[Symbol.asyncIterator]();
    upstream.write('{"type":"ADDED"}\n');
    expect((await parts.next()).value).toBe('{"type":"ADDED"}\n');
    upstream.end('{"type":"DELETED"}\n');
    expect((await parts.next()).value).toBe('{"type":"DELETED"}\n');
    expect((await parts.next()).done).toBe(true);
  });

  test('a client that leaves ends the request upstream, in the middle of an answer and before it', async () => {
    const answering = aPromise<ServerResponse>();
    const waiting = aPromise<ServerResponse>();
    const { call } = await aProxy({
      answer: ({ url }, response) => {
        if (url.endsWith('/silent')) waiting.resolve(response);
        else {
          response.write('first\n');
          answering.resolve(response);
        }
      },
    });
    const begun = call.open('/begun');
    await begun.answer;
    const upstream = await answering.promise;
    begun.sent.destroy();
    await once(upstream, 'close');
    expect(upstream.writableEnded).toBe(false);

    const silent = call.open('/silent');
    silent.answer.catch(() => undefined);
    const unanswered = await waiting.promise;
    silent.sent.destroy();
    await once(unanswered, 'close');
  });

  test('an answer that breaks off breaks off, it does not just end', async () => {
    const { call } = await aProxy({
      answer: (_, response) => {
        response.write('first\n', () => setImmediate(() => response.destroy()));
      },
    });
    await expect(call('/a')).rejects.toThrow('aborted');
  });

  test('closing ends what is open', async () => {
    const { call, close } = await aProxy({ answer: (_, response) => response.write('first\n') });
    const message = await call.open('/a').answer;
    const over = once(message, 'error');
    message.resume();
    await close();
    expect(await over).toMatchObject([{ code: 'ECONNRESET' }]);
  });

  test('a connection that the gateway closes in the quiet: who reads does not notice, a change never meets one', async () => {
    const used = new WeakSet<object>();
    const { call, gateway } = await aProxy({
      answer({ message: { socket } }, response) {
        if (used.has(socket)) socket.destroy();
        else response.end('fine');
        used.add(socket);
      },
    });
    for (let i = 0; i < 3; i++) {
      expect((await call('/a')).code).toBe(200);
      expect((await call('/a', { method: 'POST', body: '{}' })).code).toBe(200);
    }
    expect(gateway.received.filter(({ method }) => method === 'POST')).toHaveLength(3);
    expect(gateway.received.filter(({ method }) => method === 'GET').length).toBeGreaterThan(3);
  });
});

describe('who is refused', () => {
  test.each<[string, Record<string, string>]>([
    ['a name that was rebound to this machine', { host: 'evil.example' }],
    ['a page of another site', { origin: 'https://evil.example' }],
    ['what a browser fetches across sites', { 'sec-fetch-site': 'cross-site' }],
  ])('%s', async (_, headers) => {
    const { call, gateway } = await aProxy({ answer: ok });
    expect(await call('/a', { headers })).toMatchObject({ code: 403, json: { kind: 'Status', reason: 'Forbidden' } });
    expect(gateway.received).toEqual([]);
  });

  test('what is too large, and what cannot be decoded', async () => {
    const { call, gateway } = await aProxy({ answer: ok });
    const large = { method: 'POST', body: Buffer.alloc(6 * 1024 * 1024 + 1) };
    expect((await call('/a', large)).json).toMatchObject({
      kind: 'Status',
      code: 413,
      reason: 'RequestEntityTooLarge',
    });
    expect((await call('/%zz')).json).toMatchObject({ kind: 'Status', code: 400, reason: 'BadRequest' });
    expect(gateway.received).toEqual([]);
    expect((await call('/a', { method: 'POST', body: Buffer.alloc(6 * 1024 * 1024) })).code).toBe(200);
  });
});

describe('what AWS refuses, in words', () => {
  test('nobody to sign as; it is enough to log in, without a restart', async () => {
    let loggedIn = false;
    const credentials = async () => {
      if (!loggedIn) throw new Error('Could not load credentials from any providers');
      return KEYS;
    };
    const { call } = await aProxy({ answer: ok, credentials });
    const { json } = await call('/a');
    expect(json).toMatchObject({ kind: 'Status', status: 'Failure', code: 502, reason: 'BadGateway' });
    expect(JSON.stringify(json)).toMatch(/has no AWS credentials \(Could not load.*aws sso login/);
    loggedIn = true;
    expect((await call('/a')).code).toBe(200);
  });

  test('credentials that are over are found anew, once', async () => {
    const old: Keys = { ...KEYS, sessionToken: 'old' };
    const fresh: Keys = { ...KEYS, sessionToken: 'fresh' };
    let found = old;
    let searches = 0;
    const { call, gateway } = await aProxy({
      answer: ({ body }, response) => void response.end(body),
      keys: () => fresh,
      findCredentials: () => {
        searches += 1;
        const here = found;
        found = fresh;
        return async () => here;
      },
    });
    expect(await call('/a', { method: 'POST', body: 'once' })).toMatchObject({ code: 200, text: 'once' });
    expect({ searches, refused: gateway.refused.length, received: gateway.received.length }).toEqual({
      searches: 2,
      refused: 1,
      received: 1,
    });
  });

  test('credentials that stay over: how to log in', async () => {
    const { call, gateway } = await aProxy({ answer: ok, keys: () => ({ ...KEYS, sessionToken: 'fresh' }) });
    expect((await call('/a')).json).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: expect.stringMatching(
        /no longer accepts these credentials: log in .*\(AWS says: The security token/,
      ) as string,
    });
    expect(gateway.refused).toHaveLength(2);
  });

  test.each([
    [-42, '42 minutes slow'],
    [17, '17 minutes fast'],
  ])('a clock that is %i minutes off', async (minutes, words) => {
    const proxyNow = (): number => Date.now() + minutes * 60_000;
    const { call } = await aProxy({ answer: ok, proxyNow });
    expect((await call('/a')).json).toMatchObject({
      message: expect.stringContaining(`this machine's clock is ${words};`) as string,
    });
  });

  test('a wrong secret key', async () => {
    const { call } = await aProxy({ answer: ok, credentials: async () => ({ ...KEYS, secretAccessKey: 'wrong' }) });
    expect((await call('/a')).json).toMatchObject({
      code: 403,
      message: expect.stringContaining(`does not accept the signature for ${REGION}`) as string,
    });
  });

  test('an address that API Gateway does not know', async () => {
    const { call } = await aProxy({ answer: (_, response) => response.writeHead(403).end('{"message":"Forbidden"}') });
    expect((await call('/a')).json).toMatchObject({
      code: 403,
      message: expect.stringMatching(
        /does not know this address, which has the stage \/k8s; .*AWS says: Forbidden/,
      ) as string,
    });
  });

  test('an answer of API Gateway that says why is kept, as 403', async () => {
    const message = 'User: arn:aws:iam::123456789012:user/ann is not authorized to perform: execute-api:Invoke';
    const status = JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      reason: 'Unauthorized',
      code: 401,
      message,
      details: { kind: 'jobs' },
    });
    const { call } = await aProxy({ answer: (_, response) => response.writeHead(401).end(status) });
    expect(await call('/a')).toMatchObject({
      code: 403,
      json: { kind: 'Status', code: 403, reason: 'Forbidden', message, details: { kind: 'jobs' } },
    });
  });

  test('discovery gets the reason as text, for of a Status kubectl would print nothing', async () => {
    const { call } = await aProxy({ answer: (_, response) => response.writeHead(403).end('{"message":"Forbidden"}') });
    const { headers, text } = await call('/apis?timeout=32s', {
      headers: { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' },
    });
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^muster proxy: .*does not know this address/);
  });

  test('nobody answers, and a host that there is not', async () => {
    const { call, gateway } = await aProxy({ answer: ok });
    await gateway.close();
    expect((await call('/a')).json).toMatchObject({
      code: 502,
      message: expect.stringContaining('connection refused') as string,
    });
    const nowhere = await aProxyOf('https://a1b2c3.execute-api.eu-west-1.invalid/k8s');
    expect((await nowhere.call('/a')).json).toMatchObject({
      code: 502,
      message: expect.stringContaining('the host a1b2c3.execute-api.eu-west-1.invalid') as string,
    });
  });
});

function aPromise<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
