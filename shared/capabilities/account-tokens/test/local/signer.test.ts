import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aTemporaryFolder } from '../../../../../test/support/a-temporary-folder.ts';
import { claimsOf } from '../../domain/token-claims.ts';
import { openSigner } from '../../local/signer.ts';

const CLAIMS = claimsOf(
  { namespace: 'team', account: { name: 'a', uid: 'u' }, pod: null, audiences: [], lifeSec: 600 },
  1_700_000_000,
  'id',
);

test('a data folder knows its tokens, also after a restart, and no others', async () => {
  const [folder, other] = [aTemporaryFolder('muster-account-tokens-'), aTemporaryFolder('muster-account-tokens-')];
  const token = await openSigner(folder).sign(CLAIMS);
  expect(await openSigner(folder).read(token)).toEqual(CLAIMS);
  expect(await openSigner(other).read(token)).toBeNull();
  expect(statSync(join(folder, 'account-tokens.key')).mode & 0o777).toBe(0o600);
});

test('a token that was changed, or is none, says nothing', async () => {
  const signer = openSigner(aTemporaryFolder('muster-account-tokens-'));
  const [head = '', body = '', sign = ''] = (await signer.sign(CLAIMS)).split('.');
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const other = encoded({ ...CLAIMS, sub: 'system:serviceaccount:team:root' });
  for (const token of [
    `${head}.${other}.${sign}`,
    `${encoded({ alg: 'none' })}.${body}.`,
    `${head}.${body}.`,
    `${head}.${body}`,
    'a',
    '',
    '..',
  ])
    expect(await signer.read(token)).toBeNull();
});

test('requests at the same time make one key', async () => {
  const signer = openSigner(aTemporaryFolder('muster-account-tokens-'));
  const tokens = await Promise.all([1, 2, 3].map(async () => signer.sign(CLAIMS)));
  for (const token of tokens) expect(await signer.read(token)).toEqual(CLAIMS);
});

test('a token of elsewhere makes no key', async () => {
  const [folder, other] = [aTemporaryFolder('muster-account-tokens-'), aTemporaryFolder('muster-account-tokens-')];
  expect(await openSigner(folder).read(await openSigner(other).sign(CLAIMS))).toBeNull();
  expect(existsSync(join(folder, 'account-tokens.key'))).toBe(false);
});

test('a key that others can read is not used', async () => {
  const folder = aTemporaryFolder('muster-account-tokens-');
  await openSigner(folder).sign(CLAIMS);
  chmodSync(join(folder, 'account-tokens.key'), 0o644);
  const fault = 'others can read it';
  await expect(openSigner(folder).sign(CLAIMS)).rejects.toThrow(fault);
  await expect(openSigner(folder).read('a.b.c')).rejects.toThrow(fault);
});
