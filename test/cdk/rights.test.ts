import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { musterTemplate, ref } from './template.ts';

/** Actions that read cannot do harm beyond what is read; all others must say what they do it to. */
const READS = /:(Get|BatchGet|List|Describe|BatchCheck)/;
const HANDLERS = ['api', 'dispatch', 'reconcile', 'sweep'];

const stack = musterTemplate();

describe('rights', () => {
  test('no action that writes is allowed on everything but to register what runs on Fargate, and none is named by a pattern', () => {
    const wide = stack.rights.filter(({ resources }) => resources.includes('*'));
    const writing = wide.filter(({ actions }) => actions.some((action) => !READS.test(action)));
    expect(writing).toMatchObject([
      {
        actions: ['ecs:RegisterTaskDefinition'],
        condition: {
          'ForAllValues:StringEquals': { 'ecs:compute-compatibility': 'FARGATE' },
          StringEqualsIfExists: { 'ecs:privileged': 'false' },
        },
      },
    ]);
    expect(stack.rights.flatMap(({ actions }) => actions).filter((action) => action.includes('*'))).toEqual([]);
  });

  test('these alone are allowed on everything, since AWS has no resource for them or images lie anywhere', () => {
    const wide = stack.rights.filter(({ resources }) => resources.includes('*'));
    expect([...new Set(wide.flatMap(({ actions }) => actions))].sort()).toEqual([
      'ecr:BatchCheckLayerAvailability',
      'ecr:BatchGetImage',
      'ecr:GetAuthorizationToken',
      'ecr:GetDownloadUrlForLayer',
      'ecs:DescribeTaskDefinition',
      'ecs:ListTasks',
      'ecs:RegisterTaskDefinition',
    ]);
    for (const { condition } of wide.filter(({ actions }) => actions.includes('ecs:ListTasks'))) {
      expect(condition).toHaveProperty(['ArnEquals', 'ecs:cluster']);
    }
  });

  test("no role has a managed policy, and the tasks' own role has nothing at all", () => {
    const roles = stack.all('AWS::IAM::Role');
    for (const { Properties } of roles.values()) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(Properties).not.toHaveProperty('Policies');
    }
    const taskRole = [...roles.keys()].find((id) => id.includes('TaskRole'));
    expect(taskRole).toBeDefined();
    expect(stack.rights.filter(({ owner }) => owner === taskRole)).toEqual([]);
  });

  test('only dispatch acts on ECS: our families, our cluster, our two roles', () => {
    const acting = stack.rights.filter(({ actions }) =>
      actions.some((action) => /^(ecs|iam):/.test(action) && !READS.test(action)),
    );
    expect(new Set(acting.map(({ owner }) => owner))).toEqual(new Set([stack.roleOf('dispatch')]));
    const of = (action: string) => acting.find(({ actions }) => actions.includes(action))!;
    expect(JSON.stringify(of('ecs:RunTask').resources)).toContain(':task-definition/muster-*:*');
    expect(of('ecs:RunTask').condition).toHaveProperty(['ArnEquals', 'ecs:cluster']);
    expect(JSON.stringify(of('ecs:StopTask').resources)).toMatch(/:task\/",\{"Ref":"\w*Cluster\w*"\},"\/\*"/);
    expect(of('iam:PassRole').resources).toHaveLength(2);
    expect(JSON.stringify(of('iam:PassRole').resources)).not.toContain('*');
    expect(of('iam:PassRole').condition).toEqual({
      StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' },
    });
  });

  test('each function that drains queues may bury what it cannot process, and in no other grave', () => {
    const dead = new Set(stack.mappings.map(({ queue }) => stack.deadOf(queue)));
    for (const handler of HANDLERS) {
      const sends = stack.rightsOf(handler).filter(({ actions }) => actions.includes('sqs:SendMessage'));
      const graves = sends.flatMap(({ resources }) => resources.map(ref)).filter((id) => dead.has(id));
      const own = stack.mappings.filter(({ consumer }) => stack.handlerOf(consumer) === handler);
      expect(graves.sort()).toEqual(own.map(({ queue }) => stack.deadOf(queue)).sort());
    }
  });

  test('the API starts and stops nothing itself, it only looks: it tells reconcile', () => {
    const actions = stack.rightsOf('api').flatMap((statement) => statement.actions);
    expect(actions.filter((action) => action.startsWith('ecs:')).sort()).toEqual([
      'ecs:DescribeTasks',
      'ecs:ListTasks',
    ]);
    expect(stack.fedBy('api')).toEqual(['reconcile']);
  });

  test('sweep finds what is due, and may delete what is left of a namespace as the API does; it starts no task', () => {
    const state = stack
      .rightsOf('sweep')
      .filter(({ actions }) => actions.some((action) => action.startsWith('dynamodb:')));
    const ofApi = stack.rightsOf('api').find(({ actions }) => actions.includes('dynamodb:UpdateItem'));
    expect(state.map(({ actions }) => actions)).toEqual([['dynamodb:Query'], ofApi?.actions]);
    expect(JSON.stringify(state[0]!.resources)).toContain('/index/alarms');
    const others = stack.rightsOf('sweep').flatMap(({ actions }) => actions);
    expect(others.filter((action) => action.startsWith('ecs:')).sort()).toEqual(['ecs:DescribeTasks', 'ecs:ListTasks']);
  });

  test('what the adapters call is allowed to some function, and nothing else is', () => {
    const whole = musterTemplate({ hostnames: 'true' });
    const ours = HANDLERS.flatMap((handler) => whole.rightsOf(handler)).flatMap(({ actions }) => actions);
    const allowed = new Set(
      ours.filter((action) => /^(dynamodb|ecs|sqs|servicediscovery):/.test(action) || action === 'logs:GetLogEvents'),
    );
    for (const action of OF_THE_EVENT_SOURCE) allowed.delete(action);
    expect([...allowed].sort()).toEqual(actionsOfAdapters());
  });
});

