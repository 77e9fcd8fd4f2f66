import type { FunctionName } from './statements.ts';

type ByFunction<T> = Readonly<Record<FunctionName, T>>;

const OF_EVERY = ['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem', 'sqs:SendMessage'];

/** IAM actions that each function sends: `test/e2e/rights.test.ts` holds that it does, `test/cdk/rights.test.ts` that it may. */
export const SENT: ByFunction<readonly string[]> = {
  api: [
    ...OF_EVERY,
    'dynamodb:BatchWriteItem',
    'dynamodb:ConditionCheckItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'ecs:DescribeTasks',
    'ecs:ListTasks',
    'logs:GetLogEvents',
    'sqs:GetQueueAttributes',
  ],
  reconcile: [
    ...OF_EVERY,
    'dynamodb:BatchWriteItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'sqs:DeleteMessage', // of the queues that it drains
    'sqs:ReceiveMessage',
  ],
  dispatch: [
    ...OF_EVERY,
    'dynamodb:Query',
    'ecs:DeregisterTaskDefinition',
    'ecs:DescribeTaskDefinition',
    'ecs:DescribeTasks',
    'ecs:ListTaskDefinitionFamilies',
    'ecs:ListTasks',
    'ecs:RegisterTaskDefinition',
    'ecs:RunTask',
    'ecs:StopTask',
    'ecs:TagResource',
    'iam:PassRole',
    'route53:ChangeResourceRecordSets',
    'route53:GetHostedZone',
    'route53:ListHostedZonesByName',
    'servicediscovery:CreateService',
    'servicediscovery:DeleteService',
    'servicediscovery:DeregisterInstance',
    'servicediscovery:GetOperation',
    'servicediscovery:ListInstances',
    'servicediscovery:RegisterInstance',
    'sqs:DeleteMessage',
    'sqs:ReceiveMessage',
  ],
  sweep: [
    ...OF_EVERY,
    'dynamodb:PutItem',
    'dynamodb:Query',
    'servicediscovery:ListServices',
    'sqs:DeleteMessage', // of the dead-letter queues
    'sqs:ReceiveMessage',
  ],
  submit: [
    'dynamodb:GetItem',
    'dynamodb:PutItem',
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'sqs:DeleteMessage', // of the queue that it drains
    'sqs:ReceiveMessage',
    'sqs:SendMessage',
  ],
};

const OF_LAMBDA = {
  'sqs:ChangeMessageVisibility': 'a message that failed comes again later; also the event source mapping of Lambda',
  'sqs:GetQueueAttributes': 'the event source mapping of Lambda',
  'sqs:GetQueueUrl': 'the event source mapping of Lambda',
};
const FOLDED = {
  'dynamodb:BatchGetItem': 'chunks of a board are stored after some hundred transitions, and kept in memory by who has',
};
const SEALED = 'embedded, Secrets are sealed with a key of the data folder: test/e2e/bundles/bundled-files.test.ts';
const COPIED = 'embedded, tasks read Secrets in the data folder: test/e2e/bundles/bundled-files.test.ts';
const STRAY = 'services that no Job needs are removed: shared/capabilities/hostnames/test/control/hosts-stray.test.ts';

/** Actions that may be sent, but need not be in the life of a small installation, and what for. */
export const UNSENT: ByFunction<Readonly<Record<string, string>>> = {
  api: { ...FOLDED, 'ssm:GetParameter': SEALED, 'ssm:PutParameter': SEALED },
  reconcile: { ...FOLDED, ...OF_LAMBDA },
  dispatch: {
    ...FOLDED,
    ...OF_LAMBDA,
    'ssm:GetParameter': SEALED,
    'secretsmanager:CreateSecret': COPIED,
    'secretsmanager:PutSecretValue': COPIED,
    'secretsmanager:TagResource': COPIED,
    'servicediscovery:ListServices': 'a service that somebody else has just made is adopted',
  },
  sweep: {
    ...FOLDED,
    'dynamodb:BatchWriteItem': 'items are removed half an hour after they are hidden: test/contract/item-cases.ts',
    'route53:ChangeResourceRecordSets': STRAY,
    'route53:GetHostedZone': STRAY,
    'servicediscovery:DeleteService': STRAY,
    'servicediscovery:DeregisterInstance': STRAY,
    'servicediscovery:GetOperation': STRAY,
    'servicediscovery:ListInstances': STRAY,
    'secretsmanager:DeleteSecret': COPIED,
    'secretsmanager:ListSecrets': COPIED,
    'secretsmanager:TagResource': COPIED,
  },
  submit: {
    ...FOLDED,
    'dynamodb:BatchWriteItem': 'a Job that waits for others is noted: test/contract/waiter-cases.ts',
    ...OF_LAMBDA,
    'dynamodb:DeleteItem': 'items that it has reserved for a Job whose name was taken meanwhile are released',
  },
};
