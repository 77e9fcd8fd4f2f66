import { expect, test } from 'vitest';
import { readTokenRequest, tokenRequestErrors } from '../../schema/token-request.ts';

const faultsOf = (spec: object) => {
  const read = readTokenRequest({ spec }, 'Strict');
  if (read.kind === 'undecodable') throw new Error(read.message);
  return tokenRequestErrors(read.object).map(({ path }) => path);
};
const boundTo = (apiVersion: string, kind: string) => ({ boundObjectRef: { apiVersion, kind, name: 'a' } });

test.each([
  [{}, []],
  [{ expirationSeconds: 600, audiences: ['a', 'b'] }, []],
  [boundTo('v1', 'Pod'), []],
  [{ expirationSeconds: 599 }, ['spec.expirationSeconds']],
  [{ expirationSeconds: 2 ** 32 + 1 }, ['spec.expirationSeconds']],
  [boundTo('v1', 'Secret'), ['spec.boundObjectRef']],
  [boundTo('batch/v1', 'Pod'), ['spec.boundObjectRef']],
  [{ audiences: Array.from({ length: 21 }, () => 'a') }, ['spec.audiences']],
  [{ audiences: ['a', '', 'b'.repeat(1_001)] }, ['spec.audiences[1]', 'spec.audiences[2]']],
])('a request for a token: %j', (spec, fields) => {
  expect(faultsOf(spec)).toEqual(fields);
});
