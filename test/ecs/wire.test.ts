import { request, type IncomingHttpHeaders } from 'node:http';
import { ECSClient, ListTasksCommand } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEcs } from '../../local/ecs/create-ecs.ts';
import { serveAwsJson } from '../../local/wire/aws-json.ts';
import { ecsService } from '../../local/wire/ecs-wire.ts';
import { listenOnLoopback, type LoopbackServer } from '../../local/wire/loopback-server.ts';

const ECS = 'AmazonEC2ContainerServiceV20141113';
let server: LoopbackServer;
const surprises: string[] = [];

beforeEach(async () => {
  surprises.length = 0;
  const ecs = createEcs({ driver: { kind: 'simulated' } });
  await ecs.start();
  const service = ecsService(ecs.api);
  const broken = {
    ...service,
    operations: {
      ...service.operations,
      StopTask: {
        ...service.operations['StopTask']!,
        handle: () => {
          throw new TypeError('our own bug, with secrets');
        },
      },
    },
  };
  server = await listenOnLoopback(
    serveAwsJson([broken], { accessKeyId: 'AKIDOFTHISRUN', onSurprise: (message) => surprises.push(message) }),
  );
});
afterEach(async () => server.close());

const SIGNED = {
  authorization: 'AWS4-HMAC-SHA256 Credential=AKIDOFTHISRUN/20261120/us-east-1/ecs/aws4_request, Signature=0',
};

async function call(
  headers: Record<string, string>,
  body = '{}',
  method = 'POST',
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      server.url,
      { method, headers: { ...SIGNED, 'x-amz-target': `${ECS}.ListTasks`, ...headers } },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: JSON.parse(Buffer.concat(pieces).toString()) as Record<string, unknown>,
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the front of the embedded AWS', () => {
  test('answers in AWS JSON 1.1', async () => {
    const { status, headers, body } = await call({});
    expect([status, body, headers['content-type']]).toEqual([200, { taskArns: [] }, 'application/x-amz-json-1.1']);
    expect(headers['x-amzn-requestid']).toMatch(/^[0-9a-f-]{36}$/);
    expect((await call({}, '')).status, 'an empty body is an empty request').toBe(200);
  });

  test.each([
    ['another operation', { 'x-amz-target': `${ECS}.DeleteCluster` }, '{}', 400, 'UnknownOperationException'],
    ['an operation of every object', { 'x-amz-target': `${ECS}.constructor` }, '{}', 400, 'UnknownOperationException'],
    ['another service', { 'x-amz-target': 'AmazonSQS.SendMessage' }, '{}', 400, 'UnknownOperationException'],
    ['no JSON', {}, '{"cluster": ', 400, 'SerializationException'],
    ['no object', {}, '[1]', 400, 'SerializationException'],
    ['a member of another type', {}, '{"maxResults": "many"}', 400, 'InvalidParameterException'],
    ['a body too large', {}, `{"cluster": "${'x'.repeat(1_100_000)}"}`, 413, 'RequestEntityTooLargeException'],
    ['a Host after DNS rebinding', { host: 'evil.example:80' }, '{}', 403, 'AccessDeniedException'],
    ['a Host that only looks like loopback', { host: '127.0.0.1.evil.example' }, '{}', 403, 'AccessDeniedException'],
    ['a web page', { origin: 'http://localhost:3000' }, '{}', 403, 'AccessDeniedException'],
    [
      'a stranger on the machine',
      { authorization: 'AWS4-HMAC-SHA256 Credential=OTHER/20261120/us-east-1/ecs/aws4_request' },
      '{}',
      403,
      'UnrecognizedClientException',
    ],
    ['our own bug', { 'x-amz-target': `${ECS}.StopTask` }, '{}', 500, 'ServerException'],
  ])('%s is refused', async (_what, headers, body, status, errorType) => {
    const reply = await call(headers, body);
    expect([reply.status, reply.body['__type'], reply.headers['x-amzn-errortype']]).toEqual([
      status,
      errorType,
      errorType,
    ]);
    expect(JSON.stringify(reply.body)).not.toContain('secrets');
    expect(surprises.length).toBe(status === 500 ? 1 : 0);
    expect((await call({})).status, 'the next one is served').toBe(200);
  });

  test('only POST is served', async () => {
    expect((await call({}, '', 'GET')).status).toBe(405);
  });

  test('listens on loopback only', () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test('the real client with the right key is served, with another it is refused', async () => {
    const client = (accessKeyId: string) =>
      new ECSClient({
        endpoint: server.url,
        region: 'us-east-1',
        credentials: { accessKeyId, secretAccessKey: 'x' },
        maxAttempts: 1,
      });
    expect((await client('AKIDOFTHISRUN').send(new ListTasksCommand({}))).taskArns).toEqual([]);
    await expect(client('AKIDOFTHISRU').send(new ListTasksCommand({}))).rejects.toMatchObject({
      name: 'UnrecognizedClientException',
    });
  });
});
