import type { Tag } from '@aws-sdk/client-secrets-manager';
import { expect, test } from 'vitest';
import { HAS_MODELS, modelOf } from '../../../../../test/models/service-model.ts';
import { shapeFaults } from '../../../../../test/models/shape-faults.ts';
import { type SecretsManagerCalls, createSecretsManager } from '../../adapters/aws-secrets.ts';

const named = (name: string): Error => Object.assign(new Error('hunter2 is what was sent'), { name });
const PULL = { namespace: 'team', name: 'regcred', version: 'c0ffee-7', registry: '0123456789abcdef' };
const PULL_NAME = 'muster/team/regcred/c0ffee-7/0123456789abcdef/pull';

const COPY = { namespace: 'team', name: 'db', version: 'c0ffee-7', values: new Map([['p', 'hunter2']]) };

/** Secrets Manager with these secrets, by name; each has its versions. */
function aManager(secrets: Readonly<Record<string, readonly string[]>> = {}) {
  const held = new Map(Object.entries(secrets).map(([name, versions]) => [name, new Set(versions)]));
  const asked: string[] = [];
  const values: (string | undefined)[] = [];
  const tags = new Map<string, Tag[]>();
  const calls: SecretsManagerCalls = {
    createSecret: async ({ Name = '', ClientRequestToken = '', SecretString }) => {
      values.push(SecretString);
      asked.push(`create ${Name} ${ClientRequestToken}`);
      if (held.has(Name)) throw named('ResourceExistsException');
      held.set(Name, new Set([ClientRequestToken]));
      return Promise.resolve();
    },
    putSecretValue: async ({ SecretId = '', ClientRequestToken = '' }) => {
      asked.push(`put ${SecretId} ${ClientRequestToken}`);
      const found = held.get(SecretId);
      if (found === undefined) throw named('ResourceNotFoundException');
      found.add(ClientRequestToken);
      return Promise.resolve();
    },
    deleteSecret: async ({ SecretId = '' }) => {
      if (!held.delete(SecretId)) throw named('ResourceNotFoundException');
      return Promise.resolve();
    },
    listSecrets: async () =>
      Promise.resolve({
        SecretList: [...held.keys()].map((Name) => ({ Name, Tags: tags.get(Name) ?? [] })),
        $metadata: {},
      }),
    tagResource: async ({ SecretId = '', Tags = [] }) => {
      if (!held.has(SecretId)) throw named('ResourceNotFoundException');
      tags.set(SecretId, Tags);
      return Promise.resolve();
    },
  };
  const clock = { now: 0 };
  return { copies: createSecretsManager(calls, () => clock.now), calls, held, asked, clock, values };
}

test('a version is put once for a process, into a secret that is made at need', async () => {
  const { copies, asked, held } = aManager();
  expect(await copies.put(COPY)).toEqual({ kind: 'there' });
  expect(await copies.put(COPY)).toEqual({ kind: 'there' });
  await copies.put({ ...COPY, version: 'c0ffee-8' });
  expect(asked).toEqual([
    'put muster/team/db/object c0ffee-7',
    'create muster/team/db/object c0ffee-7',
    'put muster/team/db/object c0ffee-8',
  ]);
  expect([...(held.get('muster/team/db/object') ?? [])]).toEqual(['c0ffee-7', 'c0ffee-8']);
});

test('of two that make it at once, one puts its version into what the other has made', async () => {
  const { copies, calls, held } = aManager();
  const create = calls.createSecret.bind(calls);
  calls.createSecret = async (input) => {
    held.set('muster/team/db/object', new Set(['other']));
    return create(input);
  };
  expect(await copies.put(COPY)).toEqual({ kind: 'there' });
  expect([...(held.get('muster/team/db/object') ?? [])]).toEqual(['other', 'c0ffee-7']);
});

test.each([
  ['InternalServiceError', { kind: 'later', reason: 'Secrets Manager: InternalServiceError' }],
  ['ThrottlingException', { kind: 'later', reason: 'Secrets Manager: ThrottlingException' }],
  [
    'AccessDeniedException',
    {
      kind: 'refused',
      reason: 'AccessDeniedException: Secrets Manager takes no copy of the secret "db" for tasks',
      misconfigured: true,
    },
  ],
])('a fault says its name, who has to mend it, and nothing of what was sent: %s', async (name, answer) => {
  const { copies, calls } = aManager();
  calls.putSecretValue = async () => Promise.reject(named(name));
  expect(await copies.put(COPY)).toEqual(answer);
});

test('a copy that somebody has removed is there again after a while', async () => {
  const { copies, held, clock } = aManager();
  await copies.put(COPY);
  held.clear();
  await copies.put(COPY);
  expect([...held.keys()]).toEqual([]);
  clock.now = 10 * 60_000;
  await copies.put(COPY);
  expect([...held.keys()]).toEqual(['muster/team/db/object']);
});

