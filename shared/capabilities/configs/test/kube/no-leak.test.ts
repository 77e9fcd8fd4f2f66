import { describe, expect, test } from 'vitest';
import { createSealer } from '../../adapters/aes-sealer.ts';
import { aWorld } from '../../../../../test/kube/a-world.ts';
import { APPLY, MERGE } from '../../../../../test/kube/write/a-client.ts';
import { aKey } from '../adapters/a-key.ts';
import { base64 } from '../schema/a-secret.ts';

// No error, warning, log line, or audit line about a Secret repeats what it holds, or what somebody wanted it to hold. The planted
// leak: without `isConfidential` in the row of Secrets, a third of these are red.

const SECRETS = '/api/v1/namespaces/default/secrets';
const JSON_TYPE = 'application/json';
const YAML = 'application/yaml';
const STRATEGIC = 'application/strategic-merge-patch+json';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** A number as well, because people write numbers where a text is wanted. */
const CANARIES = ['canary', '48151623', base64('canary'), base64('48151623')];

const secret = (contents: object, metadata: object = { name: 'db' }) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata, ...contents });

const NEW: readonly (readonly [what: string, body: string | Uint8Array, type: string])[] = [
  ['JSON that ends early', '{"kind":"Secret","stringData":{"a":"canary', JSON_TYPE],
  ['JSON that is none', 'canary', JSON_TYPE],
  ['JSON with a word too many', `{"stringData":{"a": canary}}`, JSON_TYPE],
  ['YAML that is none', 'stringData:\n  a: "canary\n b: @canary', YAML],
  ['YAML with an alias of nothing', 'stringData:\n  a: *canary', YAML],
  ['YAML with a reserved character', 'stringData:\n  a: @canary', YAML],
  ['YAML with an unknown tag', 'stringData:\n  a: !canary x', YAML],
  ['YAML with an escape that is none', 'stringData:\n  a: "\\canary"', YAML],
  ['protobuf that is none', Buffer.from('k8s\0canary'), PROTOBUF],
  ['a number as text', secret({ stringData: { a: 48_151_623 } }), JSON_TYPE],
  ['a number as bytes', secret({ data: { a: 48_151_623 } }), JSON_TYPE],
  ['a number in YAML', `apiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {a: 48151623}`, YAML],
  ['no base64', secret({ data: { a: 'canary!' } }), JSON_TYPE],
  ['a text for all', secret({ stringData: 'canary', data: 'canary' }), JSON_TYPE],
  ['a list for all', secret({ stringData: ['canary'] }), JSON_TYPE],
  ['an object as value', secret({ stringData: { a: { b: 'canary' } } }), JSON_TYPE],
  ['a text for a flag', secret({ immutable: 'canary' }), JSON_TYPE],
  ['an object as type', secret({ type: { a: 'canary' } }), JSON_TYPE],
  ['a field that there is not', secret({ values: { a: 'canary' } }), JSON_TYPE],
  [
    'a field twice',
    '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"db"},"stringData":{"a":"canary","a":"canary"}}',
    JSON_TYPE,
  ],
  [
    'a file of docker that is none',
    secret({ type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{"canary' } }),
    JSON_TYPE,
  ],
  ['too much', secret({ stringData: { a: 'canary'.repeat(200_000) } }), JSON_TYPE],
  ['more than is read', secret({ stringData: { a: 'canary'.repeat(600_000) } }), JSON_TYPE],
  ['a key that is none', secret({ stringData: { 'a b': 'canary' } }), JSON_TYPE],
  [
    'a time that is none',
    secret({ stringData: { a: 'canary' } }, { name: 'db', creationTimestamp: 'canary' }),
    JSON_TYPE,
  ],
  ['another kind', JSON.stringify({ apiVersion: 'canary', kind: 'canary', metadata: { name: 'db' } }), JSON_TYPE],
  [
    'a label that is none',
    secret({ stringData: { a: 'canary' } }, { name: 'db', labels: { a: 'canary canary' } }),
    JSON_TYPE,
  ],
  [
    'an owner that is none',
    secret(
      {},
      {
        name: 'db',
        ownerReferences: [{ apiVersion: 'canary/canary/canary', kind: '', name: 'canary', uid: 'canary' }],
      },
    ),
    JSON_TYPE,
  ],
];

describe.each(['', '?fieldValidation=Strict', '?fieldValidation=Warn', '?dryRun=All'])('POST%s', (query) => {
  test.each(NEW)('%s', async (_, body, type) => {
    const world = await aWorld({ embedded: true });
    const answer = await world.app.request(`http://127.0.0.1${SECRETS}${query}`, {
      method: 'POST',
      headers: { host: '127.0.0.1', 'content-type': type },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    const text = answer.ok ? '' : await answer.text();
    expect(answer.status).toBeGreaterThanOrEqual(200);
    expectNoCanary(text, [...answer.headers], world.warnings);
  });
});

const PATCHES: readonly (readonly [what: string, body: string, type: string])[] = [
  ['that is no JSON', '{"data":{"a":canary', MERGE],
  ['with no base64', '{"data":{"a":"canary!"}}', MERGE],
  ['with a number', '{"stringData":{"a":48151623}}', MERGE],
  ['with a number', '{"stringData":{"a":48151623}}', STRATEGIC],
  ['with a text for all', '{"data":"canary"}', STRATEGIC],
  ['with directives that are none', '{"data":{"$patch":"canary"}}', STRATEGIC],
  [
    'with an order that is none',
    '{"metadata":{"$setElementOrder/finalizers":["canary"],"finalizers":["a"]}}',
    STRATEGIC,
  ],
  ['with an operation that is none', '[{"op":"canary","path":"/data/a"}]', 'application/json-patch+json'],
  [
    'with a value that is not there',
    '[{"op":"test","path":"/data/a","value":"canary"}]',
    'application/json-patch+json',
  ],
  [
    'with a value at the wrong place',
    '[{"op":"add","path":"/immutable","value":"canary"}]',
    'application/json-patch+json',
  ],
  ['that applies a number', secret({ stringData: { a: 48_151_623 } }), APPLY],
  ['that applies no map', secret({ data: 'canary' }), APPLY],
  ['that applies no YAML', 'stringData:\n  a: "canary', APPLY],
  ['that applies another kind', JSON.stringify({ apiVersion: 'v1', kind: 'canary', metadata: { name: 'db' } }), APPLY],
];

test.each(PATCHES)('a patch %s: %s', async (_, body, type) => {
  const world = await aWorld();
  const made = await world.app.request(SECRETS, {
    method: 'POST',
    headers: { 'content-type': JSON_TYPE },
    body: secret({ stringData: { a: 'canary', b: '48151623' } }),
  });
  expect(made.status).toBe(201);
  const answer = await world.app.request(`${SECRETS}/db?fieldManager=me`, {
    method: 'PATCH',
    headers: { 'content-type': type },
    body,
  });
  expect(answer.ok).toBe(false);
  const text = await answer.text();
  // The kind that a configuration says is part of its address.
  expectNoCanary(text, [...answer.headers], world.warnings);
});

describe('what cannot be opened', () => {
  const worldWith = async (sealer: ReturnType<typeof createSealer>) => {
    const world = await aWorld({}, { ports: { sealer } });
    const body = secret({ stringData: { a: 'canary' } });
    const made = await world.app.request(SECRETS, { method: 'POST', headers: { 'content-type': JSON_TYPE }, body });
    return { world, made };
  };

  test('is an error that names it, and its key', async () => {
    const { key, put } = aKey();
    const once = createSealer(key);
    // A new process: it asks for its key again.
    let sealer = once;
    const { world } = await worldWith({
      seal: async (plain, of) => sealer.seal(plain, of),
      open: async (sealed, of) => sealer.open(sealed, of),
    });
    put(base64('x'.repeat(32)));
    sealer = createSealer(key);
    for (const path of [`${SECRETS}/db`, SECRETS, '/api/v1/secrets']) {
      const answer = await world.app.request(path);
      const text = await answer.text();
      expect([answer.status, JSON.parse(text)]).toMatchObject([
        500,
        {
          reason: 'StorageReadError',
          message: expect.stringMatching(
            /row Secret default\/db of the table cannot be decoded \(it was sealed with the key [0-9a-f]{8}, and file secrets\.key holds the key [0-9a-f]{8}\)/,
          ) as string,
        },
      ]);
      expectNoCanary(text, [...answer.headers], world.warnings);
    }
  });

  test('can be deleted without its key', async () => {
    const { key, put } = aKey();
    let sealer = createSealer(key);
    const { world } = await worldWith({
      seal: async (plain, of) => sealer.seal(plain, of),
      open: async (sealed, of) => sealer.open(sealed, of),
    });
    put(null);
    sealer = createSealer(key);
    const status = async (method: string) => (await world.app.request(`${SECRETS}/db`, { method })).status;
    expect([await status('GET'), await status('DELETE'), await status('GET')]).toEqual([500, 200, 404]);
  });

  test('nothing is stored with what is no key, and the answer says so', async () => {
    const { key } = aKey('canary');
    const { world, made } = await worldWith(createSealer(key));
    const text = await made.text();
    expect([made.status, JSON.parse(text)]).toMatchObject([
      503,
      { reason: 'ServiceUnavailable', message: expect.stringContaining('file secrets.key holds no key') as string },
    ]);
    expectNoCanary(text, [...made.headers], world.warnings);
  });
});

function expectNoCanary(...told: readonly unknown[]): void {
  const text = JSON.stringify(told);
  for (const canary of CANARIES) expect(text).not.toContain(canary);
}
