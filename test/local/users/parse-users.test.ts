import { expect, test } from 'vitest';
import { parseUsers } from '../../../local/users/parse-users.ts';

test('a line names a user: token, name, uid, and groups', () => {
  const text =
    '\ufefft1,kim,1001,"team-a, system:masters"\r\n\nt2,lee,,dev\n"t,3",max,1003\nt4,ann,1004,system:authenticated\n';
  expect(parseUsers(text)).toEqual({
    kind: 'users',
    users: [
      { token: 't1', username: 'kim', uid: '1001', groups: ['team-a', 'system:masters', 'system:authenticated'] },
      { token: 't2', username: 'lee', groups: ['dev', 'system:authenticated'] },
      { token: 't,3', username: 'max', uid: '1003', groups: ['system:authenticated'] },
      { token: 't4', username: 'ann', uid: '1004', groups: ['system:authenticated'] },
    ],
  });
});

test.each([
  ['', ['it names nobody']],
  ['\n\n', ['it names nobody']],
  ['secret,kim', ['line 1: it must have a token, a user, and a uid, with commas between']],
  [
    'a,kim,1\nsecret,lee,2,dev,ops\n',
    ['line 2: it has more than four columns: several groups stand in double quotes, with commas between'],
  ],
  [',kim,1', ['line 1: the token must be printable ASCII without blanks, and not empty']],
  ['sec ret,kim,1', ['line 1: the token must be printable ASCII without blanks, and not empty']],
  ['a,,1\n\nb,kim,2,"dev,"\n', ['line 1: the user has no name', 'line 3: a group has no name']],
  ['secret,kim,1\n"secret",lee,2\n', ['line 2: the token is that of line 1']],
  ['a,kim,1\nsecret"x,lee,2\n', ['line 2: a double quote is out of place']],
])('%j is refused by line, without its tokens', (text, faults) => {
  const parsed = parseUsers(text);
  expect(parsed).toEqual({ kind: 'refused', faults });
  expect(JSON.stringify(parsed)).not.toContain('secret');
});
