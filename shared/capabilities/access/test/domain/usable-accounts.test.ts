import { areAmong, useOf } from '../../../../domain/callers/accounts.ts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { authorize } from '../../domain/authorize.ts';
import type { PolicyRule } from '../../domain/policy.ts';
import { usableAccounts } from '../../domain/usable-accounts.ts';
import { aBinding, aPolicy, aRole, aUser } from './a-policy.ts';

const NAMES = ['a', 'b', 'c'];
const anyRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: fc.subarray(['use', 'get', '*']),
  apiGroups: fc.subarray(['', 'batch', '*']),
  resources: fc.subarray(['serviceaccounts', 'serviceaccounts/token', 'jobs', '*']),
  resourceNames: fc.subarray([...NAMES, '']),
});
const policyWith = (rules: readonly PolicyRule[]) =>
  aPolicy(
    rules.map((rule, i) => aRole(['', 'here', 'there'][i % 3] ?? '', `r${i}`, [rule])),
    rules.map((_, i) =>
      aBinding(['', 'here', 'there'][i % 3] ?? '', `${i % 3 === 0 ? 'ClusterRole' : 'Role'}/r${i}`, 'User:ann'),
    ),
  );

test('they are those that the roles let a user use, one by one', () => {
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 6 }), (rules) => {
      const policy = policyWith(rules);
      const ann = aUser('ann');
      const usable = usableAccounts(ann, 'here', policy);
      for (const name of [...NAMES, 'z'])
        expect(usable === 'all' || usable.includes(name)).toBe(authorize(ann, useOf('here', name), policy).allowed);
      expect(usableAccounts(aUser('bob'), 'here', policy)).toEqual([]);
    }),
  );
  expect(usableAccounts(aUser('kim', 'system:masters'), 'here', policyWith([]))).toBe('all');
});

test('no more than a hundred names are kept', () => {
  const resourceNames = Array.from({ length: 300 }, (_, i) => `account-${String(i).padStart(3, '0')}`);
  const rule = { verbs: ['use'], apiGroups: [''], resources: ['serviceaccounts'], resourceNames };
  expect(usableAccounts(aUser('ann'), 'here', policyWith([rule]))).toEqual(resourceNames.slice(0, 100));
});

test('all are among all only', () => {
  expect([areAmong('all', 'all'), areAmong(['a'], 'all'), areAmong([], []), areAmong(['a'], ['a', 'b'])]).toEqual(
    Array.from({ length: 4 }, () => true),
  );
  expect([areAmong('all', ['a']), areAmong(['a', 'b'], ['a'])]).toEqual([false, false]);
});
