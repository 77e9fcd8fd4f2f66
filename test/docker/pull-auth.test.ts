import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pullAuth } from '../../local/docker/pull-auth.ts';
import { memorySecretCopies } from '../../local/ecs/secret-copies.ts';
import { pullCopyName, pullVersion, secretName } from '../../shared/names/secrets.ts';

const COPY = { namespace: 'default', name: 'regcred', version: 'v-1', registry: 'abc' };
const LOGIN = { username: 'kim', password: 'hunter2' };

function stores() {
  const dir = mkdtempSync(join(tmpdir(), 'muster-pull-'));
  const copies = memorySecretCopies();
  copies.put(COPY, pullVersion(COPY), new Map(Object.entries(LOGIN)));
  const folder = join(dir, 'secrets/default/by-hand');
  mkdirSync(folder, { recursive: true });
  for (const [key, value] of Object.entries(LOGIN)) writeFileSync(join(folder, key), `${value}\n`);
  return { dir, copies };
}

const authFor = (credentialsParameter?: string) =>
  pullAuth(
    {
      name: 'main',
      image: 'i',
      ...(credentialsParameter === undefined ? {} : { repositoryCredentials: { credentialsParameter } }),
    },
    stores(),
  );

test.each([
  ['a copy of a Secret', pullCopyName(COPY)],
  ['what was made by hand', secretName('default', 'by-hand')],
])('an image is pulled with %s', (_, name) => {
  expect(authFor(name)).toEqual({ kind: 'found', auth: { ...LOGIN, serveraddress: '' } });
});

test('most images need none', () => {
  expect(authFor()).toEqual({ kind: 'found', auth: null });
});

test.each([
  ['another registry', pullCopyName({ ...COPY, registry: 'abd' }), 'the copy muster/default/regcred/v-1/abd/pull'],
  ['another version', pullCopyName({ ...COPY, version: 'v-2' }), 'the copy muster/default/regcred/v-2/abc/pull'],
  ['no Secret', secretName('default', 'nope'), 'there is no Secret default/nope, and '],
  ['a name of somebody else', 'other', 'other/username'],
])('what is not there is named: %s', (_, name, place) => {
  const found = authFor(name);
  expect(found.kind).toBe('missing');
  expect(found).toMatchObject({ reason: expect.stringContaining(place) as string });
});
