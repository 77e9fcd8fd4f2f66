import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { contextOf } from '../../local/event-source/mapping.ts';
import { RECEIVES_MAX } from '../../shared/names/dead-letter-queues.ts';
import { kubeApiOf } from '../../shared/runtime/api.ts';
import { apiHandler, scheduledHandler, sqsHandler } from '../../shared/runtime/lambda-middleware.ts';
import { NewerFormatError } from '../../shared/domain/base/newer-format.ts';
import { failureOf } from '../../shared/runtime/message-end.ts';
import { aRuntime, anEvent, anInbox } from './a-runtime.ts';

const CONTEXT = contextOf('test', 30_000);

/** A handler of numbers: what is none is refused, 13 fails, 666 fails all; those above 1000 are of a later release, the even ones derived. */
function numbers(inbox: ReturnType<typeof anInbox>) {
  const world = aRuntime(inbox.inbox);
  const seen: number[] = [];
  const handler = sqsHandler<number>({
    runtime: () => world.runtime,
    parse(body) {
      if (body === 'v2') throw new NewerFormatError('a message', 2, 1);
      if (!/^\d+$/.test(body)) throw new TypeError(`"${body}" is no number`);
      return Number(body);
    },
    isDerived: (content) => content % 2 === 0,
    async work(batch) {
      seen.push(...batch.map(({ content }) => content));
      if (batch.some(({ content }) => content === 666)) throw new Error('all is lost');
      const failed = (content: number): boolean => content === 13 || content > 1000;
      const error = (content: number): Error =>
        content === 13 ? new Error('unlucky') : new Error('wrapped', { cause: new NewerFormatError('a row', 2, 1) });
      return new Map(
        batch.filter(({ content }) => failed(content)).map((message) => [message, failureOf(error(message.content))]),
      );
    },
  });
  const run = async (bodies: readonly string[], receives?: number) =>
    (await handler(anEvent(bodies, receives), CONTEXT)).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  return { ...world, ...inbox, seen, run };
}

test('a message that cannot be parsed is dead-lettered with its reason, and harms no other', async () => {
  const w = numbers(anInbox());
  expect(await w.run(['1', 'x', '2'])).toEqual([]);
  expect(w.seen).toEqual([1, 2]);
  expect(w.buried).toEqual([{ body: 'x', reason: 'TypeError: "x" is no number' }]);
  expect(w.counts()).toEqual({ MessagesRejected: 1 });
  expect(w.warnings.join()).toContain('no number');
});

describe('what a later release has written', () => {
  test('comes again after a minute', async () => {
    const w = numbers(anInbox());
    expect(await w.run(['1', '1001', 'v2'], RECEIVES_MAX - 1)).toEqual(['m1', 'm2']);
    const byReceipt = w.retried.toSorted((a, b) => a.receipt.localeCompare(b.receipt));
    expect(byReceipt).toEqual([
      { receipt: 'r1', delaySec: 60 },
      { receipt: 'r2', delaySec: 60 },
    ]);
    expect([w.buried, w.sentAgain]).toEqual([[], []]);
  });

  test('is never a dead letter: at its last receive it is sent again, or left to what sends it again anyway', async () => {
    const w = numbers(anInbox());
    expect(await w.run(['1', '1001', '1002', 'v2'], RECEIVES_MAX)).toEqual([]);
    expect(w.sentAgain.toSorted((a, b) => a.body.localeCompare(b.body))).toEqual([
      { body: '1001', delaySec: 60 },
      { body: 'v2', delaySec: 60 },
    ]);
    expect([w.buried, w.retried]).toEqual([[], []]);
  });
});

test('a batch of nothing but refused messages does not reach the work', async () => {
  const w = numbers(anInbox());
  expect(await w.run(['x', 'y'])).toEqual([]);
  expect(w.seen).toEqual([]);
});

test.each(['unknown', 'broken'] as const)(
  'with a dead-letter queue that is %s it fails alone, and gets there by receives',
  async (dead) => {
    const w = numbers(anInbox({ dead }));
    expect(await w.run(['1', 'x', '2'])).toEqual(['m1']);
    expect(w.seen).toEqual([1, 2]);
  },
);

test('a message that fails comes again, later each time', async () => {
  const w = numbers(anInbox());
  expect(await w.run(['12', '13', '14'])).toEqual(['m1']);
  expect(await w.run(['13'], 3)).toEqual(['m0']);
  expect(w.retried).toEqual([
    { receipt: 'r1', delaySec: 2 },
    { receipt: 'r0', delaySec: 8 },
  ]);
  expect(w.buried).toEqual([]);
});

