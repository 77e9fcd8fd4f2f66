import { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITableV2, ProjectionType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { TABLE } from '../../shared/names/table.ts';

/**
 * The only table: specs, boards, launches, records, names, and the feed. It is the source of truth, so it is protected
 * against accidental deletion. One that is given, after a restore or from an earlier stack, is used as it is: its operator has to
 * turn on what CloudFormation does not own (docs/restore.md).
 */
export class StateTable extends Construct {
  readonly table: Pick<ITableV2, 'tableArn' | 'tableName'>;
  /** The stack's own table; null: it was given, and its operator protects it. */
  readonly own: TableV2 | null;

  /** @param given the name of an existing table of this account and Region; null: the stack has its own */
  constructor(scope: Construct, id: string, given: string | null) {
    super(scope, id);
    if (given !== null) {
      this.table = TableV2.fromTableAttributes(this, 'Given', {
        tableName: given,
        globalIndexes: [TABLE.alarms.index],
      });
      this.own = null;
      return;
    }
    this.own = new TableV2(this, 'Table', {
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
      // Kept when the stack goes, but not when the deployment that makes it fails: see DeployCalls.protectTable.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.table = this.own;
  }

  /** ARN of the index of due alarms. */
  get alarmIndexArn(): string {
    return `${this.table.tableArn}/index/${TABLE.alarms.index}`;
  }
}
