import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import { Cluster, ContainerInsights } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { CONFIG_MAP_PARAMETERS, SECRET_PREFIX } from '../../shared/names/secrets.ts';

export type TaskClusterProps = {
  readonly vpc: IVpc;
  readonly logsKept: RetentionDays;
};

/** The only service that may receive the tasks' roles. */
export const TASKS_SERVICE = 'ecs-tasks.amazonaws.com';

/** Where and as what tasks run: the cluster, the log group for their output, and two roles. */
export class TaskCluster extends Construct {
  readonly cluster: Cluster;
  readonly logGroup: LogGroup;
  /** Used by Fargate before the container starts: to pull the image and write the log. */
  readonly executionRole: Role;
  /** Used by the container. Has no permissions: attach what your tasks need. */
  readonly taskRole: Role;

  constructor(scope: Construct, id: string, { vpc, logsKept }: TaskClusterProps) {
    super(scope, id);
    this.cluster = new Cluster(this, 'Cluster', {
      vpc,
      enableFargateCapacityProviders: true,
      containerInsightsV2: ContainerInsights.DISABLED, // billed by task; an account may have it on by default
    });
    this.logGroup = new LogGroup(this, 'Log', {
      retention: logsKept,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.executionRole = this.#executionRole();
    this.taskRole = new Role(this, 'TaskRole', {
      description: 'What Muster tasks may do: nothing, until you attach a policy',
      assumedBy: this.#ourTasks(),
    });
  }

  /** ARN pattern of every task in the cluster. */
  get tasksArn(): string {
    return Stack.of(this).formatArn({
      service: 'ecs',
      resource: 'task',
      resourceName: `${this.cluster.clusterName}/*`,
    });
  }

  /** ECS for tasks of this account and Region: with another account's tasks it would be a confused deputy. */
  #ourTasks(): ServicePrincipal {
    const { account, partition, region } = Stack.of(this);
    return new ServicePrincipal(TASKS_SERVICE, {
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: { 'aws:SourceArn': `arn:${partition}:ecs:${region}:${account}:*` },
      },
    });
  }

  /** Narrower than AWS's managed policy, which may write to every log group of the account. */
  #executionRole(): Role {
    const role = new Role(this, 'ExecutionRole', { assumedBy: this.#ourTasks() });
    this.logGroup.grantWrite(role);
    role.addToPolicy(
      new PolicyStatement({
        // Reads only. Images may come from any repository, also of other accounts, whose own policies decide.
        actions: [
          'ecr:GetAuthorizationToken',
          'ecr:BatchCheckLayerAvailability',
          'ecr:GetDownloadUrlForLayer',
          'ecr:BatchGetImage',
        ],
        resources: ['*'],
      }),
    );
    // Only what Pod templates name as Secrets and ConfigMaps.
    const stack = Stack.of(this);
    role.addToPolicy(
      new PolicyStatement({
        actions: ['secretsmanager:GetSecretValue'],
        resources: [
          stack.formatArn({
            service: 'secretsmanager',
            resource: 'secret',
            resourceName: `${SECRET_PREFIX}*`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ],
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: ['ssm:GetParameters'],
        // Not the key of all Secrets, which lies beside them.
        resources: [stack.formatArn({ service: 'ssm', resource: `parameter${CONFIG_MAP_PARAMETERS}` })],
      }),
    );
    return role;
  }
}
