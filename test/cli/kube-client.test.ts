import { getEventListeners } from 'node:events';
import type { RequestListener } from 'node:http';
import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type KubeClient, connect } from '../../cli/client/kube-client.ts';
import { listenOnLoopback } from '../../local/wire/loopback-server.ts';

v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc') as () => void;

const MUSTER = '{"gitVersion":"v1.34.0","muster":"0.1.0"}';

/** A client of a server that says it is Muster and answers everything else by `listener`. */
async function talkingTo(listener: RequestListener, version = MUSTER): Promise<KubeClient> {
  const server = await listenOnLoopback((request, response) => {
    if (request.url === '/version') response.end(version);
    else listener(request, response);
  });
  onTestFinished(async () => server.close());
  return connect({ server: server.url, namespace: 'default', token: 'secret', file: 'config' });
}

const nobody: RequestListener = (_, response) => void response.end('{}');

describe('connecting', () => {
  test('to Muster, and to nobody else', async () => {
    await expect(talkingTo(nobody)).resolves.toBeDefined();
    await expect(talkingTo(nobody, '{"gitVersion":"v1.33.1"}')).rejects.toThrow(
      /^error: http:\/\/127\.0\.0\.1:\d+ \(config\) is not a Muster server: its \/version says "v1\.33\.1"$/,
    );
    await expect(talkingTo(nobody, '{}')).rejects.toThrow('is not a Muster server: its /version does not say so');
    await expect(talkingTo(nobody, '<html>')).rejects.toThrow('sent an answer that is not JSON');
  });

  test('to a port where nobody listens', async () => {
    const server = await listenOnLoopback(() => undefined);
    await server.close();
    await expect(connect({ server: server.url, namespace: 'default', token: null, file: 'config' })).rejects.toThrow(
      `error: ${server.url} (config) cannot be reached: connection refused\nIs it running? \`muster local\` starts it.`,
    );
  });
});

describe('answers', () => {
  test.each([
    [
      'a Status',
      '{"kind":"Status","code":404,"reason":"NotFound","message":"no x"}',
      'Error from server (NotFound): no x',
    ],
    ['a proxy', '<h1>Bad\nGateway</h1>', 'Error from server (HTTP 502): <h1>Bad Gateway</h1>'],
    ['nobody in particular', '', 'Error from server (HTTP 502): Bad Gateway'],
    [
      'a Status with a cause that its message does not name',
      '{"kind":"Status","code":400,"reason":"BadRequest","message":"no","details":{"causes":[{"field":"a.b","message":"c"}]}}',
      'Error from server (BadRequest): no\n* a.b: c',
    ],
  ])('an error from %s', async (_, body, expected) => {
    const client = await talkingTo((__, response) => void response.writeHead(502).end(body));
    await expect(client.get('/x')).rejects.toThrow(expected);
  });

  test('a redirect is not followed: a token is for one server', async () => {
    const seen: (string | undefined)[] = [];
    const client = await talkingTo((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization}`);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await expect(client.get('/x')).rejects.toThrow('cannot be reached');
    expect(seen).toEqual(['/x Bearer secret']);
  });

  test('warnings are printed', async () => {
    const client = await talkingTo((_, response) => {
      response.setHeader('warning', ['299 - "unknown field \\"a\\""', '299 - "another, too"']);
      response.end('{}');
    });
    expect((await client.create('/x', {})).warnings).toEqual(['unknown field "a"', 'another, too']);
  });

  test('many with one signal leave nothing on it, and say nothing', async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    const client = await talkingTo((_, response) => void setTimeout(() => response.end('a\nb\n'), 50));
    const { signal } = new AbortController();
    const read = async (): Promise<void> => {
      for await (const line of client.lines('/x', {}, signal)) expect(line).toMatch(/a|b/);
    };
    await Promise.all(Array.from({ length: 20 }, read));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('lines come whole, however they are cut on the way', async () => {
    const text = 'one\ntwö\n\nlast';
    const client = await talkingTo((_, response) => {
      const bytes = Buffer.from(text);
      let at = 0;
      const send = (): void => {
        if (at >= bytes.length) return void response.end();
        response.write(bytes.subarray(at, ++at), () => setImmediate(send));
      };
      send();
    });
    const lines: string[] = [];
    for await (const line of client.lines('/x', {}, new AbortController().signal)) lines.push(line);
    expect(lines).toEqual(['one', 'twö', '', 'last']);
  });
});

describe('a watch', () => {
  test('ends when it is aborted, though garbage was collected meanwhile', async () => {
    // fetch forgets the signal of a request that was collected; then only the server would end the watch.
    let watched = 0;
    const client = await talkingTo((_, response) => {
      watched++;
      response.write('{"type":"BOOKMARK","object":{}}\n');
    });
    const stop = new AbortController();
    let ended = false;
    const watch = async () => {
      for await (const _ of client.watch('/watch', {}, stop.signal)) continue;
    };
    const watching = watch().finally(() => {
      ended = true;
    });
    watching.catch(() => undefined);
    await expect.poll(() => watched).toBe(1);
    for (let i = 0; i < 20; i++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      collectGarbage();
    }
    stop.abort();
    await expect.poll(() => ended).toBe(true);
  });
});