test('a Secret beyond the limit of Secrets Manager is refused before anything is sent', async () => {
  const { copies, asked } = aManager();
  const put = await copies.put({ ...COPY, values: new Map([['big', 'x'.repeat(65_536)]]) });
  expect(put).toMatchObject({ kind: 'refused', reason: expect.stringContaining('at most 65536') as string });
  expect(asked).toEqual([]);
});

test('only copies are listed, and one that is gone can be removed again', async () => {
  const { copies } = aManager({ 'muster/team/db/object': ['1'], 'muster/team/db/secret': ['1'], other: ['1'] });
  expect(await copies.list(null)).toEqual({ secrets: [{ namespace: 'team', name: 'db' }], pulls: [], next: null });
  await copies.remove({ namespace: 'team', name: 'db' });
  await copies.remove({ namespace: 'team', name: 'db' });
  expect((await copies.list(null)).secrets).toEqual([]);
});

test('credentials of a registry are a secret of their own, in the form of ECS, which is made once and never changed', async () => {
  const { copies, asked, values, held } = aManager();
  const login = new Map([
    ['username', 'kim'],
    ['password', 'hunter2'],
  ]);
  expect(await copies.put({ ...PULL, values: login })).toEqual({ kind: 'there' });
  expect(await copies.put({ ...PULL, values: login })).toEqual({ kind: 'there' });
  await copies.put({ ...PULL, registry: 'fedcba9876543210', values: login });
  expect(asked).toEqual([
    `create ${PULL_NAME} c0ffee-7`,
    'create muster/team/regcred/c0ffee-7/fedcba9876543210/pull c0ffee-7',
  ]);
  expect(values[0]).toBe('{"username":"kim","password":"hunter2"}');
  // Another process finds it, and does nothing.
  const other = aManager({ [PULL_NAME]: ['c0ffee-7'] });
  expect(await other.copies.put({ ...PULL, values: login })).toEqual({ kind: 'there' });
  expect([other.asked, [...held.values()].map(({ size }) => size)]).toEqual([[`create ${PULL_NAME} c0ffee-7`], [1, 1]]);
});

test('credentials of a registry are listed with the moment since when nothing new names them', async () => {
  const { copies } = aManager({ [PULL_NAME]: ['c0ffee-7'], 'muster/team/regcred/object': ['c0ffee-7'] });
  expect((await copies.list(null)).pulls).toEqual([{ ...PULL, retiredAtMs: null }]);
  await copies.retirePull(PULL, 1_700_000_000_000);
  expect((await copies.list(null)).pulls).toEqual([{ ...PULL, retiredAtMs: 1_700_000_000_000 }]);
  await copies.removePull(PULL);
  await copies.removePull(PULL);
  await copies.retirePull(PULL, 1);
  expect(await copies.list(null)).toEqual({ secrets: [{ namespace: 'team', name: 'regcred' }], pulls: [], next: null });
});

test.skipIf(!HAS_MODELS)('each request is valid by the model of Secrets Manager', async () => {
  const { calls } = aManager();
  const sent: (readonly [shape: string, input: unknown])[] = [];
  const noted = <I, O>(shape: string, call: (input: I) => Promise<O>): ((input: I) => Promise<O>) => {
    return async (input: I): Promise<O> => {
      sent.push([shape, input]);
      return call(input);
    };
  };
  const copies = createSecretsManager(
    {
      createSecret: noted('CreateSecretRequest', async (input) => calls.createSecret(input)),
      putSecretValue: noted('PutSecretValueRequest', async (input) => calls.putSecretValue(input)),
      deleteSecret: noted('DeleteSecretRequest', async (input) => calls.deleteSecret(input)),
      listSecrets: noted('ListSecretsRequest', async (input) => calls.listSecrets(input)),
      tagResource: noted('TagResourceRequest', async (input) => calls.tagResource(input)),
    },
    () => 0,
  );
  await copies.put({ ...COPY, version: '0b0b0b0b-0000-4000-8000-000000000000-17' });
  await copies.list(null);
  await copies.remove(COPY);
  const pull = { ...PULL, version: '0b0b0b0b-0000-4000-8000-000000000000-17' };
  await copies.put({ ...pull, values: new Map() });
  await copies.retirePull(pull, 1);
  await copies.removePull(pull);
  expect(sent.map(([shape]) => shape)).toEqual([
    'PutSecretValueRequest',
    'CreateSecretRequest',
    'ListSecretsRequest',
    'DeleteSecretRequest',
    'CreateSecretRequest',
    'TagResourceRequest',
    'DeleteSecretRequest',
  ]);
  for (const [shape, input] of sent) expect(shapeFaults(modelOf('secretsmanager'), shape, input)).toEqual([]);
});
