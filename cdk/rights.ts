import { Stack } from 'aws-cdk-lib';
import { type Conditions, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { StateHandlerName } from './constructs/handler-function.ts';
import type { StateTable } from './constructs/state-table.ts';
import { type TaskCluster, TASKS_SERVICE } from './constructs/task-cluster.ts';
import type { WorkQueue } from './constructs/work-queue.ts';

export type QueueName = 'wake' | 'facts' | 'dispatch';

/** By function or queue; those for submissions exist if they are asked for. */
export type Roles = Readonly<Record<Exclude<StateHandlerName, 'submit'>, IRole> & Partial<Record<'submit', IRole>>>;
export type Queues = Readonly<Record<QueueName, WorkQueue> & Partial<Record<'submit', WorkQueue>>>;

export type World = {
  readonly roles: Roles;
  readonly state: StateTable;
  readonly queues: Queues;
  readonly tasks: TaskCluster;
  /** Roles for service accounts, in addition to the stack's own. */
  readonly taskRoleArns: readonly string[];
};

/** We register task definitions, one family per template (`muster-<hash>`), and run no others. */
const FAMILIES = 'muster-*';

/** What every function does with the table. A transaction needs the permissions of its writes; the table is never scanned. */
const STATE_ACTIONS = ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'];

/**
 * The reference lists `task-definition` as this action's resource, and its condition keys. Users report that AWS requires
 * `*`. So the content of a registration is restricted, not its name. A key that AWS omits refuses nothing.
 */
const REGISTERED: Conditions = {
  'ForAllValues:StringEquals': { 'ecs:compute-compatibility': 'FARGATE' },
  StringEqualsIfExists: { 'ecs:privileged': 'false' },
};

/**
 * What each function may do in addition to writing its own log and draining its own queues: this page has all of it.
 * Actions that write name their target, with two exceptions: RegisterTaskDefinition and DeregisterTaskDefinition. Other actions
 * for which AWS has no resource only read: DescribeTaskDefinition, ListTaskDefinitionFamilies, and ListTasks, which a condition
 * restricts to the cluster (Service Authorization Reference, Amazon ECS).
 */
export function grantRights({ roles, state, queues, tasks, taskRoleArns }: World): void {
  const stack = Stack.of(tasks);
  const cluster = { ArnEquals: { 'ecs:cluster': tasks.cluster.clusterArn } };
  const definitions = stack.formatArn({ service: 'ecs', resource: 'task-definition', resourceName: FAMILIES });

  const allow = (role: IRole, actions: string[], resources: string[], conditions: Conditions = {}) =>
    role.addToPrincipalPolicy(new PolicyStatement({ actions, resources, conditions }));
  const send = (role: IRole, ...names: QueueName[]) =>
    allow(
      role,
      ['sqs:SendMessage'],
      names.map((name) => queues[name].queue.queueArn),
    );
  const deadLetter = (role: IRole, ...names: QueueName[]) =>
    allow(
      role,
      ['sqs:SendMessage'],
      names.map((name) => queues[name].dead.queueArn),
    );
  const keepState = (role: IRole, ...more: ('BatchWriteItem' | 'ConditionCheckItem' | 'PutItem' | 'Query')[]) =>
    allow(role, [...STATE_ACTIONS, ...more.map((name) => `dynamodb:${name}`)], [state.table.tableArn]);
  const lookAtTasks = (role: IRole) => {
    allow(role, ['ecs:DescribeTasks'], [tasks.tasksArn], cluster);
    allow(role, ['ecs:ListTasks'], ['*'], cluster);
  };

  keepState(roles.api, 'BatchWriteItem', 'ConditionCheckItem', 'PutItem', 'Query'); // items are written in batches
  send(roles.api, 'wake', 'facts'); // a fact: a user has deleted a Pod
  allow(roles.api, ['logs:GetLogEvents'], [tasks.logGroup.logGroupArn]);
  // The doctor checks what is due, tasks, and the sizes of queues.
  allow(roles.api, ['dynamodb:Query'], [state.alarmIndexArn]);
  lookAtTasks(roles.api);
  allow(
    roles.api,
    ['sqs:GetQueueAttributes'],
    Object.values(queues).flatMap(({ queue, dead }) => [queue.queueArn, dead.queueArn]),
  );

  keepState(roles.reconcile, 'BatchWriteItem', 'PutItem', 'Query'); // history is written in batches; who waits for a Job is looked up
  send(roles.reconcile, 'wake', 'facts', 'dispatch');
  deadLetter(roles.reconcile, 'wake', 'facts');

  keepState(roles.dispatch, 'Query');
  send(roles.dispatch, 'facts', 'dispatch');
  deadLetter(roles.dispatch, 'dispatch');
  lookAtTasks(roles.dispatch);
  allow(roles.dispatch, ['ecs:RunTask'], [`${definitions}:*`], cluster); // a revision is always given
  // Tags that RunTask sets; tags of tasks that run stay as they are.
  allow(roles.dispatch, ['ecs:TagResource'], [tasks.tasksArn], { StringEquals: { 'ecs:CreateAction': 'RunTask' } });
  allow(roles.dispatch, ['ecs:StopTask'], [tasks.tasksArn], cluster);
  allow(roles.dispatch, ['ecs:RegisterTaskDefinition'], ['*'], REGISTERED);
  allow(roles.dispatch, ['dynamodb:Query'], [state.alarmIndexArn]); // Jobs that may use a definition which is old
  // AWS has no resource for deregistering either: dispatch names only definitions of ours, which it has looked at before.
  allow(roles.dispatch, ['ecs:DeregisterTaskDefinition'], ['*']);
  allow(roles.dispatch, ['ecs:DescribeTaskDefinition', 'ecs:ListTaskDefinitionFamilies'], ['*']);
  allow(roles.dispatch, ['iam:PassRole'], [tasks.executionRole.roleArn, tasks.taskRole.roleArn, ...taskRoleArns], {
    StringEquals: { 'iam:PassedToService': TASKS_SERVICE },
  });

  allow(roles.sweep, ['dynamodb:Query'], [state.alarmIndexArn]); // it finds Jobs and wakes them
  // And it continues with the rest of a namespace that is being deleted, and removes items that nobody needs.
  keepState(roles.sweep, 'BatchWriteItem', 'PutItem', 'Query');
  send(roles.sweep, 'wake', 'dispatch'); // dispatch checks all live tasks, and names
  allow(
    roles.sweep,
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage'],
    Object.values(queues).map(({ dead }) => dead.queueArn),
  ); // stores dead letters
  const { submit: submitQueue } = queues;
  if (roles.submit === undefined || submitQueue === undefined) return;
  // It creates Jobs, some of which wait for others, and finds CronJobs for objects of S3.
  keepState(roles.submit, 'BatchWriteItem', 'PutItem', 'Query');
  send(roles.submit, 'wake');
  allow(roles.submit, ['sqs:SendMessage'], [submitQueue.queue.queueArn, submitQueue.dead.queueArn]);
  allow(roles.api, ['sqs:SendMessage'], [submitQueue.queue.queueArn]);
}
