import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  TransactionCanceledException,
  TransactionConflictException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { EpochMs } from '../../../domain/base/time.ts';
import { ATTRIBUTE, type Row, ROW_VERSION, number } from './dynamo-row.ts';

/** The table, and what writes need in addition. */
export type Table = {
  readonly client: DynamoDBClient;
  readonly name: string;
  readonly now: () => EpochMs;
  /** Text of 8 to 36 characters that is used only once: names one write, to recognize it. */
  readonly newToken: () => string;
  /** Resolves after this many ms: before a lost race is retried. */
  readonly sleep: (ms: number) => Promise<unknown>;
};

export type Condition = { readonly expression: string; readonly values?: Row };

/** What a write is conditional on: the row's version, where 0 means that there is no row yet. */
export const versionIs = (version: number): Condition =>
  version === 0
    ? { expression: 'attribute_not_exists(#pk)' }
    : { expression: '#version = :was', values: { ':was': number(version) } };

type Change = {
  readonly key: Row;
  readonly set: Row;
  readonly remove?: readonly string[];
  readonly condition: Condition;
  /** The loser gets the current row at no cost. */
  readonly returnOld?: boolean;
};

/**
 * Sets and removes whole attributes; the row's other attributes stay, above all its ttl. Every name has a placeholder, because
 * many of ours are reserved words, which the local engine would not report.
 */
export function change(tableName: string, { key, set, remove = [], condition, returnOld = false }: Change) {
  const all: Row = { [ATTRIBUTE.layout]: number(ROW_VERSION), ...set };
  const assignments = Object.keys(all).map((name) => `#${name} = :${name}`);
  const removal = remove.length === 0 ? '' : ` REMOVE ${remove.map((name) => `#${name}`).join(', ')}`;
  const named = [...Object.keys(all), ...remove, ...namesIn(condition.expression)];
  return {
    TableName: tableName,
    Key: key,
    UpdateExpression: `SET ${assignments.join(', ')}${removal}`,
    ConditionExpression: condition.expression,
    ExpressionAttributeNames: Object.fromEntries(named.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`:${name}`, value])),
      ...condition.values,
    },
    ...(returnOld ? ({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const) : {}),
  } satisfies UpdateItemCommandInput;
}

const namesIn = (expression: string): readonly string[] =>
  [...expression.matchAll(/#(\w+)/g)].map(([, name]) => name ?? '');

/** Why one write (of a transaction) was not carried out; null: it was, or would have been without the others. */
export type Refusal =
  /** The condition failed. `row`: the existing row, if requested. */
  | { readonly kind: 'condition'; readonly row: Row | null }
  /** A transaction on the same row was in progress; whether it will succeed is unknown. */
  | { readonly kind: 'conflict' };

/** Carries out one conditional write; null when it is done. Throws if the SDK's retries are throttled. */
export async function sendUpdate(client: DynamoDBClient, input: UpdateItemCommandInput): Promise<Refusal | null> {
  try {
    await client.send(new UpdateItemCommand(input));
    return null;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return { kind: 'condition', row: error.Item ?? null };
    if (error instanceof TransactionConflictException) return { kind: 'conflict' };
    throw error;
  }
}

/**
 * Carries out all writes or none; null when they are done, otherwise a refusal (or null) for each, in order. Throws for a
 * transaction that was canceled for another reason, such as a throttle: the SDK does not repeat it.
 */
export async function sendTransaction(
  client: DynamoDBClient,
  input: TransactWriteItemsCommandInput,
): Promise<readonly (Refusal | null)[] | null> {
  try {
    await client.send(new TransactWriteItemsCommand(input));
    return null;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const refusals = (error.CancellationReasons ?? []).map(({ Code, Item }): Refusal | null => {
      if (Code === 'ConditionalCheckFailed') return { kind: 'condition', row: Item ?? null };
      return Code === 'TransactionConflict' ? { kind: 'conflict' } : null;
    });
    if (refusals.every((refusal) => refusal === null)) throw error;
    return refusals;
  }
}

/**
 * The row was made by the write named `token`. So a repeat by the SDK after a lost answer does not count as a lost race. The
 * content is not compared: two passes may decide the same at the same moment, and only one of them won.
 */
export const isBy = (refusal: Refusal | null | undefined, token: string): boolean =>
  refusal?.kind === 'condition' && refusal.row?.[ATTRIBUTE.by]?.S === token;

/** A transaction takes milliseconds; after 1.2 s, it is a different one each time. */
const CONFLICT_TRIES = 7;
const CONFLICT_WAIT_MS = 10;

/** Repeats `work` while it conflicts with transactions in progress. Throws after too many tries. */
export async function retryOnTransactionConflict<T>(what: string, work: () => Promise<T | 'conflict'>): Promise<T> {
  for (let nth = 0; nth < CONFLICT_TRIES; nth++) {
    const outcome = await work();
    if (outcome !== 'conflict') return outcome;
    await sleep(CONFLICT_WAIT_MS * 2 ** nth);
  }
  throw new Error(`${what}: other transactions were in the way ${CONFLICT_TRIES} times`);
}

/** This many requests of one call are in progress at once. */
const AT_ONCE = 8;

/** Calls `work` for every item, a few at a time. */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}
