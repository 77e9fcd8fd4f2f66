import type { User } from '../../../../domain/callers/user.ts';
import { describe, expect, test } from 'vitest';
import { bindingEscalation, roleEscalation } from '../../domain/escalation.ts';
import type { PolicyRule } from '../../domain/policy.ts';
import { aBinding, aPolicy, aRole, aUser } from './a-policy.ts';

const READS_JOBS: PolicyRule = { verbs: ['get', 'list'], apiGroups: ['batch'], resources: ['jobs'] };
const GROUP = 'rbac.authorization.k8s.io';
const on = (verb: string, resource: string, ...names: readonly string[]): PolicyRule => ({
  verbs: [verb],
  apiGroups: [GROUP],
  resources: [resource],
  ...(names.length === 0 ? {} : { resourceNames: names }),
});

const POLICY = aPolicy(
  [
    aRole('', 'reads-jobs', [READS_JOBS]),
    aRole('team', 'reads-jobs', [READS_JOBS]),
    aRole('', 'escalates', [on('escalate', 'roles'), on('escalate', 'clusterroles', 'one')]),
    aRole('', 'binds', [on('bind', 'clusterroles', 'reads-jobs', 'lost'), on('bind', 'roles')]),
    aRole('', 'all', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]),
  ],
  [
    aBinding('team', 'Role/reads-jobs', 'User:reader'),
    aBinding('', 'ClusterRole/escalates', 'User:escalator'),
    aBinding('team', 'ClusterRole/binds', 'User:binder'),
    aBinding('', 'ClusterRole/all', 'User:admin'),
    aBinding('', 'ClusterRole/gone', 'User:unlucky'),
  ],
);

const writes = (user: User, namespace: string, name: string, ...rules: readonly PolicyRule[]) =>
  roleEscalation(user, { resource: namespace === '' ? 'clusterroles' : 'roles', namespace, name, rules }, POLICY);

describe('a role is written by', () => {
  test('a user who has its rights there', () => {
    expect(writes(aUser('reader'), 'team', 'x', READS_JOBS)).toBeNull();
    expect(writes(aUser('reader'), 'team', 'x')).toBeNull();
    expect(writes(aUser('reader'), 'other', 'x', READS_JOBS)).toContain('is attempting to grant');
    expect(writes(aUser('reader'), '', 'x', READS_JOBS)).toContain('is attempting to grant');
    expect(writes(aUser('admin'), '', 'x', READS_JOBS)).toBeNull();
  });

  test('a user who may escalate it, by its name if the rule has names', () => {
    expect(writes(aUser('escalator'), 'team', '', READS_JOBS)).toBeNull();
    expect(writes(aUser('escalator'), '', 'one', READS_JOBS)).toBeNull();
    expect(writes(aUser('escalator'), '', 'two', READS_JOBS)).not.toBeNull();
    // A POST has no name in its path.
    expect(writes(aUser('escalator'), '', '', READS_JOBS)).not.toBeNull();
  });

  test('members of system:masters', () => {
    expect(writes(aUser('root', 'system:masters'), '', '', READS_JOBS)).toBeNull();
  });

  test('and nobody else: the rights that are not held are listed', () => {
    const wanted: readonly PolicyRule[] = [
      { verbs: ['get', 'delete', 'create'], apiGroups: ['batch'], resources: ['jobs', 'cronjobs'] },
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a', 'b'] },
      { verbs: ['get', 'post'], nonResourceURLs: ['/x'] },
    ];
    expect(writes(aUser('reader', 'g1', 'g2'), 'team', 'x', ...wanted)).toBe(
      [
        'user "reader" (groups=["g1" "g2"]) is attempting to grant RBAC permissions not currently held:',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}',
        '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
        '{APIGroups:["batch"], Resources:["cronjobs"], Verbs:["get" "delete" "create"]}',
        '{APIGroups:["batch"], Resources:["jobs"], Verbs:["delete" "create"]}',
        '{NonResourceURLs:["/x"], Verbs:["get"]}',
        '{NonResourceURLs:["/x"], Verbs:["post"]}',
      ].join('\n'),
    );
    expect(writes(aUser('unlucky'), '', 'x', { ...READS_JOBS, verbs: ['get'] })).toBe(
      `user "unlucky" (groups=[]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:["batch"], Resources:["jobs"], Verbs:["get"]}; resolution errors: [clusterrole.${GROUP} "gone" not found]`,
    );
  });
});

test('a refusal tells the first rights that are missing, and when they are too many to compare', () => {
  const wide = (count: number): PolicyRule => ({
    ...READS_JOBS,
    resources: Array.from({ length: count }, (_, i) => `r${i}`),
  });
  const lines = writes(aUser('reader'), 'team', 'x', wide(5_000))?.split('\n') ?? [];
  expect(lines).toHaveLength(1 + 100 + 1);
  expect(lines.at(-1)).toBe('and others: these are the first that are missing');
  expect(writes(aUser('reader'), 'team', 'x', wide(2_000_000))).toBe(
    'nobody can check whether its 4000000 rights are held: compared with the 1 rules and paths that "reader" has, they are more than 2000000 pairs; write smaller roles',
  );
});

describe('a role is bound by', () => {
  const binds = (user: User, namespace: string, role: string) =>
    bindingEscalation(user, namespace, aBinding(namespace, role).roleRef, POLICY).kind;

  test.each<[string, User, string, string, string]>([
    ['a user who has its rights there', aUser('reader'), 'team', 'Role/reads-jobs', 'none'],
    ['a user who has the rights of a ClusterRole there', aUser('reader'), 'team', 'ClusterRole/reads-jobs', 'none'],
    ['nobody who has them elsewhere', aUser('reader'), '', 'ClusterRole/reads-jobs', 'refused'],
    ['a user who may bind it, in the namespace', aUser('binder'), 'team', 'ClusterRole/reads-jobs', 'none'],
    ['a user who may bind all Roles', aUser('binder'), 'team', 'Role/reads-jobs', 'none'],
    ['nobody who may bind it elsewhere', aUser('binder'), '', 'ClusterRole/reads-jobs', 'refused'],
    ['nobody who may bind another', aUser('binder'), 'team', 'ClusterRole/all', 'refused'],
    ['a user who may bind it, even if it does not exist yet', aUser('binder'), 'team', 'ClusterRole/lost', 'none'],
    [
      'members of system:masters, even if it does not exist yet',
      aUser('x', 'system:masters'),
      '',
      'ClusterRole/lost',
      'none',
    ],
    ['nobody else, if it does not exist', aUser('reader'), 'team', 'Role/lost', 'missingRole'],
    ['a Role of another namespace is none', aUser('reader'), 'other', 'Role/reads-jobs', 'missingRole'],
  ])('%s', (_, user, namespace, role, kind) => {
    expect(binds(user, namespace, role)).toBe(kind);
  });
});
