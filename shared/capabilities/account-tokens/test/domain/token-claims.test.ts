import { describe, expect, test } from 'vitest';
import { ISSUER, claimsOf, isHeld, userOf } from '../../domain/token-claims.ts';
import { readClaims } from '../../schema/read-claims.ts';

const NOW = 1_700_000_000;
const account = { name: 'builder', uid: 'a-1' };
const wanted = { namespace: 'team', account, pod: null, audiences: [], lifeSec: 600 };
const claims = claimsOf(wanted, NOW, 'id');

describe('a token of a ServiceAccount', () => {
  test('says who its bearer is, and is for this API unless somebody else is named', () => {
    expect(claims).toMatchObject({ sub: 'system:serviceaccount:team:builder', aud: [ISSUER], exp: NOW + 600 });
    expect(userOf(claims)).toEqual({
      username: 'system:serviceaccount:team:builder',
      uid: 'a-1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:team', 'system:authenticated'],
    });
  });

  test('names the Pod that it is bound to', () => {
    const pod = { name: 'p', uid: 'p-1' };
    expect(claimsOf({ ...wanted, pod }, NOW, 'id')['kubernetes.io'].pod).toEqual(pod);
    expect(claims['kubernetes.io']).not.toHaveProperty('pod');
  });

  test.each([
    ['from when it is made', claims, NOW, true],
    ['not before', claims, NOW - 1, false],
    ['until it expires', claims, NOW + 599, true],
    ['not from then on', claims, NOW + 600, false],
    ['not for others', claimsOf({ ...wanted, audiences: ['vault'] }, NOW, 'id'), NOW, false],
    ['for this API beside others', claimsOf({ ...wanted, audiences: ['vault', ISSUER] }, NOW, 'id'), NOW, true],
    ['not of another issuer', { ...claims, iss: 'https://example.org' }, NOW, false],
    ['not without an account', { ...claims, 'kubernetes.io': { namespace: 'team' } }, NOW, false],
    ['not without an end', { ...claims, exp: undefined }, NOW, false],
  ])('holds %s', (_when, payload, at, holds) => {
    const read = readClaims(payload);
    expect(read !== null && isHeld(read, at)).toBe(holds);
  });
});
