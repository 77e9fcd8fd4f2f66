import { describe, expect, test } from 'vitest';
import { NewerFormatError } from '../../../shared/domain/base/newer-format.ts';
import { Busy } from '../../../shared/ports/busy.ts';
import { encodePlace } from '../../../shared/schema/object/list-place.ts';
import { MANIFEST_BYTES_MAX } from '../../../shared/schema/text/document.ts';
import { JOBS, PODS, aWorld, manifest } from '../a-world.ts';
import { YAML_BOMB } from '../../schema/text/yaml-bomb.ts';

/** Decodes, and names a Job that cannot be. */
const LONG_TOKEN = encodePlace({
  version: 1,
  after: `default/${'n'.repeat(3000)}`,
  job: { namespace: 'default', name: 'a' },
  pod: null,
});

const failure = (code: number, reason: string, message: unknown, details?: unknown) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  ...(details === undefined ? {} : { details }),
  code,
});

describe('Status objects, word for word', () => {
  const NOWHERE = 'the server could not find the requested resource';
  const NOT_ALLOWED = 'the server does not allow this method on the requested resource';
  test.each<[string, string, unknown]>([
    [
      'GET',
      `${JOBS}/none`,
      failure(404, 'NotFound', 'jobs.batch "none" not found', { name: 'none', group: 'batch', kind: 'jobs' }),
    ],
    [
      'DELETE',
      `${JOBS}/none`,
      failure(404, 'NotFound', 'jobs.batch "none" not found', { name: 'none', group: 'batch', kind: 'jobs' }),
    ],
    ['GET', `${PODS}/none`, failure(404, 'NotFound', 'pods "none" not found', { name: 'none', kind: 'pods' })],
    [
      'GET',
      `${PODS}/sums-0-bbbbb/log`,
      failure(404, 'NotFound', 'pods "sums-0-bbbbb" not found', { name: 'sums-0-bbbbb', kind: 'pods' }),
    ],
    [
      'GET',
      '/api/v1/namespaces/none',
      failure(404, 'NotFound', 'namespaces "none" not found', { name: 'none', kind: 'namespaces' }),
    ],
    ['GET', '/', failure(404, 'NotFound', NOWHERE, {})],
    ['GET', '/api/v1/endpoints', failure(404, 'NotFound', NOWHERE, {})],
    ['POST', '/apis/apps/v1/namespaces/default/statefulsets', failure(404, 'NotFound', NOWHERE, {})],
    ['POST', `${JOBS}/sums`, failure(405, 'MethodNotAllowed', NOT_ALLOWED, {})],
    ['PUT', JOBS, failure(405, 'MethodNotAllowed', NOT_ALLOWED, {})],
    ['DELETE', `${JOBS}/sums/status`, failure(405, 'MethodNotAllowed', NOT_ALLOWED, {})],
    [
      'DELETE',
      `${PODS}/sums-0-bbbbb`,
      failure(404, 'NotFound', 'pods "sums-0-bbbbb" not found', { name: 'sums-0-bbbbb', kind: 'pods' }),
    ],
    [
      'GET',
      `${JOBS}?limit=x`,
      failure(400, 'BadRequest', 'limit: Invalid value: "x": must be a number that is not negative'),
    ],
    ['GET', `${JOBS}?continue=x`, failure(400, 'BadRequest', 'continue key is not valid')],
    ['GET', `${JOBS}?continue=${LONG_TOKEN}`, failure(400, 'BadRequest', 'continue key is not valid')],
    [
      'GET',
      `${JOBS}?labelSelector=a%20b`,
      failure(400, 'BadRequest', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
    ],
    [
      'GET',
      `${JOBS}?fieldSelector=status.failing%3D1`,
      failure(400, 'BadRequest', 'field label "status.failing" not supported for batchv1.Job'),
    ],
    [
      'GET',
      `${JOBS}?watch=1&resourceVersion=x`,
      failure(400, 'BadRequest', 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax'),
    ],
  ])('%s %s', async (method, path, expected) => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    const answer = await world.app.request(path, { method });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const status = await answer.json();
    expect(status).toEqual(expected);
    expect((status as { code: number }).code).toBe(answer.status);
  });

  test('a name that is taken, a namespace that is not there', async () => {
    const world = await aWorld();
    await world.post(JOBS, manifest('sums'));
    expect(await (await world.post(JOBS, manifest('sums'))).json()).toEqual(
      failure(409, 'AlreadyExists', 'jobs.batch "sums" already exists', { name: 'sums', group: 'batch', kind: 'jobs' }),
    );
    expect(await (await world.post('/apis/batch/v1/namespaces/x/jobs', manifest('sums'))).json()).toEqual(
      failure(404, 'NotFound', 'namespaces "x" not found', { name: 'x', kind: 'namespaces' }),
    );
  });

  test('all that is wrong with an object, each with its path', async () => {
    const world = await aWorld();
    const answer = await world.post(JOBS, manifest('sums', { parallelism: -1, podReplacementPolicy: 'Never' }));
    const unknown = 'Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"';
    const negative = 'Invalid value: -1: must be greater than or equal to 0';
    expect(await answer.json()).toEqual(
      failure(
        422,
        'Invalid',
        `Job.batch "sums" is invalid: [spec.parallelism: ${negative}, spec.podReplacementPolicy: ${unknown}]`,
        {
          name: 'sums',
          group: 'batch',
          kind: 'Job',
          causes: [
            { reason: 'FieldValueInvalid', message: negative, field: 'spec.parallelism' },
            { reason: 'FieldValueNotSupported', message: unknown, field: 'spec.podReplacementPolicy' },
          ],
        },
      ),
    );
  });

  test('our own failure reveals nothing internal, and is reported to the operator', async () => {
    const world = await aWorld();
    world.jobs.findJob = async () => Promise.reject(new Error('table of secrets'));
    const answer = await world.get(`${JOBS}/sums`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secrets');
    expect(world.warnings).toMatchObject([{ message: 'request failed', error: 'Error: table of secrets' }]);
  });
});

describe('bad input is refused, and nothing of it is stored', () => {
  const ok = JSON.stringify(manifest('sums'));
  const JSON_TYPE = 'application/json';
  test.each<[string, string | Uint8Array, string, number, string]>([
    ['nothing', '', JSON_TYPE, 400, 'the body is empty'],
    ['not JSON', '{', JSON_TYPE, 400, "couldn't get version/kind; json parse error"],
    ['not YAML', 'a: [', 'application/yaml', 400, "couldn't get version/kind; yaml parse error"],
    ['YAML as JSON', 'kind: Job', JSON_TYPE, 400, 'json parse error'],
    ['a list', '[]', JSON_TYPE, 400, 'cannot unmarshal array into the object'],
    ['a word', '"Job"', JSON_TYPE, 400, 'cannot unmarshal string into the object'],
    ['null', 'null', JSON_TYPE, 400, 'cannot unmarshal null into the object'],
    ['a bomb of aliases', YAML_BOMB, 'application/yaml', 400, 'Excessive alias count'],
    ['a deep hole', '['.repeat(30_000) + ']'.repeat(30_000), JSON_TYPE, 400, 'nested deeper than 100 levels'],
    ['a prototype', '{"__proto__":{"kind":"Job"}}', JSON_TYPE, 400, 'key "__proto__"'],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), JSON_TYPE, 400, 'not UTF-8'],
    ['another kind', ok.replace('"Job"', '"Pod"'), JSON_TYPE, 400, 'cannot be handled as a Job'],
    [
      'an unknown field',
      ok.replace('"parallelism"', '"paralelism"'),
      JSON_TYPE,
      400,
      'unknown field "spec.paralelism"',
    ],
    [
      'a deep unknown field',
      ok.replace('"image"', '"imagine"'),
      JSON_TYPE,
      400,
      'unknown field "spec.template.spec.containers[0].imagine"',
    ],
    [
      'a field twice',
      ok.replace('"completions":4', '"completions":4,"completions":5'),
      JSON_TYPE,
      400,
      'strict decoding error: duplicate field "spec.completions"',
    ],
    ['a wrong type', ok.replace('"completions":4', '"completions":"4"'), JSON_TYPE, 400, 'spec.completions'],
    [
      'without an image',
      ok.replace('"image":"busybox",', ''),
      JSON_TYPE,
      422,
      'spec.template.spec.containers[0].image: Required value',
    ],
    ['without a name', ok.replace('"name":"sums"', '"labels":{}'), JSON_TYPE, 422, 'metadata.name: Required value'],
    [
      'too large',
      `${ok}${' '.repeat(MANIFEST_BYTES_MAX)}`,
      JSON_TYPE,
      413,
      'Request entity too large: limit is 262144',
    ],
    [
      'a form',
      ok,
      'application/x-www-form-urlencoded',
      415,
      'accepted media types include: application/json, application/yaml',
    ],
    ['text, as a web page may post it', ok, 'text/plain', 415, 'unknown format'],
    ['JSON that says it is protobuf', ok, 'application/vnd.kubernetes.protobuf', 400, 'protobuf parse error'],
    ['nothing, as protobuf', '', 'application/vnd.kubernetes.protobuf', 400, 'the body is empty'],
  ])('%s', async (_, body, type, code, message) => {
    const world = await aWorld();
    const answer = await world.app.request(`${JOBS}?fieldValidation=Strict`, {
      method: 'POST',
      body,
      headers: { 'content-type': type },
    });
    const status = (await answer.json()) as { code: number; message: string };
    expect([answer.status, status.code]).toEqual([code, code]);
    expect(status.message).toContain(message);
    expect(await world.feed.head()).toBe(0);
    expect((await world.jobs.listJobs({ namespace: null, after: null, limit: 10 })).jobs).toEqual([]);
  });

  test('a body without a length is not read beyond the limit', async () => {
    const world = await aWorld();
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(32));
      },
    });
    const init = {
      method: 'POST',
      body: endless,
      headers: { 'content-type': JSON_TYPE },
      duplex: 'half',
    } as RequestInit;
    const answer = await world.app.request(JOBS, init);
    expect(answer.status).toBe(413);
    expect(sent).toBeLessThan(2 * MANIFEST_BYTES_MAX);
  });

  test('a compressed body', async () => {
    const world = await aWorld();
    expect((await world.post(JOBS, ok, { 'content-encoding': 'gzip' })).status).toBe(415);
  });
});

