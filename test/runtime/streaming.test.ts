import { Hono } from 'hono';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { contextOf } from '../../local/event-source/mapping.ts';
import { apiHandler } from '../../shared/runtime/lambda-middleware.ts';
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

/** As Lambda's runtime does it: the head waits for the first write. */
function lambdaStream() {
  const written: string[] = [];
  const stream = new PassThrough();
  const write = stream.write.bind(stream);
  let head: unknown = null;
  const first = (chunk: Uint8Array): boolean => {
    if (head !== null) written.push(`head ${JSON.stringify(head)}`);
    head = null;
    written.push(Buffer.from(chunk).toString());
    return write(chunk);
  };
  Object.assign(stream, { write: first });
  vi.stubGlobal('awslambda', {
    streamifyResponse: (handler: Streamed) => handler,
    HttpResponseStream: {
      from: (_: PassThrough, { statusCode }: { readonly statusCode: number }) => {
        head = { statusCode };
        return stream;
      },
    },
  });
  return { stream, written };
}

const EVENT = {
  httpMethod: 'GET',
  path: '/watch',
  headers: {},
  multiValueHeaders: {},
  requestContext: { domainName: 'api.example' },
};

test('the head of a watch is sent before there is any event', async () => {
  const { stream, written } = lambdaStream();
  let end = (): void => undefined;
  let cancelled = false;
  const app = new Hono().get('/watch', () => {
    const body = new ReadableStream({
      start: (controller) => {
        end = () => controller.close();
      },
      cancel: () => {
        cancelled = true;
      },
    });
    return new Response(body);
  });
  const { runtime } = aRuntime(anInbox().inbox);
  const handler = apiHandler({ runtime: () => runtime, app: () => app }) as unknown as Streamed;
  const answered = handler(EVENT, stream, contextOf('api', 30_000));
  await expect.poll(() => written).toEqual(['head {"statusCode":200}', '']);
  end();
  await answered;
  expect(cancelled).toBe(false);
});

test.each([
  [900_000, 150],
  [120_000, 110],
  [30_000, 20],
  [3_000, 1],
])('with %i ms of its own, a function ends its watches after %i s', async (timeoutMs, streamMaxSec) => {
  const { stream } = lambdaStream();
  const { runtime } = aRuntime(anInbox().inbox);
  const told: unknown[] = [];
  const app = (_: unknown, options: unknown): Hono => {
    told.push(options);
    return new Hono().get('/watch', (c) => c.text('fine'));
  };
  const handler = apiHandler({ runtime: () => runtime, app }) as unknown as Streamed;
  const context = { ...contextOf('api', timeoutMs), getRemainingTimeInMillis: () => timeoutMs };
  await handler(EVENT, stream, context);
  expect(context).toMatchObject({ callbackWaitsForEmptyEventLoop: false });
  expect(told).toEqual([{ streamMaxSec }]);
});

test('a body in protobuf arrives byte for byte', async () => {
  const { stream } = lambdaStream();
  const { runtime } = aRuntime(anInbox().inbox);
  const body = Buffer.from([0x6b, 0x38, 0x73, 0, 0xff, 0xfe, 0xc3, 0x28, 0]);
  const got: Buffer[] = [];
  const app = new Hono().post('/jobs', async (c) => {
    got.push(Buffer.from(await c.req.arrayBuffer()), Buffer.from(c.req.query('fieldManager') ?? ''));
    return c.text('fine');
  });
  const handler = apiHandler({ runtime: () => runtime, app: () => app }) as unknown as Streamed;
  const event = {
    ...EVENT,
    httpMethod: 'POST',
    path: '/jobs',
    multiValueHeaders: { 'Content-Type': ['application/vnd.kubernetes.protobuf'] },
    multiValueQueryStringParameters: { fieldManager: ['a=b,c d+e'] },
    body: body.toString('base64'),
    isBase64Encoded: true,
  };
  await handler(event, stream, contextOf('api', 30_000));
  expect(got).toEqual([body, Buffer.from('a=b,c d+e')]);
});
