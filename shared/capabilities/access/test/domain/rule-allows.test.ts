import { describe, expect, test } from 'vitest';
import type { Attributes } from '../../../../domain/callers/attributes.ts';
import { authorize } from '../../domain/authorize.ts';
import type { PolicyRule } from '../../domain/policy.ts';
import { ruleAllows } from '../../domain/rule-allows.ts';
import { aBinding, aPolicy, aRole, aUser, onPath, toDo } from './a-policy.ts';

/** `verb group resource[/subresource]`, or `verb /path`. */
const asked = (text: string): Attributes => {
  const [verb = '', group = '', what = ''] = text.split(' ');
  if (group.startsWith('/')) return onPath(verb, group);
  const [resource = '', subresource = ''] = what.split('/');
  return toDo(verb, { group, resource, subresource });
};

const resources = (verbs: string, apiGroups: string, of: string): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: apiGroups.split(','),
  resources: of.split(','),
});
const urls = (verbs: string, of: string): PolicyRule => ({ verbs: verbs.split(','), nonResourceURLs: of.split(',') });

describe('a rule allows', () => {
  test.each<[string, PolicyRule, readonly string[], readonly string[]]>([
    [
      'every verb by a star',
      resources('*', 'g1', 'r1'),
      ['v1 g1 r1', 'v2 g1 r1'],
      ['v1 g2 r1', 'v1 g1 r2', 'v2 g2 r1', 'v2 g2 r2'],
    ],
    [
      'every group by a star',
      resources('v1', '*', 'r1'),
      ['v1 g1 r1', 'v1 g2 r1'],
      ['v1 g1 r2', 'v1 g2 r2', 'v2 g1 r1', 'v2 g2 r1'],
    ],
    [
      'every resource by a star',
      resources('v1', 'g1', '*'),
      ['v1 g1 r1', 'v1 g1 r2', 'v1 g1 r1/status'],
      ['v1 g2 r1', 'v2 g1 r1', 'v2 g2 r2'],
    ],
    [
      'each of several with each',
      resources('v1,v2', 'g1,g2', 'r1,r2'),
      ['v1 g1 r1', 'v1 g2 r1', 'v1 g1 r2', 'v1 g2 r2', 'v2 g1 r1', 'v2 g2 r1', 'v2 g1 r2', 'v2 g2 r2'],
      ['v3 g1 r1', 'v1 g3 r1', 'v1 g1 r3'],
    ],
    [
      'a subresource, and not the resource',
      resources('*', '*', 'r1/s1'),
      ['v1 g1 r1/s1', 'v2 g1 r1/s1'],
      ['v1 g2 r1/s2', 'v1 g1 r2/s1', 'v1 g2 r2/s1', 'v1 g1 r1'],
    ],
    ['a resource, and not its subresources', resources('*', '*', 'pods'), ['get g pods'], ['get g pods/status']],
    [
      'the same subresource of every resource',
      resources('get', '*', '*/status'),
      ['get g r1/status', 'get g r2/status'],
      ['get g r1', 'get g r1/log'],
    ],
    [
      'every path by a star',
      urls('v1', '*'),
      ['v1 /foo', 'v1 /foo/bar', 'v1 /foo/bar/one'],
      ['v2 /foo', 'v2 /foo/bar', 'v1 g1 r1'],
    ],
    [
      'what lies below a path',
      urls('v1', '/foo/*'),
      ['v1 /foo/bar', 'v1 /foo/baz', 'v1 /foo/bar/one'],
      ['v1 /foo', 'v1 /notfoo', 'v1 /notfoo/bar'],
    ],
    [
      'exactly these paths',
      urls('*', '/foo,/foo/bar/one'),
      ['v1 /foo', 'v2 /foo', 'v1 /foo/bar/one', 'v2 /foo/bar/one'],
      ['v1 /foo/bar', 'v1 /foo/baz', 'v2 /foo/baz/one'],
    ],
    ['no path by resources', resources('*', '*', '*'), ['v1 g r'], ['get /api']],
    ['no verb in another case', resources('get', '', 'pods'), ['get  pods'], ['GET  pods']],
  ])('%s', (_, rule, allowed, refused) => {
    expect(allowed.filter((text) => !ruleAllows(rule, asked(text)))).toEqual([]);
    expect(refused.filter((text) => ruleAllows(rule, asked(text)))).toEqual([]);
  });

  test('named objects only, and no collection', () => {
    const rule = { ...resources('get,delete,deletecollection', 'batch', 'jobs'), resourceNames: ['a', 'b'] };
    const job = (name: string, verb = 'get') => toDo(verb, { group: 'batch', resource: 'jobs', name });
    expect([job('a'), job('b'), job('c'), job('', 'deletecollection')].map((each) => ruleAllows(rule, each))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

/** Users as `name groups verb resource namespace`, as upstream's tables have them. */
describe('a user may', () => {
  const inNamespace = (verb: string, what: string, namespace: string) => {
    const [resource = '', subresource = ''] = what.split('/');
    return toDo(verb, { resource, subresource, namespace });
  };

  test('what a ClusterRole allows, in the namespace of the RoleBinding only', () => {
    const policy = aPolicy(
      [aRole('', 'admin', [{ ...resources('*', '*', '*'), nonResourceURLs: ['*'] }])],
      [aBinding('ns1', 'ClusterRole/admin', 'User:admin', 'Group:admins')],
    );
    const may = (name: string, groups: readonly string[], wanted: Attributes) =>
      authorize(aUser(name, ...groups), wanted, policy).allowed;
    expect(may('admin', [], inNamespace('get', 'Pods', 'ns1'))).toBe(true);
    expect(may('admin', ['group1'], inNamespace('watch', 'Foobar', 'ns1'))).toBe(true);
    expect(may('joe', ['admins'], inNamespace('watch', 'Foobar', 'ns1'))).toBe(true);
    expect(may('joe', ['group1', 'admins'], inNamespace('watch', 'Foobar', 'ns1'))).toBe(true);
    expect(may('joe', ['group1'], inNamespace('watch', 'Foobar', 'ns1'))).toBe(false);
    for (const namespace of ['ns2', ''])
      for (const groups of [[], ['admins']])
        expect(may('admin', groups, inNamespace('get', 'Pods', namespace))).toBe(false);
    // A RoleBinding allows no paths, whatever its role says.
    expect(may('admin', [], onPath('get', '/apis'))).toBe(false);
  });

  test('what its ClusterRoles allow on paths', () => {
    const policy = aPolicy(
      [
        aRole('', 'getter', [urls('get', '/apis')]),
        aRole('', 'all', [urls('*', '/apis')]),
        aRole('', 'prefix', [urls('get', '/apis/*')]),
      ],
      [
        aBinding('', 'ClusterRole/getter', 'User:foo', 'Group:bar'),
        aBinding('', 'ClusterRole/all', 'User:admin', 'Group:admin'),
        aBinding('', 'ClusterRole/prefix', 'User:prefixed', 'Group:prefixed'),
      ],
    );
    const may = (name: string, wanted: Attributes) => [
      authorize(aUser(name), wanted, policy).allowed,
      authorize(aUser('', name), wanted, policy).allowed,
    ];
    expect(authorize(aUser('foo'), onPath('get', '/apis'), policy).allowed).toBe(true);
    expect(authorize(aUser('', 'bar'), onPath('get', '/apis'), policy).allowed).toBe(true);
    expect(authorize(aUser('foo'), onPath('watch', '/apis'), policy).allowed).toBe(false);
    expect(authorize(aUser('', 'bar'), onPath('watch', '/apis'), policy).allowed).toBe(false);
    expect(may('admin', onPath('get', '/apis'))).toEqual([true, true]);
    expect(may('admin', onPath('watch', '/apis'))).toEqual([true, true]);
    expect(may('admin', onPath('get', '/api/v1'))).toEqual([false, false]);
    expect(may('prefixed', onPath('get', '/apis/v1'))).toEqual([true, true]);
    expect(may('prefixed', onPath('get', '/apis/v1/foobar'))).toEqual([true, true]);
    expect(may('prefixed', onPath('get', '/api/v1'))).toEqual([false, false]);
  });

  test('everything as a member of system:masters, with no role at all', () => {
    const nothing = aPolicy([], []);
    expect(authorize(aUser('root', 'system:masters'), onPath('delete', '/x'), nothing).allowed).toBe(true);
    expect(authorize(aUser('root', 'system:authenticated'), onPath('get', '/x'), nothing)).toEqual({
      allowed: false,
      reason: '',
    });
  });

  test('and the reason names the binding, the role and the subject', () => {
    const rules = [resources('get', '', 'pods')];
    const policy = aPolicy(
      [aRole('team', 'reads', rules), aRole('', 'reads-all', rules)],
      [
        { ...aBinding('team', 'Role/reads', 'User:ann', 'ServiceAccount:bot'), name: 'readers' },
        { ...aBinding('', 'ClusterRole/reads-all', 'Group:ops'), name: 'all' },
      ],
    );
    const reasonFor = (user: ReturnType<typeof aUser>) =>
      authorize(user, inNamespace('get', 'pods', 'team'), policy).reason;
    expect(reasonFor(aUser('ann'))).toBe('RBAC: allowed by RoleBinding "readers/team" of Role "reads" to User "ann"');
    expect(reasonFor(aUser('system:serviceaccount:team:bot'))).toBe(
      'RBAC: allowed by RoleBinding "readers/team" of Role "reads" to ServiceAccount "bot/team"',
    );
    expect(reasonFor(aUser('bob', 'ops'))).toBe(
      'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reads-all" to Group "ops"',
    );
  });

  test('and roles that nobody has made are named where nothing else allows it', () => {
    const one = aPolicy([], [aBinding('team', 'Role/gone', 'User:ann')]);
    const wanted = inNamespace('get', 'pods', 'team');
    expect(authorize(aUser('ann'), wanted, one)).toEqual({
      allowed: false,
      reason: 'RBAC: role.rbac.authorization.k8s.io "gone" not found',
    });
    const two = aPolicy([], [aBinding('', 'ClusterRole/lost', 'User:ann'), aBinding('team', 'Role/gone', 'User:ann')]);
    expect(authorize(aUser('ann'), wanted, two).reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "lost" not found, role.rbac.authorization.k8s.io "gone" not found]',
    );
  });
});
