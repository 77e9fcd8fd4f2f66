import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { invariant } from '../../domain/base/invariant.ts';
import { isConfidential } from '../../domain/kinds/api-kinds.ts';
import { standingOfNamespace } from '../../domain/manifests/namespace.ts';
import {
  OBJECT_BYTES_MAX,
  type ObjectCommit,
  type ObjectKey,
  type ObjectStore,
  ObjectTooLarge,
  SEALED_FIELD,
  type StoredDocument,
  type StoredKind,
} from '../../ports/object-store.ts';
import { ABSENT, versionIs } from '../rows/condition.ts';
import { json, until } from '../rows/fields.ts';
import { type Program, all, isBy, newToken, now, storedBytes, transact } from '../rows/program.ts';
import { FIELD, type Refusal, type Write } from '../rows/row.ts';
import { type Table, run } from '../rows/run.ts';
import { headAfterLoss, headIn, moveHead } from './feed-pages.ts';
import { changeOf } from './object-change.ts';
import { readObject } from './object-rows.ts';
import { namespaceKey, objectFeedKey, objectHeadKey, objectKey, objectSort } from './row-keys.ts';

/**
 * A transaction takes 100 writes and 4 MB: the head's, and for each commit its row, its object, and a check of its namespace.
 */
const COMMITS_PER_TRANSACTION = 25;
const BYTES_PER_TRANSACTION = 3 * 1024 * 1024;

/**
 * {@link ObjectStore}'s `commit`. All writers of a kind write the head of its feed: those of one process queue, and what has
 * collected during one transaction goes into the next together; against other processes they race, and wait.
 */
export function createObjectCommits(table: Table, retentionMs: number): ObjectStore['commit'] {
  const queues = new Map<StoredKind, Queue>();
  return async (kind, change) => {
    const order = await run(table, orderOf(kind, change));
    if (order === null) return { kind: 'lost' };
    const queue = queues.get(kind) ?? new Queue(table, kind, retentionMs);
    queues.set(kind, queue);
    return queue.commit(order);
  };
}

/** null: the object is not at that version, or there is nothing to remove. */
function* orderOf(
  kind: StoredKind,
  { key, was, document }: Parameters<ObjectStore['commit']>[1],
): Program<Order | null> {
  invariant(
    document === null || !isConfidential(kind) || isSealed(document),
    `a ${kind} is stored sealed, or not at all`,
  );
  const before = yield* readObject(kind, key);
  const change = changeOf(key, before, document);
  if ((before?.version ?? 0) !== was || change === null) return null;
  const row = yield* fitting(change);
  const object = document === null ? null : yield* fitting(document);
  const bytes = row.bytes + (object?.bytes ?? 0);
  return { key, was, row: row.body, object: object?.body ?? null, bytes, by: yield* newToken() };
}

const isSealed = ({ metadata, ...rest }: StoredDocument): boolean =>
  Object.keys(metadata).join() === 'uid' && Object.keys(rest).join() === SEALED_FIELD;

/** A value as a body that fits into a row. */
function* fitting(value: unknown): Program<{ readonly body: Uint8Array; readonly bytes: number }> {
  const body = json(value);
  const bytes = yield* storedBytes(body);
  if (bytes > OBJECT_BYTES_MAX) throw new ObjectTooLarge(bytes);
  return { body, bytes };
}

