import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EXEC_ENV } from '../shared/names/env.ts';
import { PORT_DOCUMENT } from '../shared/names/sessions.ts';
import type { HandlerFunction } from './constructs/handler-function.ts';
import type { TaskCluster } from './constructs/task-cluster.ts';

/**
 * Lets people run commands in tasks: what the agent in a container needs of the task's role, what the API asks ECS and Session Manager
 * for, and the variable by which tasks are started so. Without the setting nothing of this is in the template. A role of an account
 * (`taskRoles`) gets these rights from its owner.
 *
 * The four actions of the agent have no resource (Service Authorization Reference, Amazon Session Manager Message Gateway Service).
 */
export function grantExec(
  tasks: TaskCluster,
  { api, dispatch }: Readonly<Record<'api' | 'dispatch', HandlerFunction>>,
): void {
  const stack = Stack.of(tasks);
  tasks.taskRole.addToPolicy(
    new PolicyStatement({
      actions: [
        'ssmmessages:CreateControlChannel',
        'ssmmessages:CreateDataChannel',
        'ssmmessages:OpenControlChannel',
        'ssmmessages:OpenDataChannel',
      ],
      resources: ['*'],
    }),
  );
  const { clusterArn } = tasks.cluster;
  const allow = (actions: string[], resources: string[], conditions = {}): void => {
    api.role.addToPrincipalPolicy(new PolicyStatement({ actions, resources, conditions }));
  };
  allow(['ecs:ExecuteCommand'], [clusterArn, tasks.tasksArn], { ArnEquals: { 'ecs:cluster': clusterArn } });
  const document = stack.formatArn({ service: 'ssm', account: '', resource: 'document', resourceName: PORT_DOCUMENT });
  allow(['ssm:StartSession'], [tasks.tasksArn, document]);
  allow(
    ['ssm:TerminateSession'],
    [stack.formatArn({ service: 'ssm', resource: 'session', resourceName: 'ecs-execute-command-*' })],
  );
  for (const { lambda } of [api, dispatch]) lambda.addEnvironment(EXEC_ENV.exec, 'ENABLED');
}
