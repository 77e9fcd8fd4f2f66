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
import type { EpochMs } from '../../domain/brand.ts';
import { ATTRIBUTE, type Row, ROW_VERSION, number } from './dynamo-row.ts';

/** Where rows are, and what a write needs beside them. */
export type Table = {
  readonly client: DynamoDBClient;
  readonly name: string;
  readonly now: () => EpochMs;
  /** Text of 8 to 36 characters that nobody else has: names one write, so that it is known again. */
  readonly newToken: () => string;
  /** Resolves after so many ms: before a race that was lost is run again. */
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
  /** The loser gets the row as it is, for nothing. */
  readonly tellLoser?: boolean;
};

/**
 * Sets and removes whole attributes; what else the row has stays, above all its ttl. Every name is behind a
 * placeholder, for many of ours are reserved words, which an engine of our own would not tell.
 */
export function change(tableName: string, { key, set, remove = [], condition, tellLoser = false }: Change) {
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
    ...(tellLoser ? ({ ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const) : {}),
  } satisfies UpdateItemCommandInput;
}

const namesIn = (expression: string): readonly string[] =>
  [...expression.matchAll(/#(\w+)/g)].map(([, name]) => name ?? '');

/** Why one write (of a transaction) was not carried out; null: it was, or would have been but for the others. */
export type Refusal =
  /** The condition does not hold. `row`: what is there instead, where asked for. */
  | { readonly kind: 'condition'; readonly row: Row | null }
  /** A transaction on the same row was under way; whether it will succeed is open. */
  | { readonly kind: 'conflict' };

/** Carries out one conditional write; null when it is done. Throttles, after the SDK's repeats, are thrown. */
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
 * Carries out all writes or none; null when they are done, else a refusal (or null) for each in order. A transaction
 * that was cancelled for another reason, such as a throttle, is thrown: the SDK does not repeat it.
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
 * The row was made by the write named `token`. So a repeat by the SDK, after an answer that was lost, is not taken for
 * a lost race. Not the content is compared: two passes may decide the same at the same moment, and only one of them won.
 */
export const isBy = (refusal: Refusal | null | undefined, token: string): boolean =>
  refusal?.kind === 'condition' && refusal.row?.[ATTRIBUTE.by]?.S === token;

/** A transaction takes milliseconds; one that is in the way for 1.2 s is another one each time. */
const CONFLICT_TRIES = 7;
const CONFLICT_WAIT_MS = 10;

/** Repeats `work` while it meets transactions under way. Throws when it has met them too often. */
export async function patiently<T>(what: string, work: () => Promise<T | 'conflict'>): Promise<T> {
  for (let nth = 0; nth < CONFLICT_TRIES; nth++) {
    const outcome = await work();
    if (outcome !== 'conflict') return outcome;
    await sleep(CONFLICT_WAIT_MS * 2 ** nth);
  }
  throw new Error(`${what}: other transactions were in the way ${CONFLICT_TRIES} times`);
}

/** So many requests of one call are under way at once. */
const AT_ONCE = 8;

/** Does `work` for every item, a few at a time. */
export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}
