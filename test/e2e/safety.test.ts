import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, readdirSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_WIRING, environmentOf } from '../support/test-wiring.ts';
import { type ALocalRuntime, aLocalRuntime } from './a-local-runtime.ts';
import { JOBS, PATIENCE_MS, conditionsOf, indexed, linesOf, shellJob, TEST_MS } from './kube-calls.ts';

/** What every task would say if one ran. */
const INTRUDER = shellJob('intruder', 'echo ran >> intruded');
const SECRETS = { AWS_SECRET_ACCESS_KEY: 'do-not-tell', E2E_TOKEN: 'do-not-tell-either' };

let local: ALocalRuntime;
beforeAll(async () => {
  Object.assign(process.env, SECRETS); // as the shell of the user who starts the runtime has them
  local = await aLocalRuntime();
}, PATIENCE_MS);
afterAll(async () => {
  await local.close();
  for (const name of Object.keys(SECRETS)) Reflect.deleteProperty(process.env, name);
});

/** Nothing was stored, and a Job that came later has run without any other having done so. */
async function nothingDone({ kube, workspaceDir }: ALocalRuntime): Promise<void> {
  const { text } = await kube.ask('GET', JOBS);
  expect(
    (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name),
  ).not.toContain('intruder');
  const name = `later-${++later}`;
  await kube.create(shellJob(name, 'true'));
  expect(conditionsOf(await kube.ended(name))).toContain('Complete');
  expect(linesOf(workspaceDir, 'intruded')).toEqual([]);
}
let later = 0;

