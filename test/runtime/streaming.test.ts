import { Hono } from 'hono';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { contextOf } from '../../local/event-source/mapping.ts';
import { apiHandler } from '../../shared/runtime/stack.ts';
import { aRuntime, anInbox } from './a-runtime.ts';

afterEach(() => vi.unstubAllGlobals());

type Streamed = (event: unknown, stream: PassThrough, context: unknown) => Promise<void>;

test('on Lambda an answer is streamed: its first part is sent before its last part exists', async () => {
  const heads: unknown[] = [];
  vi.stubGlobal('awslambda', {
    streamifyResponse: (handler: Streamed) => handler,
    HttpResponseStream: {
      from: (stream: PassThrough, head: unknown) => {
        heads.push(head);
        return stream;
      },
    },
  });
  let writeLast = (): void => undefined;
  const app = new Hono().get('/watch', () => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{"type":"ADDED"}\n'));
        writeLast = () => {
          controller.enqueue(new TextEncoder().encode('{"type":"DELETED"}\n'));
          controller.close();
        };
      },
    });
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  });
  const { runtime } = aRuntime(anInbox().inbox);
  const handler = apiHandler({ runtime: () => runtime, app: () => app }) as unknown as Streamed;

  const stream = new PassThrough({ encoding: 'utf8' });
  const parts = stream[Symbol.asyncIterator]();
  const event = {
    httpMethod: 'GET',
    path: '/watch',
    headers: {},
    multiValueHeaders: {},
    requestContext: { domainName: 'api.example' },
  };
  const answered = handler(event, stream, contextOf('api', 30_000));
  expect((await parts.next()).value).toBe('{"type":"ADDED"}\n');
  expect(heads).toMatchObject([{ statusCode: 200, headers: { 'content-type': 'application/json' } }]);
  writeLast();
  expect((await parts.next()).value).toBe('{"type":"DELETED"}\n');
  await answered;
  expect((await parts.next()).done).toBe(true);
});
