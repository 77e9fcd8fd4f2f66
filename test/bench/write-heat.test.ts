import {
  type AttributeValue,
  DynamoDBClient,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { rowBytes } from '../support/counting.ts';
import { WriteHeat } from '../support/write-heat.ts';

type Row = Record<string, AttributeValue>;
const TableName = 'muster';
const keyOf = (pk: string, sk: string): Row => ({ pk: { S: pk }, sk: { S: sk } });
const aRow = (pk: string, sk: string, bytes: number): Row => {
  const empty = rowBytes({ ...keyOf(pk, sk), b: { B: new Uint8Array() } });
  return { ...keyOf(pk, sk), b: { B: new Uint8Array(bytes - empty) } };
};
const put = (pk: string, sk: string, bytes: number) => new PutItemCommand({ TableName, Item: aRow(pk, sk, bytes) });

/** A client that asks nobody, and the heat that looks on; `at` sets the clock. */
function aStove() {
  let now = 0;
  const heat = new WriteHeat(() => now);
  const client = new DynamoDBClient({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } });
  client.middlewareStack.add((() => () => Promise.resolve({ response: {}, output: { $metadata: {} } })) as never, {
    step: 'serialize',
    priority: 'high',
  });
  heat.watch(client);
  const at = async (ms: number, ...commands: readonly PutItemCommand[]): Promise<void> => {
    now = ms;
    for (const command of commands) await client.send(command);
  };
  return { heat, at };
}

describe('write units by item and by partition, second by second', () => {
  test('a row costs its size in whole KB, and what it was when it shrinks', async () => {
    const { heat, at } = aStove();
    await at(0, put('JOB#1', 'STATUS', 2_500), put('JOB#1', 'STATUS', 100), put('JOB#1', 'STATUS', 100));
    expect(heat.hottest('item')?.units).toBe(3 + 3 + 1);
    expect(heat.totalUnits).toBe(7);
  });

  test('a second is any second: what lies on both sides of a full one counts together', async () => {
    const { heat, at } = aStove();
    await at(600, put('JOB#1', 'A', 100));
    await at(1_400, put('JOB#1', 'A', 100));
    await at(1_650, put('JOB#1', 'A', 100));
    expect(heat.hottest('item')).toEqual({ key: 'JOB#1 A', units: 2, endedAtMs: 1_400 });
  });

  test('items of one partition add up for it; other partitions do not', async () => {
    const { heat, at } = aStove();
    await at(0, put('JOB#1', 'A', 100), put('JOB#1', 'B', 100), put('TASK#1#000', 'C', 100));
    expect(heat.hottest('item')?.units).toBe(1);
    expect(heat.hottest('partition')).toMatchObject({ key: 'JOB#1', units: 2 });
  });

  test('a transaction costs twice, and entering the index of alarms costs its partition', async () => {
    const { heat, at } = aStove();
    const Update = {
      TableName,
      Key: keyOf('JOB#1', 'STATUS'),
      UpdateExpression: 'SET #alarmShard = :s, #alarmMinute = :m',
      ExpressionAttributeNames: { '#alarmShard': 'alarmShard', '#alarmMinute': 'alarmMinute' },
      ExpressionAttributeValues: { ':s': { N: '2' }, ':m': { N: '7' } },
    };
    const transaction = new TransactWriteItemsCommand({
      TransactItems: [{ Update }, { Put: { TableName, Item: aRow('FEED#Job', '000001', 1_500) } }],
    });
    await at(0, transaction as unknown as PutItemCommand);
    expect(heat.totalUnits).toBe(2 + 2 + 4);
    expect(heat.byKind('partition')).toMatchObject([
      { kind: 'FEED#Job', peak: { units: 4 } },
      { kind: 'JOB#n', peak: { units: 2 } },
      { kind: 'index alarms n', peak: { units: 2 } },
    ]);
    const leave = new UpdateItemCommand({
      ...Update,
      UpdateExpression: 'REMOVE #alarmShard, #alarmMinute',
      ExpressionAttributeValues: {},
    });
    await at(0, leave as unknown as PutItemCommand);
    expect(heat.totalUnits).toBe(8 + 1 + 1);
  });
});
