import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetItemCommand, GetItemCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../../names/table.ts';
import { type Row, alive, text } from './dynamo-row.ts';
import type { Table } from './dynamo-write.ts';

/** DynamoDB takes this many keys at once. */
const KEYS_PER_BATCH = 100;
/** What a batch leaves out is requested again this often, with doubled waits: 6 s in total. */
const BATCH_TRIES = 8;
const BATCH_WAIT_MS = 25;

/** The row with this key; null if it does not exist (any more). */
export async function readRow(table: Table, key: Row): Promise<Row | null> {
  const { Item } = await table.client.send(
    new GetItemCommand({ TableName: table.name, Key: key, ConsistentRead: true }),
  );
  return alive(Item, table.now());
}

/** The existing rows for these keys, in any order. Each is read separately: together they may never have been true. */
export async function readRows(table: Table, keys: readonly Row[]): Promise<readonly Row[]> {
  const [only] = keys;
  if (only === undefined) return [];
  if (keys.length === 1) return [await readRow(table, only)].filter((row) => row !== null);
  const found: Row[] = [];
  for (let from = 0; from < keys.length; from += KEYS_PER_BATCH) {
    let rest: Row[] = keys.slice(from, from + KEYS_PER_BATCH);
    for (let nth = 1; rest.length > 0; nth++) {
      const answer = await table.client.send(
        new BatchGetItemCommand({ RequestItems: { [table.name]: { Keys: rest, ConsistentRead: true } } }),
      );
      for (const row of answer.Responses?.[table.name] ?? []) {
        const read = alive(row, table.now());
        if (read !== null) found.push(read);
      }
      rest = answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
      if (rest.length > 0) await pauseOrGiveUp(nth, `${rest.length} rows were not read`);
    }
  }
  return found;
}

/** Waits before try `nth + 1` for the rest of a batch; throws after too many tries. */
export async function pauseOrGiveUp(nth: number, undone: string): Promise<void> {
  if (nth >= BATCH_TRIES) throw new Error(`${undone}: the table is throttled`);
  await sleep(BATCH_WAIT_MS * 2 ** nth);
}

/** Sort keys `from`..`to` (inclusive) of one partition, ascending. */
export const rangeRequest = (tableName: string, partition: string, from: string, to: string) =>
  ({
    TableName: tableName,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#pk': TABLE.partitionKey, '#sk': TABLE.sortKey },
    ExpressionAttributeValues: { ':pk': text(partition), ':from': text(from), ':to': text(to) },
    ConsistentRead: true,
  }) satisfies QueryCommandInput;

/** All rows that a query finds, over as many pages as needed. */
export async function queryAll(table: Table, request: QueryCommandInput): Promise<readonly Row[]> {
  const found: Row[] = [];
  let after: Row | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({ ...request, ...(after === undefined ? {} : { ExclusiveStartKey: after }) }),
    );
    for (const row of answer.Items ?? []) {
      const read = alive(row, table.now());
      if (read !== null) found.push(read);
    }
    after = answer.LastEvaluatedKey;
  } while (after !== undefined);
  return found;
}
