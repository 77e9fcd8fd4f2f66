import { Fn } from 'aws-cdk-lib';
import {
  GatewayVpcEndpointAwsService,
  IpAddresses,
  Port,
  type ISecurityGroup,
  type IVpc,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import { Construct } from 'constructs';
import type { NetworkSettings } from '../settings.ts';

export type TaskNetworkProps = NetworkSettings & {
  /** Tasks have names, so they may connect to each other; without names no task could find another. */
  readonly isTalkative: boolean;
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
    return new Vpc(this, 'Vpc', {
      ipAddresses: IpAddresses.cidr(CIDR),
      // By position, so that synth needs no lookup. A Region with fewer zones refuses the deployment: set `zones`.
      availabilityZones: Array.from({ length: zones }, (_, position) => Fn.select(position, Fn.getAzs())),
      natGateways: 0,
      subnetConfiguration: [
        { name: 'Public', subnetType: SubnetType.PUBLIC, cidrMask: SUBNET_MASK, mapPublicIpOnLaunch: false },
      ],
      restrictDefaultSecurityGroup: false, // nothing uses it, and closing it takes a function of CDK's own
      gatewayEndpoints: {
        // Both are free, and image layers come from S3.
        S3: { service: GatewayVpcEndpointAwsService.S3 },
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    });
  }
}
