import { Aws, CfnCondition, Fn, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import {
  type CfnSubnet,
  FlowLogDestination,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  Port,
  type ISecurityGroup,
  type IVpc,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { FARGATE_ZONE_IDS } from '../fargate-zones.ts';
import type { NetworkSettings } from '../settings.ts';
import type { DeployCalls } from './deploy-calls.ts';

export type TaskNetworkProps = NetworkSettings & {
  /** Tasks have names, so they may connect to each other; without names no task could find another. */
  readonly isTalkative: boolean;
  readonly calls: DeployCalls;
};

/** A /16 in four parts: 16,379 addresses per zone. Each task takes one for its lifetime. */
const CIDR = '10.0.0.0/16';
const SUBNET_MASK = 18;

/**
 * Where tasks run. By default our own VPC with public subnets and no NAT gateway, which would cost $32 a month per zone
 * before the first task runs: tasks connect out through their own public IP, and nothing connects in.
 */
export class TaskNetwork extends Construct {
  readonly vpc: IVpc;
  readonly subnetIds: readonly string[];
  readonly securityGroup: ISecurityGroup;
  readonly assignPublicIp: 'ENABLED' | 'DISABLED';

  constructor(scope: Construct, id: string, settings: TaskNetworkProps) {
    super(scope, id);
    switch (settings.kind) {
      case 'own': {
        const vpc = this.#ownVpc(settings.zones);
        settings.calls.closeDefaultGroup(vpc);
        if (settings.flowLogs) logTraffic(vpc);
        this.vpc = vpc as IVpc; // CDK's types are not written for exactOptionalPropertyTypes, so they do not match
        this.subnetIds = vpc.publicSubnets.map((subnet) => subnet.subnetId);
        this.assignPublicIp = 'ENABLED';
        break;
      }
      case 'given':
        // Only the security group needs it, and only its id: nothing is looked up.
        this.vpc = Vpc.fromVpcAttributes(this, 'Vpc', {
          vpcId: settings.vpcId,
          availabilityZones: [Fn.select(0, Fn.getAzs())],
        });
        this.subnetIds = settings.subnetIds;
        this.assignPublicIp = settings.assignPublicIp;
        break;
    }
    const securityGroup = new SecurityGroup(this, 'Tasks', {
      vpc: this.vpc,
      description: 'Muster tasks: out everywhere, in from one another at most',
      allowAllOutbound: true,
    });
    if (settings.isTalkative) securityGroup.addIngressRule(securityGroup, Port.allTraffic(), 'Tasks of Muster');
    this.securityGroup = securityGroup;
  }

  #ownVpc(zones: number): Vpc {
    const vpc = new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(CIDR),
      // By position, so that synth needs no lookup. A Region with fewer zones refuses the deployment: set `zones`.
      availabilityZones: Array.from({ length: zones }, (_, position) => Fn.select(position, Fn.getAzs())),
      natGateways: 0,
      subnetConfiguration: [
        { name: 'Public', subnetType: SubnetType.PUBLIC, cidrMask: SUBNET_MASK, mapPublicIpOnLaunch: false },
      ],
      restrictDefaultSecurityGroup: false, // DeployCalls does it, without a role that may write to every log
      gatewayEndpoints: {
        // Both are free, and image layers come from S3.
        S3: { service: GatewayVpcEndpointAwsService.S3 },
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    });
    this.#onlyWhereFargateIs(vpc);
    return vpc;
  }

  /** In Regions where Fargate lacks a zone, the subnets are in those that it has, by the zones' ids. */
  #onlyWhereFargateIs(vpc: Vpc): void {
    const regions = Object.keys(FARGATE_ZONE_IDS).map((region) => ({
      zoneIds: FARGATE_ZONE_IDS[region] ?? [],
      isHere: new CfnCondition(this, `In-${region}`, { expression: Fn.conditionEquals(Aws.REGION, region) }),
    }));
    const isPartial = new CfnCondition(this, 'FargateLacksZones', {
      expression: Fn.conditionOr(...regions.map(({ isHere }) => isHere)),
    });
    for (const [position, { node }] of vpc.publicSubnets.entries()) {
      const subnet = node.defaultChild as CfnSubnet;
      const elsewhere = String(subnet.availabilityZone);
      subnet.availabilityZone = Fn.conditionIf(isPartial.logicalId, Aws.NO_VALUE, elsewhere).toString();
      subnet.availabilityZoneId = regions.reduce<string>((otherwise, { zoneIds, isHere }) => {
        const zoneId = zoneIds[position % zoneIds.length] ?? Aws.NO_VALUE;
        return Fn.conditionIf(isHere.logicalId, zoneId, otherwise).toString();
      }, Aws.NO_VALUE);
      Validations.of(subnet).acknowledge({
        id: 'CloudFormation-Validate::F3020',
        reason: 'A condition leaves out the zone, or the zone id.',
      });
    }
  }
}

/** All traffic of tasks, for a month: $0.50 a GB (VPC user guide, flow logs to CloudWatch Logs). */
function logTraffic(vpc: Vpc): void {
  const { account, partition, region } = Stack.of(vpc);
  const logs = new LogGroup(vpc, 'Traffic', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(vpc, 'TrafficRole', {
    assumedBy: new ServicePrincipal('vpc-flow-logs.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: { 'aws:SourceArn': `arn:${partition}:ec2:${region}:${account}:vpc-flow-log/*` },
      },
    }),
  });
  vpc.addFlowLog('FlowLog', { destination: FlowLogDestination.toCloudWatchLogs(logs, role) });
}
