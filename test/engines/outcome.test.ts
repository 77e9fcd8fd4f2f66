import { expect, test } from 'vitest';
import { outcomeOf } from './describe-engine.ts';
import { operationsOf, tableOf } from './table.ts';

const row = { fails: /hidden/, because: 'it hides nothing' };

test('a row holds as long as its engine fails as it says', () => {
  expect(outcomeOf(null, undefined)).toEqual({ kind: 'passed' });
  expect(outcomeOf('no', undefined)).toEqual({ kind: 'failed', message: 'no' });
  expect(outcomeOf('hidden: 0', row)).toEqual({ kind: 'wrong' });
  expect(outcomeOf('the connection was cut', row)).toMatchObject({ kind: 'failed' });
  expect(outcomeOf(null, row)).toMatchObject({ kind: 'failed', message: expect.stringContaining('must go') as string });
});

test('the table counts each case once, as it was at last', () => {
  const lines = ['failed', 'passed'].map((outcome) =>
    JSON.stringify({ suite: 's', engine: 'e 1', name: 'a', outcome }),
  );
  const other = JSON.stringify({ suite: 's', engine: 'e 1', name: 'b', outcome: 'wrong' });
  const cells = tableOf([...lines, other, ''].join('\n'))
    .split('\n')[3]
    ?.split('│');
  expect(cells?.map((cell) => cell.trim())).toEqual(['', 's', 'e 1', '2', '1', '1', '0', '0', '']);
});

test('calls of one operation are added up over processes', () => {
  expect(operationsOf('{"ecs:RunTask":2,"sqs:SendMessage":1}\n{"ecs:RunTask":3}\n')).toBe(
    "6 calls of 2 operations are as AWS's models say:\n  ecs:RunTask 5\n  sqs:SendMessage 1",
  );
});
