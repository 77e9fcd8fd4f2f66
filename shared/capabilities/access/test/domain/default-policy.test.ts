import { describe, expect, test } from 'vitest';
import { isThere } from '../../../../../test/support/kinds-there.ts';
import type { Attributes } from '../../../../domain/callers/attributes.ts';
import { authorize } from '../../domain/authorize.ts';
import { notCovered } from '../../domain/covers.ts';
import { DEFAULT_BINDINGS, DEFAULT_ROLES } from '../../domain/default-policy.ts';
import { aBinding, aPolicy, aUser, onPath, toDo } from './a-policy.ts';

const POLICY = aPolicy(DEFAULT_ROLES, [
  ...DEFAULT_BINDINGS,
  ...['admin', 'edit', 'view'].map((role) => aBinding('team', `ClusterRole/${role}`, `User:${role}`)),
  aBinding('', 'ClusterRole/cluster-admin', 'User:root'),
]);

const rulesOf = (role: string) => DEFAULT_ROLES.find(({ name }) => name === role)?.rules ?? [];
const may = (role: string, wanted: Attributes) =>
  authorize(aUser(role, 'system:authenticated'), wanted, POLICY).allowed;
/** `verb resource[/sub][.group]` */
const inTeam = (text: string): Attributes => {
  const [verb = '', what = ''] = text.split(' ');
  const [path = '', ...group] = what.split('.');
  const [resource = '', subresource = ''] = path.split('/');
  return toDo(verb, { group: group.join('.'), resource, subresource, namespace: 'team', name: 'x' });
};

describe('of view, edit and admin', () => {
  test('each has what the one before has', () => {
    expect(notCovered(rulesOf('edit'), rulesOf('view'))).toEqual({ kind: 'checked', missing: [], more: false });
    expect(notCovered(rulesOf('admin'), rulesOf('edit'))).toEqual({ kind: 'checked', missing: [], more: false });
    expect(notCovered(rulesOf('cluster-admin'), rulesOf('admin'))).toEqual({
      kind: 'checked',
      missing: [],
      more: false,
    });
    expect(rulesOf('view')).not.toEqual([]);
  });

  test.each<[string, string]>(
    [
      ['get jobs.batch', 'view'],
      ['watch services', 'view'],
      ['get pods/log', 'view'],
      ['get jobs/progress.batch', 'view'],
      ['get jobs/diagnosis.batch', 'view'],
      ['get jobs/grid.batch', 'view'],
      ['list worklists.muster.run', 'view'],
      ['list serviceaccounts', 'view'],
      ['get namespaces', 'view'],
      ['create jobs.batch', 'edit'],
      ['update jobs/indexes.batch', 'edit'],
      ['create pods/eviction', 'edit'],
      ['create worklists/parts.muster.run', 'edit'],
      ['delete services', 'edit'],
      ['use serviceaccounts', 'edit'],
      ['create serviceaccounts', 'edit'],
      ['get roles.rbac.authorization.k8s.io', 'admin'],
      ['create rolebindings.rbac.authorization.k8s.io', 'admin'],
      ['update jobs/status.batch', 'root'],
      ['get nodes', 'root'],
      ['delete namespaces', 'root'],
      ['create clusterroles.rbac.authorization.k8s.io', 'root'],
      ['escalate roles.rbac.authorization.k8s.io', 'root'],
      ['bind roles.rbac.authorization.k8s.io', 'root'],
      ['impersonate users', 'root'],
    ].filter(([what = '']) => isThere('WorkList') || !what.includes('worklists')) as [string, string][],
  )('%s needs %s', (text, least) => {
    const order = ['view', 'edit', 'admin', 'root'];
    expect(order.filter((role) => may(role, inTeam(text)))).toEqual(order.slice(order.indexOf(least)));
  });

  test('none reaches beyond its namespace', () => {
    for (const role of ['view', 'edit', 'admin'])
      expect(may(role, toDo('get', { group: 'batch', resource: 'jobs', namespace: 'other' }))).toBe(false);
  });
});

test('everybody may ask what there is, and who he is; others may only ask whether it is well', () => {
  const anonymous = aUser('system:anonymous', 'system:unauthenticated');
  const asks = [onPath('get', '/apis/batch/v1'), onPath('get', '/version'), onPath('get', '/readyz')];
  expect(asks.map((wanted) => may('anybody', wanted))).toEqual([true, true, true]);
  expect(asks.map((wanted) => authorize(anonymous, wanted, POLICY).allowed)).toEqual([false, true, true]);
  const review = toDo('create', { group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' });
  expect([may('anybody', review), authorize(anonymous, review, POLICY).allowed]).toEqual([true, false]);
  expect(may('anybody', toDo('list', { group: 'batch', resource: 'jobs', namespace: 'team' }))).toBe(false);
});
