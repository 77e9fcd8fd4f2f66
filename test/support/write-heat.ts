import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../shared/names/table.ts';
import { rowBytes } from './counting.ts';

type Row = Record<string, AttributeValue>;
type Level = 'item' | 'partition';

/** The most that any one second has cost one item or one partition key. */
export type Peak = { readonly key: string; readonly units: number; readonly endedAtMs: number };

/**
 * Write units by item and by partition key, second by second, as DynamoDB charges them: the larger of the row before and
 * after in whole KB, twice in a transaction, refused writes too, and writes to the index of alarms on the index's own
 * partitions (aws.md 2.1 and 2.2). A second is any second, not one of the clock's. Rows are known by what these clients
 * wrote: one that was there before counts as 1 KB until it is written again.
 */
export class WriteHeat {
  readonly #now: () => number;
  readonly #known = new Map<string, { readonly units: number; readonly alarm: string | null }>();
  readonly #windows: Record<Level, Map<string, Window>> = { item: new Map(), partition: new Map() };
  readonly #peaks: Record<Level, Map<string, Peak>> = { item: new Map(), partition: new Map() };
  #total = 0;
  #forgottenAtMs = 0;

  /** @param now milliseconds; of all clients together */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts what this client writes from now on. */
  watch(client: DynamoDBClient): void {
    const heat = (next: Send, context: Context) => async (args: Sent) => {
      const writes = writesIn(String(context['commandName']), args.input as Input);
      try {
        const answered = await next(args);
        const unprocessed = new Set(
          Object.values(answered.output?.UnprocessedItems ?? {})
            .flat()
            .map(keyOfRequest),
        );
        for (const write of writes) if (!unprocessed.has(nameOf(write.key))) this.#add(write, null);
        return answered;
      } catch (error) {
        const inTheWay = refusedRows(error);
        if (inTheWay !== null) for (const [i, write] of writes.entries()) this.#add(write, { row: inTheWay[i] });
        throw error;
      }
    };
    client.middlewareStack.add(heat as never, { step: 'initialize', name: 'writeHeat' });
  }

  /** All that was written, in write units: what the engine's own figures sum up to. */
  get totalUnits(): number {
    return this.#total;
  }

  /** The hottest item or partition key; null: nothing was written. */
  hottest(level: Level): Peak | null {
    return this.byKind(level)[0]?.peak ?? null;
  }

  /** The hottest of each kind of key (`JOB#… STATUS`, `FEED#Job`), hottest first. */
  byKind(level: Level): readonly { readonly kind: string; readonly peak: Peak }[] {
    return [...this.#peaks[level]].map(([kind, peak]) => ({ kind, peak })).sort((a, b) => b.peak.units - a.peak.units);
  }

  #add({ key, row, times, alarm }: Write, refused: { readonly row: Row | undefined } | null): void {
    const name = nameOf(key);
    const before = this.#known.get(name);
    if (refused !== null) {
      this.#count(name, key, times * unitsOf(refused.row ?? {}));
      return;
    }
    const after = row === null ? 1 : unitsOf(row);
    this.#count(name, key, times * Math.max(before?.units ?? 1, after));
    const was = before?.alarm ?? null;
    const is = alarm === SAME ? was : alarm;
    // An index costs a unit for each key that goes or comes (aws.md 2.2).
    if (was !== is) for (const each of [was, is]) if (each !== null) this.#countIndex(each, times);
    this.#known.set(name, { units: after, alarm: is });
  }

