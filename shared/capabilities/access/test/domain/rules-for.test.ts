import type { User } from '../../../../domain/callers/user.ts';
import { describe, expect, test } from 'vitest';
import type { PolicyRule } from '../../domain/policy.ts';
import { rulesFor } from '../../domain/rules-for.ts';
import { aBinding, aPolicy, aRole, aUser } from './a-policy.ts';

const READ_PODS: PolicyRule = { verbs: ['GET', 'WATCH'], apiGroups: ['v1'], resources: ['pods'] };
const READ_SERVICES: PolicyRule = { verbs: ['GET', 'WATCH'], apiGroups: ['v1'], resources: ['services'] };
const ADMIN: PolicyRule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

const POLICY = aPolicy(
  [
    aRole('namespace1', 'readthings', [READ_PODS, READ_SERVICES]),
    aRole('', 'cluster-admin', [ADMIN]),
    aRole('', 'write-nodes', [{ verbs: ['PUT'], apiGroups: ['v1'], resources: ['nodes'] }]),
  ],
  [
    aBinding('namespace1', 'Role/readthings', 'User:foobar', 'Group:group1'),
    aBinding('', 'ClusterRole/cluster-admin', 'User:admin', 'Group:admin'),
  ],
);

const rulesOf = (user: User, namespace: string) =>
  [...rulesFor(user, namespace, POLICY)].map((granted) => (granted.kind === 'rule' ? granted.rule : granted));

test.each<[string, User, string, readonly PolicyRule[]]>([
  ['those of a Role in its namespace', aUser('foobar'), 'namespace1', [READ_PODS, READ_SERVICES]],
  ['none in another', aUser('foobar'), 'namespace2', []],
  ['those of the cluster without a namespace', aUser('foobar', 'admin'), '', [ADMIN]],
  [
    'those of the cluster before those of the namespace',
    aUser('foobar', 'admin'),
    'namespace1',
    [ADMIN, READ_PODS, READ_SERVICES],
  ],
  ['none without a name', aUser(''), '', []],
])('a user has %s', (_, user, namespace, rules) => {
  expect(rulesOf(user, namespace)).toEqual(rules);
});

describe('a binding is meant for', () => {
  test.each<[string, readonly string[], User, string, boolean]>([
    ['a user of that name', ['User:foobar'], aUser('foobar'), '', true],
    ['one of several users', ['User:barfoo', 'User:foobar'], aUser('foobar'), '', true],
    ['nobody else', ['User:barfoo', 'User:foobar'], aUser('zimzam'), '', false],
    ['a member of a group', ['User:barfoo', 'Group:foobar'], aUser('zimzam', 'foobar'), '', true],
    [
      'a member of a group, in any namespace',
      ['User:barfoo', 'Group:foobar'],
      aUser('zimzam', 'foobar'),
      'namespace1',
      true,
    ],
    [
      'a service account of the namespace that is named',
      ['User:barfoo', 'Group:foobar', 'ServiceAccount:kube-system/default'],
      aUser('system:serviceaccount:kube-system:default'),
      'default',
      true,
    ],
    [
      'a service account of its own namespace',
      ['ServiceAccount:bot'],
      aUser('system:serviceaccount:team:bot'),
      'team',
      true,
    ],
    ['no service account of another', ['ServiceAccount:bot'], aUser('system:serviceaccount:other:bot'), 'team', false],
    [
      'no service account without a namespace, in the cluster',
      ['ServiceAccount:bot'],
      aUser('system:serviceaccount::bot'),
      '',
      false,
    ],
    ['not everybody by a star', ['User:*'], aUser('foobar'), 'default', false],
    [
      'everybody who is authenticated',
      ['Group:system:authenticated', 'Group:system:unauthenticated'],
      aUser('foobar', 'system:authenticated'),
      'default',
      true,
    ],
    [
      'everybody who is not',
      ['Group:system:authenticated', 'Group:system:unauthenticated'],
      aUser('system:anonymous', 'system:unauthenticated'),
      'default',
      true,
    ],
    ['no user of a group’s name', ['Group:foobar'], aUser('foobar'), '', false],
    ['no group of a user’s name', ['User:foobar'], aUser('x', 'foobar'), '', false],
  ])('%s', (_, subjects, user, namespace, isMeant) => {
    const policy = aPolicy([aRole('', 'r', [ADMIN])], [aBinding(namespace, 'ClusterRole/r', ...subjects)]);
    expect([...rulesFor(user, namespace, policy)]).toHaveLength(isMeant ? 1 : 0);
  });
});

test('a ClusterRoleBinding finds no Role, and a RoleBinding none of another namespace', () => {
  const roles = [aRole('team', 'r', [ADMIN])];
  for (const [at, asked] of [
    ['', 'team'],
    ['other', 'other'],
  ] as const)
    expect([...rulesFor(aUser('ann'), asked, aPolicy(roles, [aBinding(at, 'Role/r', 'User:ann')]))]).toEqual([
      { kind: 'missing', reason: 'role.rbac.authorization.k8s.io "r" not found' },
    ]);
});
