import { Stack } from 'aws-cdk-lib';
import { CfnSecurityGroupIngress } from 'aws-cdk-lib/aws-ec2';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { HandlerFunction } from './constructs/handler-function.ts';
import type { TaskCluster } from './constructs/task-cluster.ts';
import type { TaskNetwork } from './constructs/task-network.ts';
import type { FileSystemSetting } from './setting-fields.ts';
import { DISPATCH_ENV } from '../shared/names/env.ts';

// What tasks need for files that stay. Without the settings efs and ebs nothing of this is in the template.

/** On which mount targets of EFS listen. */
const NFS_PORT = 2049;

/**
 * Lets tasks mount these file systems with the stack's role, through a mount target, and reach the targets whose group is given. A
 * role of an account (`taskRoles`) gets its rights from its owner. Each file system has a statement of its own, because not
 * all of them let tasks be root.
 */
export function grantFileSystems(
  systems: readonly FileSystemSetting[],
  { tasks, network }: { readonly tasks: TaskCluster; readonly network: TaskNetwork },
): void {
  const stack = Stack.of(tasks);
  for (const { id, asRoot } of systems)
    tasks.taskRole.addToPolicy(
      new PolicyStatement({
        actions: [
          'elasticfilesystem:ClientMount',
          'elasticfilesystem:ClientWrite',
          ...(asRoot ? ['elasticfilesystem:ClientRootAccess'] : []),
        ],
        resources: [stack.formatArn({ service: 'elasticfilesystem', resource: 'file-system', resourceName: id })],
        conditions: { Bool: { 'elasticfilesystem:AccessedViaMountTarget': 'true' } },
      }),
    );
  const groups = new Set(systems.flatMap(({ securityGroupId }) => securityGroupId ?? []));
  for (const groupId of groups)
    new CfnSecurityGroupIngress(network, `Nfs-${groupId}`, {
      groupId,
      description: 'Tasks of Muster mount EFS',
      ipProtocol: 'tcp',
      fromPort: NFS_PORT,
      toPort: NFS_PORT,
      sourceSecurityGroupId: network.securityGroup.securityGroupId,
    });
}

/** Makes and attaches volumes while a task starts (ECS developer guide, Amazon ECS infrastructure IAM role). */
const ECS_SERVICE = 'ecs.amazonaws.com';

/** A role with which ECS makes volumes of EBS for tasks: dispatch may pass it, and has its name as a variable. */
export function grantVolumes(tasks: TaskCluster, dispatch: HandlerFunction): void {
  const { account, partition, region } = Stack.of(tasks);
  const role = new Role(tasks, 'VolumeRole', {
    description: 'Lets ECS make volumes of EBS for Muster tasks',
    assumedBy: new ServicePrincipal(ECS_SERVICE, {
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: { 'aws:SourceArn': `arn:${partition}:ecs:${region}:${account}:*` },
      },
    }),
    managedPolicies: [
      ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonECSInfrastructureRolePolicyForVolumes'),
    ],
  });
  dispatch.role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [role.roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': ECS_SERVICE } },
    }),
  );
  dispatch.lambda.addEnvironment(DISPATCH_ENV.volumeRoleArn, role.roleArn);
}
