import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type ConsumedCapacity,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';

/** What a client has used of DynamoDB since it was last reset. */
export type Usage = {
  /** Write units, those of refused writes included. */
  writeUnits: number;
  readUnits: number;
  /** Of the write units, those of writes that were refused: a condition that does not hold is charged, too. */
  refusedUnits: number;
  /** HTTP requests by command, the SDK's repeats included. */
  readonly requests: Map<string, number>;
};

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'Scan', 'TransactGetItems']);
const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem', 'TransactWriteItems']);

/**
 * Counts what this client uses from now on. Units are what DynamoDB (or the engine, whose figures a test compares with
 * AWS's rules) reports of every answer; of a refusal nothing is reported, so that is worked out here from the row that
 * was in the way.
 */
export function countUsage(client: DynamoDBClient): { readonly usage: Usage; readonly reset: () => void } {
  const usage: Usage = { writeUnits: 0, readUnits: 0, refusedUnits: 0, requests: new Map() };
  const ask = (next: Send, context: Context) => async (args: Sent) => {
    const command = nameOf(context);
    const counted = READS.has(command) || WRITES.has(command);
    if (!counted) return next(args);
    try {
      const answered = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const units = unitsIn(answered.output.ConsumedCapacity);
      if (READS.has(command)) usage.readUnits += units;
      else usage.writeUnits += units;
      return answered;
    } catch (error) {
      const units = refusedUnits(error);
      usage.refusedUnits += units;
      usage.writeUnits += units;
      throw error;
    }
  };
  const count = (next: Send, context: Context) => async (args: Sent) => {
    const command = nameOf(context);
    usage.requests.set(command, (usage.requests.get(command) ?? 0) + 1);
    return next(args);
  };
  client.middlewareStack.add(ask as never, { step: 'initialize', name: 'askForUnits' });
  client.middlewareStack.add(count as never, { step: 'finalizeRequest', priority: 'low', name: 'countRequests' });
  return {
    usage,
    reset() {
      Object.assign(usage, { writeUnits: 0, readUnits: 0, refusedUnits: 0 });
      usage.requests.clear();
    },
  };
}

/** Steps of the SDK's, as far as this needs them. */
type Context = Record<string, unknown>;
type Sent = { readonly input: object };
type Answered = { readonly output: { readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[] } };
type Send = (args: Sent) => Promise<Answered>;

const nameOf = (context: Context): string => String(context['commandName']).replace(/Command$/, '');

const unitsIn = (consumed: ConsumedCapacity | readonly ConsumedCapacity[] | undefined): number =>
  [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

/** The row's size in whole KB, at least 1; twice for each row of a transaction (aws.md 2.2). */
function refusedUnits(error: unknown): number {
  if (error instanceof ConditionalCheckFailedException) return unitsOf(error.Item);
  if (!(error instanceof TransactionCanceledException)) return 0;
  return (error.CancellationReasons ?? []).reduce((sum, { Item }) => sum + 2 * unitsOf(Item), 0);
}

type Row = Record<string, AttributeValue>;
const unitsOf = (row: Row | undefined): number => Math.max(1, Math.ceil(rowBytes(row ?? {}) / 1024));

/** Names and values; a number takes a byte for two digits and one more (DynamoDB guide, "item sizes"). */
export const rowBytes = (row: Row): number =>
  Object.entries(row).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

function valueBytes({ S, N, B }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (B !== undefined) return B.length;
  const digits = (N ?? '').replace(/^-?0*|[.]|0*$/g, '').length;
  return 1 + Math.ceil(digits / 2);
}