describe('a web page of another site', { timeout: TEST_MS }, () => {
  const json = { 'content-type': 'application/json' };
  const text = { 'content-type': 'text/plain;charset=UTF-8' };
  /** What browsers add to what a page of evil.example sends. */
  const crossSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
  const rebound = { host: 'evil.example:8080', origin: 'http://evil.example:8080', 'sec-fetch-site': 'same-origin' };

  test.each<[string, Record<string, string>]>([
    ['a simple post of text', { ...text, ...crossSite }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded', ...crossSite }],
    ['a fetch of JSON, were its preflight answered', { ...json, ...crossSite, 'sec-fetch-mode': 'cors' }],
    ['a browser without Sec-Fetch headers', { ...json, origin: 'https://evil.example' }],
    ['a browser that hides the origin', { ...json, 'sec-fetch-site': 'cross-site' }],
    ['a sandboxed frame', { ...json, ...crossSite, origin: 'null' }],
    ['a name that was rebound to 127.0.0.1', { ...json, ...rebound }],
    ['a rebound name, by an old browser', { ...json, host: 'evil.example' }],
    [
      'a name that only begins like ours',
      { ...json, host: '127.0.0.1.evil.example', origin: 'http://127.0.0.1.evil.example' },
    ],
    [
      'a page that another program on this machine serves',
      { ...json, origin: 'http://127.0.0.1:9', 'sec-fetch-site': 'same-site' },
    ],
  ])('cannot start a Job with %s', async (_, headers) => {
    const answer = await send(local.runtime.url + JOBS, headers, JSON.stringify(INTRUDER));
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text)).toMatchObject({ kind: 'Status', reason: 'Forbidden', code: 403 });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('is not allowed anything by a preflight, and reads nothing', async () => {
    const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' };
    for (const [method, path, more] of [
      ['OPTIONS', JOBS, asks],
      ['GET', JOBS, {}],
      ['GET', '/version', {}],
    ] as const) {
      const { status, headers } = await send(local.runtime.url + path, { ...crossSite, ...more }, '', method);
      expect({ status, allowed: headers['access-control-allow-origin'] }).toEqual({ status: 403, allowed: undefined });
    }
  });

  test('that posts text without any sign of where it comes from is not understood', async () => {
    const answer = await send(local.runtime.url + JOBS, text, JSON.stringify(INTRUDER));
    expect(answer.status).toBe(415);
  });

  test('has done nothing by all that', async () => {
    await expect(nothingDone(local)).resolves.toBeUndefined();
  });
});

describe('what emulates AWS', { timeout: TEST_MS }, () => {
  let aws: ALocalRuntime;
  beforeAll(async () => {
    aws = await aLocalRuntime({ wiring: 'emulateAws' });
    await nothingDone(aws); // there is a log that can be asked for
  }, PATIENCE_MS);
  afterAll(async () => aws.close());

  /** Calls that would run a command, start a Job's pass, or read what tasks print. */
  const calls = (): readonly [string, string, object][] => {
    const { endpoints, queues, logGroup, placement } = environmentOf(aws.runtime);
    const container = { name: 'main', image: 'x', command: ['sh', '-c', 'echo ran >> intruded'] };
    const family = { family: 'intruder', cpu: '256', memory: '512', containerDefinitions: [container] };
    return [
      [endpoints.ecs!, 'AmazonEC2ContainerServiceV20141113.RegisterTaskDefinition', family],
      [
        endpoints.ecs!,
        'AmazonEC2ContainerServiceV20141113.RunTask',
        { cluster: placement.cluster, taskDefinition: 'intruder' },
      ],
      [endpoints.sqs!, 'AmazonSQS.SendMessage', { QueueUrl: queues.wake, MessageBody: '{}' }],
      [endpoints.sqs!, 'AmazonSQS.ReceiveMessage', { QueueUrl: queues.facts }],
      [endpoints.logs!, 'Logs_20140328.DescribeLogStreams', { logGroupName: logGroup }],
    ];
  };
  const key = (name: string) => ({
    authorization: `AWS4-HMAC-SHA256 Credential=${name}/20260101/us-east-1/any/aws4_request, SignedHeaders=host, Signature=0`,
  });
  const typed = (target: string) => ({
    'content-type': `application/x-amz-json-1.${target.startsWith('AmazonSQS') ? 0 : 1}`,
  });

  test('answers nobody who does not know the access key of this run', async () => {
    for (const [url, target, body] of calls()) {
      for (const headers of [{}, key('muster'), key('AKIAIOSFODNN7EXAMPLE'), { 'content-type': 'text/plain' }]) {
        const answer = await send(url, { ...typed(target), ...headers, 'x-amz-target': target }, JSON.stringify(body));
        expect({ target, status: answer.status }).toEqual({ target, status: 403 });
      }
    }
  });

  test('answers no web page, not even with the key', async () => {
    for (const [url, target, body] of calls()) {
      const headers = {
        ...typed(target),
        ...key(environmentOf(aws.runtime).accessKey!),
        origin: 'https://evil.example',
        'x-amz-target': target,
      };
      const { status, headers: got } = await send(url, headers, JSON.stringify(body));
      expect({ target, status, allowed: got['access-control-allow-origin'] }).toEqual({
        target,
        status: 403,
        allowed: undefined,
      });
      const { status: preflight } = await send(
        url,
        { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
        '',
        'OPTIONS',
      );
      expect(preflight).toBeGreaterThanOrEqual(400);
    }
  });

  test('does take the key', async () => {
    for (const [url, target, body] of calls().filter((call) => !call[1].endsWith('.RunTask'))) {
      const headers = { ...typed(target), ...key(environmentOf(aws.runtime).accessKey!), 'x-amz-target': target };
      const { status } = await send(url, headers, JSON.stringify(body));
      expect({ target, status }).toEqual({ target, status: 200 });
    }
  });

  test('has its DynamoDB engine, which answers every page, where no page can find it', async ({ skip }) => {
    const { store } = environmentOf(aws.runtime);
    if (store.kind !== 'dynamodb') return skip('no DynamoDB engine on this machine');
    const { hostname, port } = new URL(store.endpoint!);
    expect(hostname).toMatch(/^127\.\d+\.\d+\.\d+$/);
    expect(hostname).not.toBe('127.0.0.1');
    const ask = async (url: string, target: string, body: object): Promise<number | 'refused'> => {
      const headers = {
        ...key('any'),
        'content-type': 'application/x-amz-json-1.0',
        origin: 'https://evil.example',
        'x-amz-date': '20260101T000000Z',
        'x-amz-target': `DynamoDB_20120810.${target}`,
      };
      return send(url, headers, JSON.stringify(body)).then(
        ({ status }) => status,
        () => 'refused',
      );
    };
    const TableName = `seen-${randomUUID()}`;
    const ofOneKey = {
      AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
    };
    expect(await ask(store.endpoint!, 'CreateTable', { TableName, ...ofOneKey })).toBe(200);
    expect(await ask(store.endpoint!, 'DescribeTable', { TableName })).toBe(200);
    // Something else may listen there, and answers that it knows no such table.
    expect(await ask(`http://127.0.0.1:${port}`, 'DescribeTable', { TableName })).not.toBe(200);
  });

  test('has done nothing by all that', async () => {
    await expect(nothingDone(aws)).resolves.toBeUndefined();
  });
});

describe("a task's environment", { timeout: TEST_MS }, () => {
  test("is the container's, ours, and nothing of the user's shell", async () => {
    const { kube, workspaceDir } = local;
    const env = [
      { name: 'GREETING', value: 'hello $(WHO)' },
      { name: 'WHO', value: 'world' },
      { name: 'BOTH', value: '$(GREETING), $(WHO)' },
    ];
    const containers = [{ name: 'main', image: 'busybox', command: ['env'], env }];
    await kube.create(shellJob('env', '', indexed(2, 1), { containers }));
    await kube.ended('env');
    const pods = await kube.pods('env');
    const pod = pods.find(({ metadata }) => metadata.name.startsWith('env-1-'));
    const lines = (await kube.log(pod!.metadata.name)).trimEnd().split('\n');
    const isOfThisTask = (line: string): boolean =>
      /^MUSTER_(ADDRESS=127\.\d+\.\d+\.\d+|DNS=127\.0\.0\.1:\d+|CONTAINER=.*\/ecs\/tasks\/[0-9a-f]{32}\/main)$/.test(
        line,
      );
    expect(lines.filter(isOfThisTask)).toHaveLength(3);
    expect(lines.filter((line) => !isOfThisTask(line)).toSorted()).toEqual(
      [
        'BOTH=hello $(WHO), world', // Kubernetes expands what was defined before
        'GREETING=hello $(WHO)',
        'WHO=world',
        'JOB_COMPLETION_INDEX=1',
        'MUSTER_ATTEMPT=1',
        'MUSTER_COMPLETIONS=2',
        'MUSTER_JOB_NAME=env',
        'MUSTER_NAMESPACE=default',
        `MUSTER_WORKSPACE=${workspaceDir}`,
        `PATH=${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
      ].toSorted(),
    );
  });
});

const canBeNobody =
  process.platform === 'linux' && spawnSync('setpriv', ['--reuid=65534', '--clear-groups', 'true']).status === 0;
if (!canBeNobody)
  console.warn('SKIPPED: this test is not run by root on Linux, so it cannot call the API as another user');

describe.runIf(canBeNobody)('another user of the machine', { timeout: TEST_MS }, () => {
  /** Arguments for setpriv: as user nobody, bash sends MESSAGE and does what `then` says; file 3 is the connection. */
  const asNobody = (then: string): readonly string[] => {
    const { port } = new URL(local.runtime.url);
    // A connection that is reset, or closed before all is sent, ends a command with an error, which is no answer.
    const script = `trap '' PIPE; exec 3<>/dev/tcp/127.0.0.1/${port} || exit 9; { printf '%s' "$MESSAGE" >&3; ${then}; } || true`;
    return ['--reuid=65534', '--clear-groups', 'bash', '-c', script];
  };
  const env = (message: string) => ({ MESSAGE: message, PATH: process.env['PATH'] });
  const answerToNobody = async (message: string): Promise<string> =>
    (await promisify(execFile)('setpriv', asNobody('cat <&3'), { env: env(message), timeout: PATIENCE_MS })).stdout;

  const message = (method: string, path: string, body = ''): string =>
    [
      `${method} ${path} HTTP/1.1`,
      'Host: 127.0.0.1',
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n');

  test('gets no answer', async () => {
    expect(await answerToNobody(message('GET', '/version'))).toBe('');
    expect(await answerToNobody(message('POST', JOBS, JSON.stringify(INTRUDER)))).toBe('');
  });

  test('cannot leave a request behind and go, which takes the name off the connection', () => {
    const request = message('POST', JOBS, JSON.stringify(INTRUDER));
    // This process, and the runtime in it, stands still meanwhile: nobody is gone before the request is looked at.
    const { status } = spawnSync('setpriv', asNobody('exec 3>&-'), { env: env(request) });
    expect(status).toBe(0);
  });

  test('reads nothing in the data folder', () => {
    const { root, dataDir } = local;
    chmodSync(root, 0o755); // the temporary folder above it hides it, too
    const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    expect(files).toContain(TEST_WIRING === 'inProcess' ? 'jobs.lmdb' : 'dynamodb.sqlite');
    for (const name of ['.', ...files]) {
      const args = ['--reuid=65534', '--clear-groups', 'cat', join(dataDir, name)];
      expect(spawnSync('setpriv', args, { encoding: 'utf8' })).toMatchObject({
        stdout: '',
        stderr: expect.stringContaining('Permission denied') as string,
      });
    }
  });

  test('has done nothing by all that', async () => {
    await expect(nothingDone(local)).resolves.toBeUndefined();
  });
});

type Reply = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

/** Sends exactly these headers, Host and Origin included, which fetch would not. */
async function send(url: string, headers: Record<string, string>, body: string, method = 'POST'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