test('a message that fails at its last receive is dead-lettered with its reason', async () => {
  const w = numbers(anInbox());
  expect(await w.run(['12', '13'], RECEIVES_MAX)).toEqual([]);
  expect(w.buried).toEqual([{ body: '13', reason: 'Error: unlucky' }]);
});

test('what the work throws fails every message of the batch, but refuses none', async () => {
  const w = numbers(anInbox());
  expect(await w.run(['1', '666', 'x'])).toEqual(['m0', 'm1']);
  expect(w.buried.map(({ body }) => body)).toEqual(['x']);
});

test('metrics are written at the end of each invocation, a failed one too', async () => {
  const w = aRuntime(anInbox().inbox);
  const seen: string[] = [];
  const handler = scheduledHandler({
    runtime: () => w.runtime,
    async work({ time }) {
      seen.push(time);
      if (time === 'bad') throw new Error('no such time');
    },
  });
  await handler({ time: '2026-11-20T11:00:00Z' }, CONTEXT);
  await expect(handler({ time: 'bad' }, CONTEXT)).rejects.toThrow('no such time');
  expect(seen).toEqual(['2026-11-20T11:00:00Z', 'bad']);
  const names = { function_name: 'test', function_request_id: CONTEXT.awsRequestId };
  expect(w.begun).toEqual([names, names]);
  expect(w.flushes()).toBe(2);
  expect(w.warnings.join()).toContain('no such time');
});

test('an API event becomes a request to the app', async () => {
  const w = aRuntime(anInbox().inbox);
  const handler = apiHandler({
    runtime: () => w.runtime,
    app: () =>
      new Hono().post('/apis/:name', async (c) =>
        c.json({ name: c.req.param('name'), q: c.req.query('q'), body: await c.req.text() }, 201),
      ),
  }) as (event: unknown, context: unknown) => Promise<{ statusCode: number; body: string }>;
  const event = {
    httpMethod: 'POST',
    path: '/apis/x',
    headers: { Host: 'api.example' },
    multiValueHeaders: { Host: ['api.example'] },
    multiValueQueryStringParameters: { q: ['1'] },
    queryStringParameters: { q: '1' },
    body: 'text',
    isBase64Encoded: false,
    requestContext: { domainName: 'api.example', requestId: 'of-the-gateway' },
  };
  const answer = await handler(event, CONTEXT);
  expect([answer.statusCode, JSON.parse(answer.body)]).toEqual([201, { name: 'x', q: '1', body: 'text' }]);
  expect(w.flushes()).toBe(1);
  const { awsRequestId } = CONTEXT;
  expect(w.begun).toEqual([
    { function_name: 'test', function_request_id: awsRequestId, api_request_id: 'of-the-gateway' },
  ]);
});

test('a change is a line of the log, with the request id that the access log has', async () => {
  const w = aRuntime(anInbox().inbox);
  const told: unknown[] = [];
  const telemetry = {
    ...w.runtime.deps.telemetry,
    info: (message: string, values: object) => told.push({ message, ...values }),
  };
  const runtime = { ...w.runtime, deps: { ...w.runtime.deps, telemetry } };
  const handler = apiHandler({ runtime: () => runtime, app: kubeApiOf }) as (
    event: unknown,
    context: unknown,
  ) => Promise<{ statusCode: number }>;
  const send = (httpMethod: string, path: string) =>
    handler(
      {
        httpMethod,
        path,
        headers: { Host: 'api.example' },
        multiValueHeaders: { Host: ['api.example'] },
        body: null,
        isBase64Encoded: false,
        requestContext: { domainName: 'api.example', requestId: 'of-the-gateway', identity: { sourceIp: '192.0.2.7' } },
      },
      CONTEXT,
    );
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  expect((await send('GET', jobs)).statusCode).toBe(200);
  expect((await send('DELETE', `${jobs}/none`)).statusCode).toBe(404);
  expect(told).toMatchObject([
    {
      message: 'audit',
      auditID: 'of-the-gateway',
      sourceIPs: ['192.0.2.7'],
      verb: 'delete',
      user: { username: 'authenticated' },
      objectRef: { resource: 'jobs', namespace: 'default', name: 'none' },
      responseStatus: { code: 404 },
    },
  ]);
});
