import { expect, test } from 'vitest';
import { isMounted, podTokens, renewalSec } from '../../domain/pod-tokens.ts';

test('a Pod has the tokens that its projected volumes name', () => {
  const volumes = [
    { name: 'plain', emptyDir: {} },
    {
      name: 'mixed',
      projected: {
        sources: [
          { serviceAccountToken: { path: 'a', audience: 'vault', expirationSeconds: 600 } },
          { configMap: { name: 'c' } },
          { serviceAccountToken: { path: 'b', expirationSeconds: 3600 } },
        ],
      },
    },
  ];
  expect(podTokens({ volumes })).toEqual([
    { volume: 'mixed', path: 'a', audiences: ['vault'], lifeSec: 600 },
    { volume: 'mixed', path: 'b', audiences: [], lifeSec: 3600 },
  ]);
  expect(podTokens({})).toEqual([]);
});

test.each([
  [undefined, null, true],
  [undefined, false, false],
  [undefined, true, true],
  [false, true, false],
  [true, false, true],
])('of a Pod that says %s, and an account that says %s: %s', (ofPod, ofAccount, expected) => {
  expect(isMounted(ofPod === undefined ? {} : { automountServiceAccountToken: ofPod }, ofAccount)).toBe(expected);
});

test('a token is renewed when a fifth of its life is left, and each day', () => {
  expect([600, 3600, 10 * 86_400].map(renewalSec)).toEqual([480, 2880, 86_400]);
});
