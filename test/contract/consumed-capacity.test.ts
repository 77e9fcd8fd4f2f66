import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTable } from '../../shared/adapters/aws/dynamodb/dynamo-table.ts';
import { type Usage, countUsage, rowBytes } from '../support/counting.ts';
import { aClient, endpoint, stopEngineAfterwards } from './dynamo-fixture.ts';

stopEngineAfterwards();

const TableName = 'metered';
type Row = Record<string, AttributeValue>;
const keyOf = (sort: string): Row => ({ pk: { S: 'a' }, sk: { S: sort } });
/** A row of exactly so many bytes. */
const aRow = (sort: string, bytes: number): Row => {
  const empty = rowBytes({ ...keyOf(sort), b: { B: new Uint8Array() } });
  return { ...keyOf(sort), b: { B: new Uint8Array(bytes - empty) } };
};
const put = (sort: string, bytes: number) => new PutItemCommand({ TableName, Item: aRow(sort, bytes) });
const get = (sort: string, ConsistentRead: boolean) =>
  new GetItemCommand({ TableName, Key: keyOf(sort), ConsistentRead });
const alarm = (minute: number | null) =>
  new UpdateItemCommand({
    TableName,
    Key: keyOf('alarmed'),
    ExpressionAttributeNames: { '#m': 'alarmMinute', '#s': 'alarmShard' },
    ...(minute === null
      ? { UpdateExpression: 'REMOVE #m, #s' }
      : { UpdateExpression: 'SET #m = :m, #s = :m', ExpressionAttributeValues: { ':m': { N: String(minute) } } }),
  });
const query = (partition: string) =>
  new QueryCommand({
    TableName,
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: { '#pk': 'pk' },
    ExpressionAttributeValues: { ':pk': { S: partition } },
    ConsistentRead: true,
  });

type AnyCommand =
  | BatchGetItemCommand
  | BatchWriteItemCommand
  | DeleteItemCommand
  | GetItemCommand
  | PutItemCommand
  | QueryCommand
  | TransactWriteItemsCommand
  | UpdateItemCommand;

/** AWS's rules (aws.md 2.2), one step after the other on one table. */
const STEPS: readonly (readonly [string, AnyCommand, Partial<Usage>])[] = [
  ['a write of 1,024 bytes', put('kb', 1_024), { writeUnits: 1 }],
  ['a write of one byte more', put('more', 1_025), { writeUnits: 2 }],
  ['a write that shrinks a row', put('more', 100), { writeUnits: 2 }],
  ['a write of 3,000 bytes', put('three', 3_000), { writeUnits: 3 }],
  ['a row that enters the index', alarm(1), { writeUnits: 2 }],
  ['one that stays where it is in the index', alarm(1), { writeUnits: 1 }],
  ['one that moves in the index', alarm(2), { writeUnits: 3 }],
  ['one that leaves the index', alarm(null), { writeUnits: 2 }],
  [
    'a transaction, twice what its writes cost',
    new TransactWriteItemsCommand({
      TransactItems: [{ Put: { TableName, Item: aRow('t1', 100) } }, { Put: { TableName, Item: aRow('t2', 1_025) } }],
    }),
    { writeUnits: 6 },
  ],
  [
    'a batch, what its writes cost',
    new BatchWriteItemCommand({
      RequestItems: {
        [TableName]: [{ PutRequest: { Item: aRow('b1', 100) } }, { PutRequest: { Item: aRow('b2', 1_025) } }],
      },
    }),
    { writeUnits: 3 },
  ],
  ['a consistent read', get('kb', true), { readUnits: 1 }],
  ['another read', get('kb', false), { readUnits: 0.5 }],
  ['a read of what is not there', get('nothing', true), { readUnits: 1 }],
  ['a read of 3,000 bytes', get('three', true), { readUnits: 1 }],
  [
    'a batch of reads, each by itself',
    new BatchGetItemCommand({
      RequestItems: { [TableName]: { ConsistentRead: true, Keys: ['kb', 'three', 'nothing'].map(keyOf) } },
    }),
    { readUnits: 3 },
  ],
  ['a query, by the sum of its rows, 6.4 KB', query('a'), { readUnits: 2 }],
  ['a query that finds nothing', query('b'), { readUnits: 1 }],
  ['a deletion', new DeleteItemCommand({ TableName, Key: keyOf('three') }), { writeUnits: 3 }],
];

describe.skipIf(endpoint === null)('what the engine says it has used is what AWS would charge', () => {
  const client = aClient();
  const { usage, reset } = countUsage(client);
  beforeAll(async () => createTable(client, TableName));

  test('step by step', async () => {
    for (const [what, command, expected] of STEPS) {
      reset();
      await client.send(command as PutItemCommand); // any overload will do
      expect({ what, writeUnits: usage.writeUnits, readUnits: usage.readUnits }).toEqual({
        what,
        writeUnits: 0,
        readUnits: 0,
        ...expected,
      });
      expect([...usage.requests.values()]).toEqual([1]);
    }
  });

  test('a refused write costs as much as the existing row, although the answer does not report it', async () => {
    await client.send(put('there', 2_500));
    reset();
    const refused = new PutItemCommand({
      TableName,
      Item: aRow('there', 100),
      ConditionExpression: 'attribute_not_exists(#pk)',
      ExpressionAttributeNames: { '#pk': 'pk' },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    await expect(client.send(refused)).rejects.toThrow('conditional request failed');
    expect(usage).toMatchObject({ writeUnits: 3, refusedUnits: 3 });
    reset();
    const { input } = refused;
    const transaction = new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { ...input, Item: aRow('there', 100), TableName } },
        { Put: { TableName, Item: aRow('beside', 100) } },
      ],
    });
    await expect(client.send(transaction)).rejects.toThrow('cancelled');
    expect(usage).toMatchObject({ writeUnits: 8, refusedUnits: 8 });
  });
});

describe('sizes of rows', () => {
  test.each([
    ['0', 1],
    ['7', 2],
    ['100', 2],
    ['-12.5', 3],
    ['123456789012', 7],
    ['1800000000000', 2],
  ])('the number %s takes %i bytes', (n, bytes) => {
    expect(rowBytes({ n: { N: n } })).toBe(1 + bytes);
  });
});
