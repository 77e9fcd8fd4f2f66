import { expect, test } from 'vitest';
import { accountRole, rolesListedFor } from '../../../shared/domain/task/task-roles.ts';

const ROLES = new Map([
  ['default/reports', 'arn:reports'],
  ['default/*', 'arn:a arn:b'],
  ['other/*', 'arn:other'],
  ['defaults/*', 'arn:defaults'],
  ['*', 'arn:all'],
]);

test.each<[string, readonly string[]]>([
  ['default', ['arn:reports', 'arn:a', 'arn:b', 'arn:all']],
  ['other', ['arn:other', 'arn:all']],
  ['third', ['arn:all']],
])('accounts of %s may name %j', (namespace, arns) => {
  expect(rolesListedFor(namespace, ROLES)).toEqual(arns);
});

test.each<[string, string | null, string | null]>([
  ['reports', null, 'arn:reports'],
  ['reports', 'arn:b', 'arn:b'],
  ['loader', 'arn:a', 'arn:a'],
  ['loader', 'arn:all', 'arn:all'],
  ['loader', 'arn:other', null],
  ['loader', 'arn:a arn:b', null],
  ['reports', 'arn:other', null],
  ['loader', null, null],
  ['*', null, null],
])('the account %s that names %s has %s', (name, named, arn) => {
  const role = accountRole({ namespace: 'default', name: name === '*' ? 'any' : name }, named, ROLES);
  expect(role.kind === 'role' ? role.arn : null).toBe(arn);
});

test('what is missing is named', () => {
  const reason = (name: string, named: string | null) => accountRole({ namespace: 'default', name }, named, ROLES);
  expect(reason('loader', 'arn:x')).toMatchObject({ reason: expect.stringContaining('does not list') as unknown });
  expect(reason('loader', null)).toMatchObject({
    reason: expect.stringContaining('no task role is mapped to default/loader') as unknown,
  });
});
