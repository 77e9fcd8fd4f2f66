import { X509Certificate, createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { certify, makeAuthority } from '../../local/authority.ts';

const NOW_MS = Date.UTC(2026, 10, 28);
const YEARS_9_MS = 9 * 365 * 86_400_000;

test('an authority vouches for an address, with keys of their own', async () => {
  const authority = await makeAuthority(NOW_MS);
  const server = await certify(authority, '10.201.0.1', NOW_MS);
  const [ca, cert] = [new X509Certificate(authority.certificate), new X509Certificate(server.certificate)];
  expect([ca.ca, cert.ca]).toEqual([true, false]);
  expect(cert.checkIssued(ca) && cert.verify(ca.publicKey)).toBe(true);
  expect([cert.checkIP('10.201.0.1'), cert.checkIP('10.201.0.2')]).toEqual(['10.201.0.1', undefined]);
  expect(cert.checkPrivateKey(createPrivateKey(server.key))).toBe(true);
  expect(cert.checkPrivateKey(createPrivateKey(authority.key))).toBe(false);
  expect(Date.parse(cert.validFrom)).toBeLessThan(NOW_MS);
  expect(Date.parse(cert.validTo)).toBeGreaterThan(NOW_MS + YEARS_9_MS);
});

test('another authority vouches for nothing of the first', async () => {
  const [one, other] = [await makeAuthority(NOW_MS), await makeAuthority(NOW_MS)];
  const server = await certify(one, '10.201.0.1', NOW_MS);
  expect(new X509Certificate(server.certificate).verify(new X509Certificate(other.certificate).publicKey)).toBe(false);
});
