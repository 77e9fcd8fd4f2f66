import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  TransactionCanceledException,
  TransactionConflictException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { invariant, unreachable } from '../../domain/base/invariant.ts';
import { TABLE } from '../../names/table.ts';
import type { Condition } from '../../store/rows/condition.ts';
import type { AlarmRange, Range, Refusal, Rows, Write } from '../../store/rows/row.ts';
import {
  type Item,
  LAYOUT,
  ROW_VERSION,
  alarmIn,
  attribute,
  attributes,
  keyIn,
  keyItem,
  packed,
  rowIn,
} from './dynamo-item.ts';

export type DynamoRowsOptions = {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** How it waits before a lost race is tried again; default: a timer. */
  readonly pause?: (ms: number) => Promise<unknown>;
};

/** One existing table in DynamoDB (see `createTable`) as an engine. The SDK repeats requests that are lost or throttled. */
export const createDynamoRows = ({ client, tableName, pause = (ms) => sleep(ms) }: DynamoRowsOptions): Rows => ({
  async get(keys) {
    const [only] = keys;
    if (only !== undefined && keys.length === 1) {
      const { Item } = await client.send(
        new GetItemCommand({ TableName: tableName, Key: keyItem(only), ConsistentRead: true }),
      );
      return { rows: Item === undefined ? [] : [rowIn(Item)], unread: [] };
    }
    const wanted = { Keys: keys.map(keyItem), ConsistentRead: true };
    const answer = await client.send(new BatchGetItemCommand({ RequestItems: { [tableName]: wanted } }));
    return {
      rows: (answer.Responses?.[tableName] ?? []).map(rowIn),
      unread: (answer.UnprocessedKeys?.[tableName]?.Keys ?? []).map(keyIn),
    };
  },

  async range(range) {
    const request = rangeRequest(tableName, range);
    if (request === null) return { rows: [], next: null };
    const { Items = [], LastEvaluatedKey: last } = await client.send(new QueryCommand(request));
    return { rows: Items.map(rowIn), next: last === undefined ? null : keyIn(last) };
  },

  async write(wanted) {
    try {
      if (wanted.kind === 'put') await client.send(new PutItemCommand(putRequest(tableName, wanted)));
      else if (wanted.kind === 'update') await client.send(new UpdateItemCommand(updateRequest(tableName, wanted)));
      else {
        invariant(wanted.kind === 'delete', 'a check is part of a transaction');
        await client.send(new DeleteItemCommand(keyRequest(tableName, wanted)));
      }
      return null;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return refused(error.Item);
      // Nobody expects that a write without a condition is refused.
      if (error instanceof TransactionConflictException && wanted.condition !== undefined) return CONFLICT;
      throw error;
    }
  },

  async transact(token, writes) {
    const items = writes.map((each) => transactItem(tableName, each));
    try {
      await client.send(new TransactWriteItemsCommand({ ClientRequestToken: token, TransactItems: items }));
      return null;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const refusals = (error.CancellationReasons ?? []).map(({ Code, Item }): Refusal | null => {
        if (Code === 'ConditionalCheckFailed') return refused(Item);
        return Code === 'TransactionConflict' ? CONFLICT : null;
      });
      // Canceled for another reason, such as a throttle: the SDK does not repeat it.
      if (refusals.every((refusal) => refusal === null)) throw error;
      return refusals;
    }
  },

  async batch(writes) {
    const answer = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [tableName]: writes.map(batchItem) } }),
    );
    const left = (answer.UnprocessedItems?.[tableName] ?? []).map(({ PutRequest, DeleteRequest }) =>
      keyIn(PutRequest?.Item ?? DeleteRequest?.Key ?? {}),
    );
    return writes.filter(({ key }) =>
      left.some(({ partition, sort }) => partition === key.partition && sort === key.sort),
    );
  },

  async alarms(range) {
    const { Items = [], LastEvaluatedKey: last } = await client.send(new QueryCommand(alarmRequest(tableName, range)));
    return { alarms: Items.map(alarmIn), next: last === undefined ? null : alarmIn(last) };
  },

  storedBytes: (body) => packed(body).length,
  pause,
  atOnce: 8,
});

const CONFLICT: Refusal = { kind: 'conflict' };
const refused = (item: Item | undefined): Refusal => ({
  kind: 'condition',
  row: item === undefined ? null : rowIn(item),
});

// Requests. Every name has a placeholder, because many of ours are reserved words, which the local engine would not report.

/** null: DynamoDB refuses a range that ends before it begins, and one from or to an empty key, which no row has. */
function rangeRequest(tableName: string, range: Range) {
  const { partition, to, limit, reverse = false, isEventual = false, keysOnly = false, after = null } = range;
  const from = range.from === '' ? '\0' : range.from;
  if (Buffer.compare(Buffer.from(to), Buffer.from(from)) < 0) return null;
  const names = { '#pk': TABLE.partitionKey, '#sk': TABLE.sortKey };
  return {
    TableName: tableName,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :from AND :to',
    ExpressionAttributeNames: keysOnly ? { ...names, '#layout': LAYOUT } : names,
    ExpressionAttributeValues: { ':pk': { S: partition }, ':from': { S: from }, ':to': { S: to } },
    ConsistentRead: !isEventual,
    ...(keysOnly ? { ProjectionExpression: '#pk, #sk, #layout' } : {}),
    ...(reverse ? { ScanIndexForward: false } : {}),
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(after === null ? {} : { ExclusiveStartKey: keyItem(after) }),
  };
}

