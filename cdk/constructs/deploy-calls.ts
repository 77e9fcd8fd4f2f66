import { type CfnResource, Lazy, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Vpc } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Function as AnyFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { AwsCustomResource, type AwsSdkCall, PhysicalResourceId } from 'aws-cdk-lib/custom-resources';
import { Construct } from 'constructs';

/** The one that ECS acts with in an account (ECS developer guide, service-linked roles). */
const ECS_ROLE = 'AWSServiceRoleForECS';
const ECS = 'ecs.amazonaws.com';

/** What IAM, or EC2, answers when a policy denies a call: an organization's, or a permissions boundary. */
const DENIED = 'AccessDenied|UnauthorizedOperation';

/** In the environment of the function: what it may do, a line each. It is for CloudFormation, and nobody reads it. */
const RIGHTS = 'RIGHTS';

/**
 * Calls of AWS for which CloudFormation has no resource, each made once while the stack is deployed, by one function of
 * CDK's own with the rights for these calls alone.
 *
 * IAM needs some seconds to spread a right, and a function that runs goes on with what it knew before. So all rights are in one
 * policy, which is there before the function, and a change of them is a change of the function, too: CloudFormation updates it
 * in between, and it starts anew.
 */
export class DeployCalls extends Construct {
  readonly #role: Role;
  readonly #logGroup: LogGroup;
  readonly #rights: PolicyStatement[] = [];

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_WEEK,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.#logGroup.grantWrite(this.#role);
  }

  /**
   * Makes sure that the account has ECS's role. ECS makes it for the first cluster, and then refuses the cluster, because IAM
   * has not spread the role yet. CloudFormation's own resource refuses an account that has it. Where a policy denies the call, the
   * role may be there nevertheless: if it is not, the cluster says so.
   */
  ecsRole(): Construct {
    const { partition, account } = Stack.of(this);
    const arn = `arn:${partition}:iam::${account}:role/aws-service-role/${ECS}/${ECS_ROLE}`;
    const right = new PolicyStatement({
      actions: ['iam:CreateServiceLinkedRole'],
      resources: [arn],
      conditions: { StringEquals: { 'iam:AWSServiceName': ECS } },
    });
    return this.#once('EcsRole', right, {
      service: 'IAM',
      action: 'createServiceLinkedRole',
      parameters: { AWSServiceName: ECS },
      ignoreErrorCodesMatching: `InvalidInput|${DENIED}`, // it has been taken
      physicalResourceId: PhysicalResourceId.of(ECS_ROLE),
    });
  }

  /**
   * Takes from a VPC's default security group the rules that AWS gives it; nothing of ours is in the group, so where a policy
   * denies it, they stay.
   */
  closeDefaultGroup(vpc: Vpc): void {
    const groupId = vpc.vpcDefaultSecurityGroup;
    const { partition, region, account } = Stack.of(this);
    const resources = [`arn:${partition}:ec2:${region}:${account}:security-group/${groupId}`];
    const rules = {
      Ingress: { IpProtocol: '-1', UserIdGroupPairs: [{ GroupId: groupId, UserId: account }] },
      Egress: { IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
    };
    for (const [direction, rule] of Object.entries(rules)) {
      const right = new PolicyStatement({ actions: [`ec2:RevokeSecurityGroup${direction}`], resources });
      this.#once(`Default${direction}`, right, {
        service: 'EC2',
        action: `revokeSecurityGroup${direction}`,
        parameters: { GroupId: groupId, IpPermissions: [rule] },
        ignoreErrorCodesMatching: `InvalidPermission.NotFound|${DENIED}`,
        physicalResourceId: PhysicalResourceId.of(`${groupId} ${direction}`),
      });
    }
  }

  /**
   * Protects the table against deletion. Not in the template: a first deployment that fails could then not remove the table,
   * and would leave it.
   */
  protectTable(table: TableV2): Construct {
    const right = new PolicyStatement({ actions: ['dynamodb:UpdateTable'], resources: [arnAheadOf(table)] });
    return this.#once('TableProtection', right, {
      service: 'DynamoDB',
      action: 'updateTable',
      parameters: { TableName: table.tableName, DeletionProtectionEnabled: true },
      ignoreErrorCodesMatching: 'ValidationException', // it is protected already
      physicalResourceId: PhysicalResourceId.of('TableProtection'),
    });
  }

  /**
   * Reserves concurrency for a function, which is also its limit, where the account has so much. AWS refuses what leaves less than
   * 100 unreserved, in a new account less than all of its ten, and a policy may deny it; a refusal of what nobody has asked for
   * must not end a deployment.
   */
  reserveIfRoom(lambda: IFunction, concurrency: number): Construct {
    const right = new PolicyStatement({ actions: ['lambda:PutFunctionConcurrency'], resources: [lambda.functionArn] });
    return this.#once('AuthorizerConcurrency', right, {
      service: 'Lambda',
      action: 'putFunctionConcurrency',
      parameters: { FunctionName: lambda.functionName, ReservedConcurrentExecutions: concurrency },
      ignoreErrorCodesMatching: `InvalidParameterValueException|${DENIED}`, // there is no room
      physicalResourceId: PhysicalResourceId.of('AuthorizerConcurrency'),
    });
  }

  #once(id: string, right: PolicyStatement, call: AwsSdkCall): AwsCustomResource {
    this.#role.addToPolicy(right);
    this.#rights.push(right);
    const resource = new AwsCustomResource(this, id, {
      onUpdate: call, // also when it is made
      role: this.#role,
      logGroup: this.#logGroup,
      installLatestAwsSdk: false, // Lambda's own knows these calls, and is there at once
    });
    if (this.#rights.length === 1) this.#startAnewWithRights();
    return resource;
  }

  #startAnewWithRights(): void {
    const id = `AWS${AwsCustomResource.PROVIDER_FUNCTION_UUID.replaceAll('-', '')}`;
    const shared = Stack.of(this).node.findChild(id);
    if (!(shared instanceof AnyFunction)) throw new Error(`${id} is no function: CDK has changed`);
    const line = ({ actions, resources }: PolicyStatement) => [...actions, ...resources].join(' ');
    shared.addEnvironment(RIGHTS, Lazy.string({ produce: () => this.#rights.map(line).join('\n') }));
  }
}

/**
 * The ARN of a table by the name that CloudFormation will give it (stack, logical id, and something random: CloudFormation user
 * guide, "Name type"), so that a right for it can be there before the table.
 */
function arnAheadOf(table: TableV2): string {
  const stack = Stack.of(table);
  const id = stack.getLogicalId(table.node.defaultChild as CfnResource);
  return stack.formatArn({ service: 'dynamodb', resource: 'table', resourceName: `${stack.stackName}-${id}-*` });
}