describe('names that every object inherits are names like others', () => {
  const templated = (metadata: object, spec: object, more: object = {}) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'sums' },
    spec: {
      ...more,
      template: { metadata, spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }], ...spec } },
    },
  });
  const shows = (fieldPath: string) => ({
    containers: [{ name: 'main', image: 'a', env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath } } }] }],
  });

  test.each([
    ['a node selector', templated({}, { nodeSelector: { constructor: 'a' } }), 'nodeSelector[constructor]'],
    ['a field path', templated({}, shows('constructor')), 'Unsupported value: "constructor"'],
    [
      'a selector',
      templated(
        { labels: { a: 'b' } },
        {},
        {
          manualSelector: true,
          selector: { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] },
        },
      ),
      '`selector` does not match template `labels`',
    ],
  ])('%s', async (_, job, message) => {
    const answer = await (await aWorld()).post(JOBS, job);
    expect(answer.status).toBe(422);
    expect(((await answer.json()) as { message: string }).message).toContain(message);
  });

  test.each(['constructor', '__proto__'])('a patch of the type %s', async (type) => {
    const { app } = await aWorld();
    const answer = await app.request(`${JOBS}/sums`, {
      method: 'PATCH',
      body: '{}',
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(415);
  });
});

describe('variables that name one another are not put together where that is more than any memory holds', () => {
  const first = { name: 'A0', value: 'xx' };
  const pod = { name: 'A0', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } };
  const doubled = (from: object) => [
    from,
    ...Array.from({ length: 40 }, (_, i) => ({ name: `A${i + 1}`, value: `$(A${i})$(A${i})` })),
  ];
  const long = { name: 'A', value: 'x'.repeat(100_000) };

  test.each([
    ['texts', { env: doubled(first) }],
    ["the Pod's name", { env: doubled(pod) }],
    ['words', { env: [long], args: Array.from({ length: 12_000 }, () => '$(A)') }],
  ])('%s', async (_, container) => {
    const containers = [{ name: 'main', image: 'busybox', ...container }];
    const job = { metadata: { name: 'sums' }, spec: { template: { spec: { restartPolicy: 'Never', containers } } } };
    const answer = await (await aWorld()).post(JOBS, job);
    expect(answer.status).toBe(422);
    expect(((await answer.json()) as { message: string }).message).toContain(
      'spec.template.spec.containers: Too long: may not be more than 1048576 bytes',
    );
  });
});

test('what a later release has stored: 503, why, and when to ask again', async () => {
  const world = await aWorld();
  world.objects.commit = async () =>
    Promise.reject(new Error('in vain', { cause: new NewerFormatError('a row', 2, 1) }));
  const answer = await world.post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team' },
  });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
  const why =
    'the server is currently unable to handle the request: what it asks for was stored by a later release of Muster';
  expect(await answer.json()).toEqual(failure(503, 'ServiceUnavailable', why, { retryAfterSeconds: 10 }));
});

test('too many concurrent writes for a turn: 429, and when to retry', async () => {
  const world = await aWorld();
  world.objects.commit = async () => Promise.reject(new Busy('the feed of Namespace was taken 30 times in a row'));
  const answer = await world.post('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'team' },
  });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '1']);
  const why = 'too many requests write at once; nothing was written, try again later';
  expect(await answer.json()).toEqual(failure(429, 'TooManyRequests', why, { retryAfterSeconds: 1 }));
  expect(world.warnings).toEqual([]);
});
