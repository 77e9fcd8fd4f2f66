import { Stack } from 'aws-cdk-lib';
import { type Conditions, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { HandlerName } from './constructs/handler-function.ts';
import type { StateTable } from './constructs/state-table.ts';
import { type TaskCluster, TASKS_SERVICE } from './constructs/task-cluster.ts';
import type { WorkQueue } from './constructs/work-queue.ts';

export type QueueName = 'wake' | 'facts' | 'dispatch';

export type World = {
  readonly roles: Readonly<Record<HandlerName, IRole>>;
  readonly state: StateTable;
  readonly queues: Readonly<Record<QueueName, WorkQueue>>;
  readonly tasks: TaskCluster;
  /** Roles that service accounts stand for, beside the stack's own. */
  readonly taskRoleArns: readonly string[];
};

/** Task definitions are registered by us, one family a template (`muster-<hash>`), and no others are run. */
const FAMILIES = 'muster-*';

/** What every function does with the table. A transaction needs the rights of the writes in it; the table is never scanned. */
const STATE_ACTIONS = ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:UpdateItem'];

/**
 * The reference lists `task-definition` as this action's resource, and its condition keys. What people report of accounts says
 * that AWS asks for `*`; so what is registered is limited, not its name. A key that AWS leaves out refuses nothing.
 */
const REGISTERED: Conditions = {
  'ForAllValues:StringEquals': { 'ecs:compute-compatibility': 'FARGATE' },
  StringEqualsIfExists: { 'ecs:privileged': 'false' },
};

/**
 * What each function may do beyond writing its own log and draining its own queues: all of it is on this page.
 * Actions that write name what they write to, but for one. Where AWS has no resource to name is reading:
 * DescribeTaskDefinition, and ListTasks, which is held to the cluster by a condition instead
 * (Service Authorization Reference, Amazon ECS).
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
  const bury = (role: IRole, ...names: QueueName[]) =>
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

  keepState(roles.api, 'ConditionCheckItem', 'PutItem', 'Query');
  send(roles.api, 'wake', 'facts'); // a fact: that a user has deleted a Pod
  allow(roles.api, ['logs:GetLogEvents'], [tasks.logGroup.logGroupArn]);
  // The doctor looks at what is due, at tasks, and at how full the queues are.
  allow(roles.api, ['dynamodb:Query'], [state.alarmIndexArn]);
  lookAtTasks(roles.api);
  allow(
    roles.api,
    ['sqs:GetQueueAttributes'],
    Object.values(queues).flatMap(({ queue, dead }) => [queue.queueArn, dead.queueArn]),
  );

  keepState(roles.reconcile, 'BatchWriteItem', 'PutItem'); // history is written in batches
  send(roles.reconcile, 'wake', 'facts', 'dispatch');
  bury(roles.reconcile, 'wake', 'facts');

  keepState(roles.dispatch, 'Query');
  send(roles.dispatch, 'facts', 'dispatch');
  bury(roles.dispatch, 'dispatch');
  lookAtTasks(roles.dispatch);
  allow(roles.dispatch, ['ecs:RunTask'], [`${definitions}:*`], cluster); // a revision is always named
  allow(roles.dispatch, ['ecs:StopTask'], [tasks.tasksArn], cluster);
  allow(roles.dispatch, ['ecs:RegisterTaskDefinition'], ['*'], REGISTERED);
  allow(roles.dispatch, ['ecs:DescribeTaskDefinition'], ['*']);
  allow(roles.dispatch, ['iam:PassRole'], [tasks.executionRole.roleArn, tasks.taskRole.roleArn, ...taskRoleArns], {
    StringEquals: { 'iam:PassedToService': TASKS_SERVICE },
  });

  allow(roles.sweep, ['dynamodb:Query'], [state.alarmIndexArn]); // it finds Jobs and wakes them
  keepState(roles.sweep, 'PutItem', 'Query'); // and goes on with what is left of a namespace that is being deleted
  send(roles.sweep, 'wake', 'dispatch'); // all live tasks, and names, are looked at by dispatch
  allow(
    roles.sweep,
    ['sqs:ReceiveMessage', 'sqs:DeleteMessage'],
    Object.values(queues).map(({ dead }) => dead.queueArn),
  ); // files dead letters
}