/** Lambda drains a queue with the function's own role. */
const OF_THE_EVENT_SOURCE = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
];

/** Not for functions: the stack makes the table, and a transaction needs the rights of what it carries. */
const NOT_ASKED_FOR = ['CreateTable', 'DescribeTable', 'UpdateTimeToLive', 'TransactWriteItems'].map(
  (name) => `dynamodb:${name}`,
);

/** IAM actions for every command that the AWS adapters send, found in their sources. */
function actionsOfAdapters(): string[] {
  const folder = path.resolve(import.meta.dirname, '../../shared/adapters/aws');
  const sources = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
  const actions = sources.flatMap((source) => {
    const service = /@aws-sdk\/client-([\w-]+)/.exec(source)?.[1]?.replace('cloudwatch-', '') ?? '';
    const sent = [...source.matchAll(/new ([A-Z]\w+)Command\(/g)].map(([, name]) =>
      // SQS has no right of its own for a batch.
      service === 'sqs' ? `sqs:${name!.replace(/Batch$/, '')}` : `${service}:${name}`,
    );
    const inTransactions = [
      ...source.matchAll(/\{ (Put|Update|Delete|ConditionCheck):|^\s+(Put|Update|Delete|ConditionCheck):/gm),
    ];
    return [...sent, ...inTransactions.map(([, one, other]) => `dynamodb:${one ?? other}Item`)];
  });
  const ignored = [...NOT_ASKED_FOR, ...OF_THE_EVENT_SOURCE];
  return [...new Set(actions)].filter((action) => !ignored.includes(action)).sort();
}

test('Fargate reads what Pod templates may name as Secrets and ConfigMaps, and no other secret', () => {
  const reading = stack.rights.filter(({ actions }) => actions.some((action) => /^(secretsmanager|ssm):/.test(action)));
  expect(reading.map(({ owner, actions }) => [owner.includes('ExecutionRole'), actions])).toEqual([
    [true, ['secretsmanager:GetSecretValue']],
    [true, ['ssm:GetParameters']],
  ]);
  expect(JSON.stringify(reading[0]?.resources)).toMatch(/:secret:muster\/\*"/);
  expect(JSON.stringify(reading[1]?.resources)).toMatch(/:parameter\/muster\/\*"/);
});

test('dispatch may hand over the roles of service accounts that are mapped', () => {
  const arn = 'arn:aws:iam::123456789012:role/reports';
  const mapped = musterTemplate({ taskRoles: `default/reports=${arn}` });
  const passing = mapped.rights.find(({ actions }) => actions.includes('iam:PassRole'));
  expect(passing?.resources).toContain(arn);
  expect(passing?.resources).toHaveLength(3);
});