  #count(name: string, key: Row, units: number): void {
    this.#heat('item', name, units);
    this.#heat('partition', key[TABLE.partitionKey]?.S ?? '?', units);
    this.#total += units;
    this.#forget();
  }

  #countIndex(alarm: string, units: number): void {
    const shard = `index ${TABLE.alarms.index} ${alarm.split('/')[0] ?? ''}`;
    this.#heat('partition', shard, units);
    this.#total += units;
  }

  #heat(level: Level, key: string, units: number): void {
    const now = this.#now();
    let window = this.#windows[level].get(key);
    if (window === undefined) this.#windows[level].set(key, (window = new Window()));
    const lastSecond = window.add(now, units);
    const kind = kindOf(key);
    if (lastSecond > (this.#peaks[level].get(kind)?.units ?? 0)) {
      this.#peaks[level].set(kind, { key, units: lastSecond, endedAtMs: now });
    }
  }

  /** A hundred thousand items that were written once and never again are not to be kept. */
  #forget(): void {
    const now = this.#now();
    if (now < this.#forgottenAtMs + 2_000) return;
    this.#forgottenAtMs = now;
    for (const windows of Object.values(this.#windows))
      for (const [key, window] of windows) if (window.isOver(now)) windows.delete(key);
    for (const key of this.#known.keys()) if (key.startsWith('TASK#')) this.#known.delete(key);
  }
}

/** Units of the second that ends now. */
class Window {
  readonly #parts: { readonly atMs: number; units: number }[] = [];
  #sum = 0;

  add(now: number, units: number): number {
    this.#parts.push({ atMs: now, units });
    this.#sum += units;
    for (let first = this.#parts[0]; first !== undefined && first.atMs <= now - 1_000; first = this.#parts[0]) {
      this.#sum -= first.units;
      this.#parts.shift();
    }
    return this.#sum;
  }

  isOver(now: number): boolean {
    return (this.#parts.at(-1)?.atMs ?? 0) <= now - 1_000;
  }
}

/** One row's share of a request. `alarm`: where the write leaves the row in the index, `shard/minute` or {@link SAME}; null: not in it. */
type Write = {
  readonly key: Row;
  readonly row: Row | null;
  readonly times: 1 | 2;
  readonly alarm: string | null;
};

/** The write leaves the row where it is in the index. */
const SAME = 'same';

type Update = {
  readonly Key: Row;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Row;
};
type BatchEntry = { readonly PutRequest?: { readonly Item: Row }; readonly DeleteRequest?: { readonly Key: Row } };
type Input = Partial<Update> & {
  readonly Item?: Row;
  readonly RequestItems?: Readonly<Record<string, readonly BatchEntry[]>>;
  readonly TransactItems?: readonly {
    readonly Put?: { readonly Item: Row };
    readonly Update?: Update;
    readonly Delete?: { readonly Key: Row };
    readonly ConditionCheck?: { readonly Key: Row };
  }[];
};

function writesIn(commandName: string, input: Input): readonly Write[] {
  switch (commandName) {
    case 'PutItemCommand':
      return [putOf(input.Item ?? {}, 1)];
    case 'UpdateItemCommand':
      return [updateOf({ ...input, Key: input.Key ?? {} }, 1)];
    case 'DeleteItemCommand':
      return [{ key: input.Key ?? {}, row: null, times: 1, alarm: null }];
    case 'BatchWriteItemCommand':
      return Object.values(input.RequestItems ?? {})
        .flat()
        .map(({ PutRequest, DeleteRequest }) =>
          PutRequest === undefined
            ? { key: DeleteRequest?.Key ?? {}, row: null, times: 1, alarm: null }
            : putOf(PutRequest.Item, 1),
        );
    case 'TransactWriteItemsCommand':
      return (input.TransactItems ?? []).map(({ Put, Update, Delete, ConditionCheck }) => {
        if (Put !== undefined) return putOf(Put.Item, 2);
        if (Update !== undefined) return updateOf(Update, 2);
        if (Delete !== undefined) return { key: Delete.Key, row: null, times: 2, alarm: null };
        return { key: ConditionCheck?.Key ?? {}, row: null, times: 2, alarm: SAME };
      });
    default:
      return [];
  }
}

const putOf = (row: Row, times: 1 | 2): Write => ({ key: row, row, times, alarm: alarmIn(row) });

/** Ours set whole attributes, so what is set is the row, but for a ttl that it may have. */
function updateOf(
  { Key, UpdateExpression = '', ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: Update,
  times: 1 | 2,
): Write {
  const [sets = '', removes = ''] = UpdateExpression.split(/\bREMOVE\b/);
  const row: Row = { ...Key };
  for (const [, name = '', value = ''] of sets.matchAll(/(#\w+) = (:\w+)/g)) {
    const attribute = ExpressionAttributeNames[name];
    const set = ExpressionAttributeValues[value];
    if (attribute !== undefined && set !== undefined) row[attribute] = set;
  }
  const leaves = removes.includes(`#${TABLE.alarms.shard}`);
  return { key: Key, row, times, alarm: leaves ? null : (alarmIn(row) ?? SAME) };
}

function alarmIn(row: Row): string | null {
  const shard = row[TABLE.alarms.shard]?.N;
  return shard === undefined ? null : `${shard}/${row[TABLE.alarms.minute]?.N ?? ''}`;
}

/** The rows in the way of a request that was refused and is charged, in its order; null: it failed otherwise. */
function refusedRows(error: unknown): readonly (Row | undefined)[] | null {
  if (error instanceof ConditionalCheckFailedException) return [error.Item];
  if (error instanceof TransactionCanceledException) return (error.CancellationReasons ?? []).map(({ Item }) => Item);
  return null;
}

const unitsOf = (row: Row): number => Math.max(1, Math.ceil(rowBytes(row) / 1024));
const nameOf = (key: Row): string => `${key[TABLE.partitionKey]?.S ?? '?'} ${key[TABLE.sortKey]?.S ?? '?'}`;
const keyOfRequest = ({ PutRequest, DeleteRequest }: BatchEntry): string =>
  nameOf(PutRequest?.Item ?? DeleteRequest?.Key ?? {});

/** Ids and numbers are left out. */
const kindOf = (key: string): string =>
  key.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '*').replaceAll(/(?<=[# ])\d+/g, 'n');

/** Steps of the SDK's, as far as this needs them. */
type Context = Record<string, unknown>;
type Sent = { readonly input: object };
type Answered = {
  readonly output?: { readonly UnprocessedItems?: Readonly<Record<string, readonly BatchEntry[]>> | undefined };
};
type Send = (args: Sent) => Promise<Answered>;
