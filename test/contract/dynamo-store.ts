import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoStore } from '../../shared/runtime/dynamo-store.ts';
import { createTable } from '../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import type { DeadLetterStore } from '../../shared/ports/dead-letters.ts';
import { HandClock, RETENTION_MS, type StoreUnderTest } from './store-under-test.ts';

let tables = 0;

/** The DynamoDB store on its own table, through `client` when the table exists. */
export async function makeDynamoStore(
  client: DynamoDBClient,
): Promise<StoreUnderTest & { readonly deadLetters: DeadLetterStore; readonly tableName: string }> {
  const tableName = `muster-${++tables}`;
  await createTable(client, tableName);
  const clock = new HandClock();
  const stores = createDynamoStore({ client, tableName, now: clock.now, feedRetentionMs: RETENTION_MS });
  return { ...stores, clock, tableName };
}
