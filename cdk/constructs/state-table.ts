import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { TABLE } from '../../shared/names/table.ts';

/**
 * The only table: specs, boards, launches, records, names, and the feed. It is the source of truth, so it is protected
 * against accidental deletion.
 */
export class StateTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      billing: Billing.onDemand(), // costs nothing when idle, and a Job of 100,000 needs no planning
      timeToLiveAttribute: TABLE.ttl,
      globalSecondaryIndexes: [
        {
          indexName: TABLE.alarms.index,
          partitionKey: { name: TABLE.alarms.shard, type: AttributeType.NUMBER },
          sortKey: { name: TABLE.alarms.minute, type: AttributeType.NUMBER },
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /** ARN of the index of due alarms. */
  get alarmIndexArn(): string {
    return `${this.table.tableArn}/index/${TABLE.alarms.index}`;
  }
}
