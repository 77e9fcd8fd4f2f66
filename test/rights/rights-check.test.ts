import { describe, expect, test } from 'vitest';
import { type NeededRight, missingTypes, neededRights } from './needed-rights.ts';
import { type Statement, allowing } from './statements.ts';
import { LOCAL_PLACE, templateStatements } from './template-statements.ts';

const CLUSTER = 'arn:aws:ecs:us-east-1:000000000000:cluster/muster';
const DEFINITION = 'arn:aws:ecs:us-east-1:000000000000:task-definition/muster-0a1b:1';
const statement = (wish: Partial<Statement>): Statement => ({
  actions: ['ecs:RunTask'],
  resources: ['arn:aws:ecs:us-east-1:000000000000:task-definition/muster-*:*'],
  conditions: {},
  ...wish,
});
const right = (wish: Partial<NeededRight> = {}): NeededRight => ({
  action: 'ecs:RunTask',
  resources: [DEFINITION],
  context: { 'ecs:cluster': CLUSTER },
  ...wish,
});
const isAllowed = (wish: Partial<Statement>, needed: NeededRight = right()): boolean =>
  allowing([statement(wish)], needed) !== null;

describe('as IAM decides', () => {
  test.each<[boolean, string, Partial<Statement>, Partial<NeededRight>]>([
    [true, 'action and resource', {}, {}],
    [false, 'another action', { actions: ['ecs:StopTask'] }, {}],
    [false, 'another resource', { resources: ['arn:aws:ecs:us-east-1:000000000000:task-definition/other:*'] }, {}],
    [false, 'one of two resources', {}, { resources: [DEFINITION, 'arn:aws:ecs:us-east-1:1:task-definition/x:1'] }],
    [false, 'everything, where only some is', {}, { resources: ['*'] }],
    [true, 'everything', { resources: ['*'] }, { resources: ['*'] }],
    [true, 'a condition', { conditions: { ArnEquals: { 'ecs:cluster': [CLUSTER] } } }, {}],
    [false, 'another value', { conditions: { ArnEquals: { 'ecs:cluster': [`${CLUSTER}2`] } } }, {}],
    [false, 'a key that is absent', { conditions: { StringEquals: { 'ecs:x': ['1'] } } }, {}],
    [true, 'or may be', { conditions: { StringEqualsIfExists: { 'ecs:x': ['1'] } } }, {}],
    [false, 'two values', { conditions: { StringEquals: { k: ['1'] } } }, { context: { k: ['1'] } }],
    [true, 'all of them', { conditions: { 'ForAllValues:StringEquals': { k: ['1'] } } }, { context: { k: ['1'] } }],
    [false, 'and more', { conditions: { 'ForAllValues:StringEquals': { k: ['1'] } } }, { context: { k: ['1', '2'] } }],
  ])('%s: %s', (expected, _, rule, needed) => {
    expect(isAllowed(rule, right(needed))).toBe(expected);
  });
});

test('a command that nobody has entered is no quiet yes', () => {
  expect(() => neededRights('ScanCommand', {}, LOCAL_PLACE)).toThrow('does not say what ScanCommand needs');
});

test('resources that AWS requires and a right does not name are found', async () => {
  const namespace = 'arn:aws:servicediscovery:us-east-1:000000000000:namespace/ns-1';
  const making = { action: 'servicediscovery:CreateService', resources: [namespace], context: {} };
  expect(await missingTypes(making)).toEqual(['service']);
  expect(await missingTypes(right())).toEqual([]);
});

test.each([{ startedBy: 'uid-1' }, { desiredStatus: 'RUNNING' }, { family: 'muster-0a1b', desiredStatus: 'STOPPED' }])(
  'dispatch may list tasks of its cluster, and of no other, by %j',
  async (filter) => {
    const { dispatch } = await templateStatements();
    const mayIn = (cluster: string): boolean =>
      neededRights('ListTasksCommand', { cluster, ...filter }, LOCAL_PLACE).every(
        (needed) => allowing(dispatch, needed) !== null,
      );
    expect([mayIn('muster'), mayIn('other')]).toEqual([true, false]);
  },
);

test('dispatch may tag tasks that it starts in its cluster, and none that run', async () => {
  const { dispatch } = await templateStatements();
  const tagging = (cluster: string, context: Record<string, string>) => ({
    action: 'ecs:TagResource',
    resources: [`arn:aws:ecs:us-east-1:000000000000:task/${cluster}/0f0f`],
    context,
  });
  const starting = { 'ecs:CreateAction': 'RunTask' };
  const needed = neededRights(
    'RunTaskCommand',
    { cluster: CLUSTER, taskDefinition: DEFINITION, tags: [] },
    LOCAL_PLACE,
  );
  expect(needed.filter(({ action }) => action === 'ecs:TagResource')).toMatchObject([{ context: starting }]);
  expect(needed.every((each) => allowing(dispatch, each) !== null)).toBe(true);
  expect(allowing(dispatch, tagging('muster', {}))).toBeNull();
  expect(allowing(dispatch, tagging('other', starting))).toBeNull();
});

/** What was wrong once: each would have been refused on AWS. */
test('a message to a queue that is not the function’s is denied', async () => {
  const statements = await templateStatements();
  const send = (name: string): NeededRight =>
    neededRights('SendMessageBatchCommand', { QueueUrl: name }, LOCAL_PLACE)[0]!;
  const may = (role: keyof typeof statements) =>
    ['muster-wake', 'muster-facts', 'muster-dispatch'].filter(
      (name) => allowing(statements[role], send(name)) !== null,
    );
  expect([may('api'), may('dispatch'), may('sweep')]).toEqual([
    ['muster-wake', 'muster-facts'],
    ['muster-facts', 'muster-dispatch'],
    ['muster-wake', 'muster-dispatch'],
  ]);
});
