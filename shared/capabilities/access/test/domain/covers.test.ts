import { expect, test } from 'vitest';
import { CHECKS_MAX, RIGHTS_MAX, notCovered, rightsOf } from '../../domain/covers.ts';
import type { PolicyRule } from '../../domain/policy.ts';
import { urlCovers } from '../../domain/rule-allows.ts';

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

function missingOf(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  const found = notCovered(owned, wanted);
  return found.kind === 'checked' && !found.more ? found.missing : [];
}

/** A rule about so many of each. */
const wide = (verbs: number, resources: number, names = 0): PolicyRule => ({
  verbs: listOf('v', verbs),
  apiGroups: [''],
  resources: listOf('r', resources),
  ...(names === 0 ? {} : { resourceNames: listOf('n', names) }),
});
const listOf = (text: string, count: number): readonly string[] => Array.from({ length: count }, (_, i) => text + i);

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
  expect(missingOf(owned.map(rule), wanted.map(rule))).toEqual(missing.map(rule));
});

test('a rule of both kinds is broken down into both', () => {
  const both: PolicyRule = { ...rule('get v1 builds'), nonResourceURLs: ['/apis'] };
  expect(missingOf([both], [both])).toEqual([]);
  expect(missingOf([rule('get v1 builds')], [both])).toEqual([rule('get /apis')]);
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

test('rights are verbs times groups times resources times names, and verbs times paths', () => {
  expect(rightsOf([wide(3, 4), wide(3, 4, 5), rule('get,post /a,/b,/c')])).toBe(12 + 60 + 6);
});

test('a message names a hundred missing rights, and says that there are others', () => {
  const hundred = notCovered([rule('get v1 builds')], [wide(10, 10)]);
  expect(hundred).toMatchObject({ kind: 'checked', more: false });
  const more = notCovered([rule('get v1 builds')], [wide(10, 10), rule('get v1 builds,pods')]);
  expect(more).toEqual({ ...hundred, more: true });
});

test('what is too much to compare is counted, and nothing of it is built', () => {
  const owned = Array.from({ length: CHECKS_MAX / RIGHTS_MAX }, (_, i) => rule(`get g${i} builds`));
  expect(notCovered(owned, [wide(100, 100)])).toMatchObject({ kind: 'checked', more: true });
  expect(notCovered([...owned, ...owned], [wide(100, 100)])).toMatchObject({ kind: 'checked' });
  const tooMany = { kind: 'tooMany', rights: RIGHTS_MAX };
  expect(notCovered([...owned, rule('get v1 builds')], [wide(100, 100)])).toEqual({ ...tooMany, held: 201 });
  expect(notCovered([...owned.slice(1), rule('get /a,/b')], [wide(100, 100)])).toEqual({ ...tooMany, held: 202 });
  // Seconds and gigabytes, if it were built.
  expect(notCovered(owned, [wide(10_000, 10_000, 10_000)])).toMatchObject({ kind: 'tooMany', rights: 1e12 });
});
