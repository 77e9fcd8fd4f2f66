import { expect, test } from 'vitest';
import { notCovered } from '../../../shared/domain/rbac/covers.ts';
import type { PolicyRule } from '../../../shared/domain/rbac/policy.ts';
import { urlCovers } from '../../../shared/domain/rbac/rule-allows.ts';

/** `verbs groups resources [names]`, or `verbs /paths`: each a list with commas. */
const rule = (text: string): PolicyRule => {
  const [verbs = '', groups = '', resources, names] = text.split(' ');
  if (resources === undefined) return { verbs: verbs.split(','), nonResourceURLs: groups.split(',') };
  return {
    verbs: verbs.split(','),
    apiGroups: groups.split(','),
    resources: resources.split(','),
    ...(names === undefined ? {} : { resourceNames: names.split(',') }),
  };
};

const BY_TWO_GROUPS = [
  'delete group1 deployments',
  'delete group1 builds',
  'update group1 builds,deployments',
  'delete group2 deployments',
  'delete group2 builds',
  'update group2 builds,deployments',
];

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['the same', ['get v1 builds'], ['get v1 builds'], []],
  ['a subresource of anything', ['get v1 */scale'], ['get v1 foo/scale'], []],
  ['not the resource by its subresource', ['get v1 */scale'], ['get v1 foo'], ['get v1 foo']],
  [
    'not a subresource by its resource',
    ['get v1 foo'],
    ['get v1 foo/scale', 'get v1 foo/'],
    ['get v1 foo/scale', 'get v1 foo/'],
  ],
  ['not what lies below a subresource', ['get v1 foo/scale,*/scale'], ['get v1 foo/scale/x'], ['get v1 foo/scale/x']],
  [
    'one rule by several',
    ['delete v1 deployments', 'delete v1 builds', 'update v1 builds,deployments'],
    ['delete,update v1 builds,deployments'],
    [],
  ],
  ['several groups by several', BY_TWO_GROUPS, ['delete,update group1,group2 builds,deployments'], []],
  ['several by one', ['delete,update group1,group2 builds,deployments'], BY_TWO_GROUPS, []],
  [
    'all but one pair of a verb and a resource',
    ['delete,update v1 builds,deployments', 'delete v1 pods'],
    ['delete,update v1 builds,deployments,pods'],
    ['update v1 pods'],
  ],
  ['groups by a star', ['get * roles'], ['get group1,group2 roles'], []],
  ['no star by a group', ['get dummy roles'], ['get * roles'], ['get * roles']],
  ['a star of groups by one', ['get * roles'], ['get * roles'], []],
  ['verbs by a star', ['* v1 roles'], ['watch,list v1 roles'], []],
  ['no star by verbs', ['get,list,watch,create,update,delete,exec v1 roles'], ['* v1 roles'], ['* v1 roles']],
  ['a star of verbs by one', ['* v1 roles'], ['* v1 roles'], []],
  ['resources by a star', ['get v1 *'], ['get v1 resourcegroup:deployments'], []],
  ['no star by resources', ['get v1 roles,resourcegroup:deployments'], ['get v1 *'], ['get v1 *']],
  ['a star of resources by one', ['get v1 *'], ['get v1 *'], []],
  ['names by all', ['get v1 pods'], ['get v1 pods foo,bar'], []],
  ['not all by names', ['get v1 pods foo,bar'], ['get v1 pods'], ['get v1 pods']],
  ['each name for itself', ['get v1 pods foo'], ['get v1 pods foo,bar'], ['get v1 pods bar']],
  ['a path', ['* /apis'], ['* /apis'], []],
  ['paths by a star', ['* *'], ['* /apis,/apis/v1,/'], []],
  ['not a path by what lies below', ['* /apis/*'], ['get /apis,/apis/v1'], ['get /apis']],
  ['what lies below', ['* /apis/*'], ['get /apis/v1/foo,/apis/v1'], []],
  ['no path by resources', ['get v1 builds'], ['get v1 builds', 'get /apis'], ['get /apis']],
  ['nothing by nothing', [], ['get v1 builds'], ['get v1 builds']],
])('what somebody has covers %s', (_, owned, wanted, missing) => {
  expect(notCovered(owned.map(rule), wanted.map(rule))).toEqual(missing.map(rule));
});

test('a rule of both kinds is broken down into both', () => {
  const both: PolicyRule = { ...rule('get v1 builds'), nonResourceURLs: ['/apis'] };
  expect(notCovered([both], [both])).toEqual([]);
  expect(notCovered([rule('get v1 builds')], [both])).toEqual([rule('get /apis')]);
});

test.each<[string, string, boolean]>([
  ['*', '', true],
  ['*', '/', true],
  ['*', '/api', true],
  ['/*', '', false],
  ['/*', '/', true],
  ['/*', '/foo', true],
  ['/api', '/api', true],
  ['/apis', '/api', false],
  ['/api/v1', '/api', false],
  ['/api/v1', '/api/v1', true],
  ['/api/*', '/api/v1', true],
  ['/api/*', '/api', false],
  ['/api/*/*', '/api/v1', false],
  ['/*/v1/*', '/api/v1', false],
])('%s covers "%s": %s', (owned, path, isCovered) => {
  expect(urlCovers(owned, path)).toBe(isCovered);
});
