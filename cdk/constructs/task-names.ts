import type { IVpc } from 'aws-cdk-lib/aws-ec2';
import { CfnPrivateDnsNamespace } from 'aws-cdk-lib/aws-servicediscovery';
import { Construct } from 'constructs';

export type TaskNamesProps = {
  /** The suffix of every name. */
  readonly zone: string;
  /** The VPC whose members can resolve the names. */
  readonly vpc: IVpc;
};

/**
 * How long the VPC's resolver caches that a name does not exist. By default that is minutes, during which a program that
 * looks up its peers too early finds none (Cloud Map API reference, SOA).
 */
const ABSENT_TTL_SEC = 5;

/**
 * A Cloud Map namespace with a private hosted zone. Muster creates and deletes its services and records, one for each
 * running index. The zone costs $0.50 a month.
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
