import { expect, test } from 'vitest';
import { bearerOf } from '../../../shared/domain/token/bearer.ts';
import { principalOf } from '../../../shared/domain/token/principal.ts';
import { userOf } from '../../../shared/domain/token/aws-user.ts';

const A = '123456789012';

test.each([
  [`arn:aws:sts::${A}:assumed-role/ops/lee@example.org`, `arn:aws:iam::${A}:role/ops`],
  [`arn:aws:sts::${A}:assumed-role/a/path/ops/i-0123`, `arn:aws:iam::${A}:role/ops`],
  [`arn:aws:iam::${A}:role/aws-reserved/sso.amazonaws.com/Ops`, `arn:aws:iam::${A}:role/Ops`],
  [`arn:aws-cn:sts::${A}:assumed-role/ops/s`, `arn:aws-cn:iam::${A}:role/ops`],
  [`arn:aws-us-gov:iam::${A}:user/kim`, `arn:aws-us-gov:iam::${A}:user/kim`],
  [`arn:aws:iam::${A}:user/staff/kim`, `arn:aws:iam::${A}:user/staff/kim`],
  [`arn:aws:iam::${A}:root`, `arn:aws:iam::${A}:root`],
])('%s is %s', (arn, canonical) => {
  expect(principalOf(arn)).toEqual({ arn: canonical, account: A });
});

test.each([
  '',
  'kim',
  `arn:aws:iam::${A}:group/ops`,
  `arn:aws:iam::${A}:role/`,
  `arn:aws:iam::${A}:role`,
  `arn:aws:iam::${A}:user//kim`,
  `arn:aws:iam::1:user/kim`,
  `arn:aws:sts::${A}:assumed-role/ops`,
  `arn:aws:s3:::bucket`,
  `arn:aws:sts::${A}:federated-user/bob`, // by a name that its caller chose
  `arn:aws:iam::${A}:user/kim\n`,
  `arn:aws:iam::${A}:user/a b`,
  `ARN:aws:iam::${A}:user/kim`,
])('%j is nobody', (arn) => {
  expect(principalOf(arn)).toBeNull();
});

const session = { arn: `arn:aws:sts::${A}:assumed-role/ops/lee`, account: A, userId: 'AROAOPS:lee' };

test('a user has the name of the role, an id without the session, and Kubernetes’ groups', () => {
  expect(userOf(session, { accounts: [A], admins: [] })).toEqual({
    kind: 'user',
    user: { username: `arn:aws:iam::${A}:role/ops`, uid: 'AROAOPS', groups: ['system:authenticated'] },
  });
  expect(userOf({ ...session, userId: '' }, { accounts: [A], admins: [`arn:aws:iam::${A}:role/ops`] })).toEqual({
    kind: 'user',
    user: { username: `arn:aws:iam::${A}:role/ops`, groups: ['system:masters', 'system:authenticated'] },
  });
});

test('no session makes itself an administrator by its name', () => {
  const admins = [`arn:aws:iam::${A}:role/admin`];
  const named = { ...session, arn: `arn:aws:sts::${A}:assumed-role/ops/admin` };
  expect(userOf(named, { accounts: [A], admins })).toMatchObject({ user: { groups: ['system:authenticated'] } });
});

test('other accounts are refused, unless they or their users are named', () => {
  const eve = { arn: 'arn:aws:iam::999999999999:user/eve', account: '999999999999', userId: 'AIDAEVE' };
  expect(userOf(eve, { accounts: [A], admins: [] })).toEqual({ kind: 'refused', fault: 'account' });
  expect(userOf(eve, { accounts: [A, eve.account], admins: [] })).toMatchObject({ user: { username: eve.arn } });
  expect(userOf(eve, { accounts: [A], admins: [eve.arn] })).toMatchObject({
    user: { groups: ['system:masters', 'system:authenticated'] },
  });
  expect(userOf({ ...eve, account: A }, { accounts: [A], admins: [] })).toEqual({
    kind: 'refused',
    fault: 'principal',
  });
});

test.each([
  ['Bearer abc', 'abc'],
  ['bearer  a.b-c_d ', 'a.b-c_d'],
  ['Bearer', null],
  ['Bearer ', null],
  ['Bearer a b', null],
  ['Basic abc', null],
  ['abc', null],
  ['', null],
  [undefined, null],
])('%j has the token %j', (header, token) => {
  expect(bearerOf(header)).toBe(token);
});
