import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../../names/table.ts';

/** A new table exists within seconds; the local engine has it at once. */
const ACTIVE_WITHIN_SEC = 60;

/**
 * The one table, as the stack defines it too (a test compares them): partition and sort key, pay per request, and the index of
 * alarms.
 *
 * Alarms are an index over STATUS and not separate rows, because a separate row would be one more write per commit, while an
 * index is written (and billed) only when one of its keys changes. Its keys are the alarm's minute and a shard, so it is
 * written at most about once per minute and Job, however often the alarm moves within that minute. It is sparse (a Job that
 * waits for nothing is not in it) and holds keys only, so other changes of STATUS do not reach it. Four shards spread the
 * alarms of one minute: a throttled index would throttle the table (aws.md 2.2).
 */
export const tableDefinition = (name: string) =>
  ({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [
      { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
      { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: TABLE.partitionKey, AttributeType: 'S' },
      { AttributeName: TABLE.sortKey, AttributeType: 'S' },
      { AttributeName: TABLE.alarms.shard, AttributeType: 'N' },
      { AttributeName: TABLE.alarms.minute, AttributeType: 'N' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: TABLE.alarms.index,
        KeySchema: [
          { AttributeName: TABLE.alarms.shard, KeyType: 'HASH' },
          { AttributeName: TABLE.alarms.minute, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ],
  }) satisfies CreateTableCommandInput;

/** Creates the table unless it exists, and resolves when it can be used. For the embedded runtime and for tests. */
export async function createTable(client: DynamoDBClient, name: string): Promise<void> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(name)));
  } catch (error) {
    if (error instanceof ResourceInUseException) return;
    throw error;
  }
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  if (Table?.TableStatus !== 'ACTIVE') {
    await waitUntilTableExists({ client, maxWaitTime: ACTIVE_WITHIN_SEC, minDelay: 1 }, { TableName: name });
  }
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: TABLE.ttl, Enabled: true },
    }),
  );
}