function alarmRequest(tableName: string, { shard, until, limit, after }: AlarmRange) {
  const { index, shard: shardName, minute } = TABLE.alarms;
  return {
    TableName: tableName,
    IndexName: index,
    KeyConditionExpression: until === null ? '#shard = :shard' : '#shard = :shard AND #minute <= :minute',
    ExpressionAttributeNames: { '#shard': shardName, ...(until === null ? {} : { '#minute': minute }) },
    ExpressionAttributeValues: {
      ':shard': attribute(shard),
      ...(until === null ? {} : { ':minute': attribute(until) }),
    },
    Limit: limit,
    ...(after === null
      ? {}
      : {
          ExclusiveStartKey: {
            [shardName]: attribute(shard),
            [minute]: attribute(after.minute),
            ...keyItem(after.key),
          },
        }),
  };
}

type Of<K extends Write['kind']> = Extract<Write, { readonly kind: K }>;

const putRequest = (tableName: string, wanted: Of<'put'>) => ({
  TableName: tableName,
  Item: itemOf(wanted),
  ...conditionally(wanted),
});

const itemOf = ({ key, fields }: Of<'put'>): Item => ({
  ...keyItem(key),
  [LAYOUT]: attribute(ROW_VERSION),
  ...attributes(fields),
});

const keyRequest = (tableName: string, wanted: Write) => ({
  TableName: tableName,
  Key: keyItem(wanted.key),
  ...conditionally(wanted),
});

function updateRequest(tableName: string, wanted: Of<'update'>) {
  const { set, remove = [] } = wanted;
  // Who only ends the life of a row that exists has not looked at the rest: that may have another layout.
  const endsLife = wanted.condition?.op === 'exists' && Object.keys(set).join() === TABLE.ttl;
  const all: Item = { ...(endsLife ? {} : { [LAYOUT]: attribute(ROW_VERSION) }), ...attributes(set) };
  const assignments = Object.keys(all).map((name) => `#${name} = :${name}`);
  const removal = remove.length === 0 ? '' : ` REMOVE ${remove.map((name) => `#${name}`).join(', ')}`;
  const condition = conditionally(wanted);
  return {
    ...keyRequest(tableName, wanted),
    UpdateExpression: `SET ${assignments.join(', ')}${removal}`,
    ExpressionAttributeNames: {
      ...Object.fromEntries([...Object.keys(all), ...remove].map((name) => [`#${name}`, name])),
      ...condition.ExpressionAttributeNames,
    },
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`:${name}`, value])),
      ...condition.ExpressionAttributeValues,
    },
  };
}

function transactItem(tableName: string, wanted: Write) {
  switch (wanted.kind) {
    case 'put':
      return { Put: putRequest(tableName, wanted) };
    case 'update':
      return { Update: updateRequest(tableName, wanted) };
    case 'delete':
      return { Delete: keyRequest(tableName, wanted) };
    case 'check':
      return { ConditionCheck: { ConditionExpression: undefined, ...keyRequest(tableName, wanted) } };
    default:
      return unreachable(wanted);
  }
}

function batchItem(wanted: Write) {
  if (wanted.kind === 'put') return { PutRequest: { Item: itemOf(wanted) } };
  invariant(wanted.kind === 'delete', 'a batch puts and deletes');
  return { DeleteRequest: { Key: keyItem(wanted.key) } };
}

type Conditionally = Pick<
  UpdateItemCommandInput,
  | 'ConditionExpression'
  | 'ExpressionAttributeNames'
  | 'ExpressionAttributeValues'
  | 'ReturnValuesOnConditionCheckFailure'
>;

/** A write's condition. Its values are numbered: no field is named by a number. */
function conditionally({ condition, returnOld = false }: Write): Conditionally {
  if (condition === undefined) return {};
  const names: Record<string, string> = {};
  const values: Item = {};
  const named = (name: string): string => {
    names[`#${name}`] = name;
    return `#${name}`;
  };
  const text = (each: Condition): string => {
    switch (each.op) {
      case 'absent':
        return `attribute_not_exists(${named(TABLE.partitionKey)})`;
      case 'exists':
        return `attribute_exists(${named(TABLE.partitionKey)})`;
      case 'lacks':
        return `attribute_not_exists(${named(each.field)})`;
      case 'AND':
      case 'OR':
        return each.all.map((part) => ('all' in part ? `(${text(part)})` : text(part))).join(` ${each.op} `);
      case '=':
      case '<':
      case '<=':
      case '>': {
        const value = `:${Object.keys(values).length}`;
        values[value] = attribute(each.value);
        return `${named(each.field)} ${each.op} ${value}`;
      }
    }
  };
  return {
    ConditionExpression: text(condition),
    ExpressionAttributeNames: names,
    // DynamoDB refuses an empty one.
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
    ...(returnOld ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {}),
  };
}
