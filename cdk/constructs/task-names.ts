import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import { CfnPrivateDnsNamespace } from 'aws-cdk-lib/aws-servicediscovery';
import { Construct } from 'constructs';

export type TaskNamesProps = {
  /** What every name ends in. */
  readonly zone: string;
  /** Who is in it finds names; nobody else does. */
  readonly vpc: IVpc;
};

/**
 * How long the VPC's resolver remembers that there is no such name. Left to itself that is minutes, for which a program that
 * looks for its peers too early finds nobody (Cloud Map API reference, SOA).
 */
const ABSENT_TTL_SEC = 5;

/**
 * A Cloud Map namespace with a private hosted zone. Services and records in it are made and removed by Muster, one for
 * each index that runs. The zone costs $0.50 a month.
 */
export class TaskNames extends Construct {
  readonly namespaceArn: string;
  readonly namespaceId: string;
  readonly hostedZoneId: string;

  constructor(scope: Construct, id: string, { zone, vpc }: TaskNamesProps) {
    super(scope, id);
    const namespace = new CfnPrivateDnsNamespace(this, 'Namespace', {
      name: zone,
      vpc: vpc.vpcId,
      description: 'Muster: names of tasks',
      properties: { dnsProperties: { soa: { ttl: ABSENT_TTL_SEC } } },
    });
    this.namespaceArn = namespace.attrArn;
    this.namespaceId = namespace.attrId;
    this.hostedZoneId = namespace.attrHostedZoneId;
  }
}
