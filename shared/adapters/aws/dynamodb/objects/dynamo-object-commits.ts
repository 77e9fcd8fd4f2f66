import type { AttributeValue, TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb';
import { type EpochMs, plusMs, toTtl } from '../../../../domain/base/time.ts';
import { standingOf } from '../../../../domain/spec/namespace.ts';
import { TABLE } from '../../../../names/table.ts';
import type { ObjectCommit, ObjectKey, ObjectStore, StoredKind } from '../../../../ports/object-store.ts';
import { type UnnumberedChange, changeOf } from '../../../../store/programs/object-change.ts';
import { headAfterLoss, headIn, headIs } from '../dynamo-feed-page.ts';
import { namespaceKey, objectFeedKey, objectHeadKey, objectKey, objectSort } from '../dynamo-keys.ts';
import { fitting, readNamespace, readObject } from './dynamo-object-rows.ts';
import { ATTRIBUTE, ROW_VERSION, type Row, number, text } from '../dynamo-row.ts';
import { type Refusal, type Table, change, isBy, sendTransaction, versionIs } from '../dynamo-write.ts';

/**
 * A transaction takes 100 writes and 4 MB: the head's, and for each commit its row, its object, and a check of its namespace.
 */
const COMMITS_PER_TRANSACTION = 25;
const BYTES_PER_TRANSACTION = 3 * 1024 * 1024;

/**
 * {@link ObjectStore}'s `commit`. All writers of a kind write the head of its feed: those of one process queue, and what has
 * collected during one transaction goes into the next together; against other processes they race, and wait.
 */
export function createCommits(table: Table, retentionMs: number): ObjectStore['commit'] {
  const queues = new Map<StoredKind, Queue>();
  return async (kind, { key, was, document }) => {
    const before = await readObject(table, kind, key);
    const body = changeOf(key, before, document);
    if ((before?.version ?? 0) !== was || body === null) return { kind: 'lost' };
    const packed: Packed = { type: body.type, key, was, row: fitting(body), object: document && fitting(document) };
    const queue = queues.get(kind) ?? new Queue(table, kind, retentionMs);
    queues.set(kind, queue);
    return queue.commit({ ...packed, by: table.newToken() });
  };
}

/** A change of one object, without its number. */
type Packed = Pick<UnnumberedChange, 'type'> & {
  readonly key: ObjectKey;
  readonly was: number;
  /** The feed's row for it. */
  readonly row: AttributeValue;
  /** null: it is removed. */
  readonly object: AttributeValue | null;
};

/** `by` names the commit in all its tries, so that we recognize it when DynamoDB has forgotten. */
type Order = Packed & { readonly by: string };

type Waiting = {
  readonly order: Order;
  readonly resolve: (commit: ObjectCommit) => void;
  readonly reject: (error: unknown) => void;
};

/** The commits of one kind, one transaction after the other. */
class Queue {
  readonly #table: Table;
  readonly #kind: StoredKind;
  readonly #retentionMs: number;
  #waiting: Waiting[] = [];
  #isRunning = false;
  /** The head as this process last saw it; the transaction detects whether it is stale. */
  #head = 0;

  constructor(table: Table, kind: StoredKind, retentionMs: number) {
    this.#table = table;
    this.#kind = kind;
    this.#retentionMs = retentionMs;
  }

  async commit(order: Order): Promise<ObjectCommit> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ order, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = batchOf(this.#waiting);
      this.#waiting = this.#waiting.filter((each) => !batch.includes(each));
      try {
        await this.#commitAll(batch);
      } catch (error) {
        for (const { reject } of batch) reject(error); // no effect on those that were already answered
      }
    }
    this.#isRunning = false;
  }

  /** Every commit of the batch is answered as soon as its outcome is known, whether the others succeed or not. */
  async #commitAll(batch: readonly Waiting[]): Promise<void> {
    let open = batch;
    for (let nth = 1; ; nth++) {
      const homes = await this.#homesOf(open);
      open = open.filter(({ order, resolve }) => {
        const home = homes.get(homeOf(order) ?? '');
        if (home?.kind === 'closed') resolve({ kind: home.why });
        return home?.kind !== 'closed';
      });
      if (open.length === 0) return;
      const token = this.#table.newToken();
      const request = commitRequest(this.#table.name, {
        token,
        kind: this.#kind,
        head: this.#head,
        orders: open.map(({ order }) => order),
        homes: [...homes.values()].flatMap((home) => (home.kind === 'open' ? [home] : [])),
        expireAt: plusMs(this.#table.now(), this.#retentionMs),
      });
      open = this.#answer(open, await sendTransaction(this.#table.client, request));
      if (open.length === 0) return;
      const head = { key: objectHeadKey(this.#kind), feed: this.#kind, seen: this.#head };
      this.#head = await headAfterLoss(this.#table, head, token, nth);
    }
  }

  /** Answers the commits with a known outcome; returns the others. */
  #answer(open: readonly Waiting[], refusals: readonly (Refusal | null)[] | null): readonly Waiting[] {
    const first = this.#head + 1;
    const [ofHead] = refusals ?? [];
    if (ofHead?.kind === 'condition') this.#head = headIn(ofHead.row);
    // All or nothing: one that we wrote proves that all were written.
    const isOurs = open.some(({ order: { by } }, i) =>
      [refusals?.[2 * i + 1], refusals?.[2 * i + 2]].some((refusal) => isBy(refusal, by)),
    );
    if (refusals === null || isOurs) {
      this.#head = Math.max(this.#head, first + open.length - 1);
      for (const [i, { resolve }] of open.entries()) resolve({ kind: 'committed', version: first + i });
      return [];
    }
    return open.filter(({ resolve }, i) => {
      const isLost = refusals[2 * i + 2]?.kind === 'condition';
      if (isLost) resolve({ kind: 'lost' });
      return !isLost;
    });
  }

  /** The namespaces of new objects. */
  async #homesOf(open: readonly Waiting[]): Promise<ReadonlyMap<string, Home>> {
    const names = new Set(open.flatMap(({ order }) => homeOf(order) ?? []));
    return new Map(
      await Promise.all([...names].map(async (name) => [name, await readHome(this.#table, name)] as const)),
    );
  }
}

/** The first waiting commits that fit into one transaction, which takes each object once. */
function batchOf(waiting: readonly Waiting[]): readonly Waiting[] {
  const batch = new Map<string, Waiting>();
  let bytes = 0;
  for (const each of waiting) {
    const { key, row, object } = each.order;
    bytes += (row.B?.length ?? 0) + (object?.B?.length ?? 0);
    if (batch.size > 0 && (batch.size >= COMMITS_PER_TRANSACTION || bytes > BYTES_PER_TRANSACTION)) break;
    if (!batch.has(objectSort(key))) batch.set(objectSort(key), each);
  }
  return [...batch.values()];
}

/** The namespace that must be open for it; null: none. */
const homeOf = ({ was, key: { namespace } }: Pick<Order, 'was' | 'key'>): string | null =>
  was === 0 && namespace !== '' ? namespace : null;

type Home =
  | { readonly kind: 'open'; readonly name: string; readonly version: number }
  | { readonly kind: 'closed'; readonly why: 'noNamespace' | 'terminating' };

/** Whether an object may be created in the namespace, and the version that the transaction checks for that. */
async function readHome(table: Table, name: string): Promise<Home> {
  const namespace = await readNamespace(table, name);
  const standing = standingOf(namespace?.document);
  if (namespace === null || standing !== 'open')
    return { kind: 'closed', why: standing === 'open' ? 'noNamespace' : standing };
  return { kind: 'open', name, version: namespace.version };
}

type CommitRequest = {
  /** Names this request, so that DynamoDB recognizes it. */
  readonly token: string;
  readonly kind: StoredKind;
  readonly head: number;
  readonly orders: readonly Order[];
  /** Namespaces of new objects, as they were when they were found open. */
  readonly homes: readonly { readonly name: string; readonly version: number }[];
  readonly expireAt: EpochMs;
};

/** The head, for each commit the next row and the object, and the namespaces: all or nothing. */
export function commitRequest(
  tableName: string,
  { token, kind, head, orders, homes, expireAt }: CommitRequest,
): TransactWriteItemsCommandInput {
  return {
    ClientRequestToken: token,
    TransactItems: [
      {
        Update: change(tableName, {
          key: objectHeadKey(kind),
          set: { number: number(head + orders.length) },
          condition: headIs(head),
          returnOld: true,
        }),
      },
      ...orders.flatMap((order, i) => writesOf(tableName, kind, order, head + 1 + i, expireAt)),
      ...homes.map(({ name, version }) => ({
        ConditionCheck: { TableName: tableName, Key: namespaceKey(name), ...checked(version) },
      })),
    ],
  };
}

function writesOf(tableName: string, kind: StoredKind, order: Order, n: number, expireAt: EpochMs) {
  const key = objectKey(kind, order.key);
  const { by, row, object, was } = order;
  return [
    {
      Put: {
        TableName: tableName,
        Item: {
          ...objectFeedKey(kind, n),
          [ATTRIBUTE.layout]: number(ROW_VERSION),
          [ATTRIBUTE.by]: text(by),
          [ATTRIBUTE.body]: row,
          [TABLE.ttl]: number(toTtl(expireAt)),
        },
        // The head already says so; but if it says no, the existing row tells whether it is ours.
        ConditionExpression: 'attribute_not_exists(#pk)',
        ExpressionAttributeNames: { '#pk': TABLE.partitionKey },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
      },
    },
    object === null
      ? { Delete: { TableName: tableName, Key: key, ...checked(was) } }
      : {
          Update: change(tableName, {
            key,
            set: { [ATTRIBUTE.version]: number(n), [ATTRIBUTE.by]: text(by), [ATTRIBUTE.body]: object },
            condition: versionIs(was),
            returnOld: true,
          }),
        },
  ];
}

/** The condition that an existing row is at this version. */
function checked(version: number): {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Row;
} {
  const { expression, values = {} } = versionIs(version);
  return {
    ConditionExpression: expression,
    ExpressionAttributeNames: { '#version': ATTRIBUTE.version },
    ExpressionAttributeValues: values,
  };
}