/** A change of one object, without its number. */
type Order = {
  readonly key: ObjectKey;
  readonly was: number;
  /** The body of the feed's row for it. */
  readonly row: Uint8Array;
  /** Its body; null: it is removed. */
  readonly object: Uint8Array | null;
  /** Of both bodies as they are stored. */
  readonly bytes: number;
  /** Names the commit in all its tries, so that we recognize it when DynamoDB has forgotten. */
  readonly by: string;
};

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
      const batch = this.#nextBatch();
      this.#waiting = this.#waiting.filter((each) => !batch.includes(each));
      try {
        await run(this.#table, this.#commitAll(batch));
      } catch (error) {
        for (const { reject } of batch) reject(error); // no effect on those that were already answered
      }
    }
    this.#isRunning = false;
  }

  /** The first waiting commits that fit into one transaction, which takes each object once. */
  #nextBatch(): readonly Waiting[] {
    const batch = new Map<string, Waiting>();
    let bytes = 0;
    for (const each of this.#waiting) {
      const { key } = each.order;
      bytes += each.order.bytes;
      if (batch.size > 0 && (batch.size >= COMMITS_PER_TRANSACTION || bytes > BYTES_PER_TRANSACTION)) break;
      if (!batch.has(objectSort(key))) batch.set(objectSort(key), each);
    }
    return [...batch.values()];
  }

  /** Every commit of the batch is answered as soon as its outcome is known, whether the others succeed or not. */
  *#commitAll(batch: readonly Waiting[]): Program<void> {
    let open = batch;
    for (let nth = 1; ; nth++) {
      const homes = yield* homesOf(open.map(({ order }) => order));
      open = open.filter(({ order, resolve }) => {
        const home = homes.get(homeOf(order) ?? '');
        if (home?.kind === 'closed') resolve({ kind: home.why });
        return home?.kind !== 'closed';
      });
      if (open.length === 0) return;
      const token = yield* newToken();
      const orders = open.map(({ order }) => order);
      const expireAt = plusMs(yield* now(), this.#retentionMs);
      open = this.#answer(open, yield* transact(token, writesOf(this.#kind, this.#head, orders, homes, expireAt)));
      if (open.length === 0) return;
      const head = { key: objectHeadKey(this.#kind), feed: this.#kind, seen: this.#head };
      this.#head = yield* headAfterLoss(head, token, nth);
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
}

/** The namespace that must be open for it; null: none. */
const homeOf = ({ was, key: { namespace } }: Pick<Order, 'was' | 'key'>): string | null =>
  was === 0 && namespace !== '' ? namespace : null;

type Home =
  | { readonly kind: 'open'; readonly name: string; readonly version: number }
  | { readonly kind: 'closed'; readonly why: 'noNamespace' | 'terminating' };

/** The namespaces of new objects. */
function* homesOf(orders: readonly Order[]): Program<ReadonlyMap<string, Home>> {
  const names = [...new Set(orders.flatMap((order) => homeOf(order) ?? []))];
  const homes = yield* all(names.map(readHome));
  return new Map(names.flatMap((name, nth) => (homes[nth] === undefined ? [] : [[name, homes[nth]] as const])));
}

/** Whether an object may be created in the namespace, and the version that the transaction checks for that. */
function* readHome(name: string): Program<Home> {
  const namespace = yield* readObject('Namespace', { namespace: '', name });
  const standing = standingOfNamespace(namespace?.document);
  if (namespace === null || standing !== 'open')
    return { kind: 'closed', why: standing === 'open' ? 'noNamespace' : standing };
  return { kind: 'open', name, version: namespace.version };
}

/** The head, for each commit the next row and the object, and the namespaces as they were when they were found open. */
function writesOf(
  kind: StoredKind,
  head: number,
  orders: readonly Order[],
  homes: ReadonlyMap<string, Home>,
  expireAt: EpochMs,
): readonly Write[] {
  const checks = [...homes.values()].flatMap((home): readonly Write[] =>
    home.kind === 'open' ? [{ kind: 'check', key: namespaceKey(home.name), condition: versionIs(home.version) }] : [],
  );
  return [
    moveHead(objectHeadKey(kind), head, head + orders.length),
    ...orders.flatMap((order, i) => [
      feedRow(kind, order, head + 1 + i, expireAt),
      objectRow(kind, order, head + 1 + i),
    ]),
    ...checks,
  ];
}

/** The head already says that the number is free; but if it says no, the existing row tells whether it is ours. */
const feedRow = (kind: StoredKind, { by, row }: Order, n: number, expireAt: EpochMs): Write => ({
  kind: 'put',
  key: objectFeedKey(kind, n),
  fields: { [FIELD.by]: by, [FIELD.body]: row, ...until(expireAt) },
  condition: ABSENT,
  returnOld: true,
});

function objectRow(kind: StoredKind, { key: at, was, by, object }: Order, n: number): Write {
  const key = objectKey(kind, at);
  const condition = versionIs(was);
  if (object === null) return { kind: 'delete', key, condition };
  const set = { [FIELD.version]: n, [FIELD.by]: by, [FIELD.body]: object };
  return { kind: 'update', key, set, condition, returnOld: true };
}
