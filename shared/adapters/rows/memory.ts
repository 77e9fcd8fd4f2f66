import { isDeepStrictEqual } from 'node:util';
import { comesBefore } from '../../domain/base/text-order.ts';
import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { unreachable } from '../../domain/base/invariant.ts';
import { holds } from '../../store/rows/condition.ts';
import {
  type AlarmPage,
  type AlarmPlace,
  type AlarmRange,
  FIELD,
  type Fields,
  type Page,
  type Range,
  type Refusal,
  type Row,
  type RowKey,
  type Rows,
  type Value,
  type Write,
  nameOf,
} from '../../store/rows/row.ts';
import { SortedTree, compareKeys } from './key-order.ts';
import { LateIndex } from './late-index.ts';
import { ROW_LIMITS, checkRequest, checkRow, packedBytes, rowBytes } from './row-limits.ts';
import { ThrottlingException, type Weather } from './weather.ts';

/** A token names its transaction for this long after it was carried out (aws.md 2.1). */
const TOKEN_MS = 10 * 60_000;
/** No weather shows a row as it was longer ago. */
const FORMER_MS = 10 * 60_000;

/** A row as it is kept: nobody else has its objects. */
type Kept = { readonly fields: Fields; readonly bytes: number };

type Tree = InstanceType<typeof SortedTree<RowKey, Kept>>;

/** What a row was before its latest write, which was at this time; null: there was none. */
type Former = { readonly key: RowKey; readonly kept: Kept | null; readonly at: EpochMs };

/** Another transaction with the token of one that was carried out. */
class IdempotentParameterMismatchException extends Error {
  override readonly name = 'IdempotentParameterMismatchException';
}

/**
 * Rows in memory, with all that DynamoDB promises, and with its limits. Each call takes its whole effect at once, before it
 * returns its promise, so the order of the calls is the order of their effects.
 *
 * @param now the clock by which rows are removed and weather passes
 * @param weather what a simulation does to requests; omitted: nothing
 * @param pause resolves when a writer that has lost may try again; omitted: at once
 */
export function createMemoryRows(options: {
  readonly now: () => EpochMs;
  readonly weather?: Weather;
  readonly pause?: (ms: number) => Promise<unknown>;
}): Rows {
  return new MemoryRows(options.now, options.weather ?? {}, options.pause ?? (async () => undefined));
}

class MemoryRows implements Rows {
  readonly atOnce = 8;
  readonly pause: (ms: number) => Promise<unknown>;
  readonly #now: () => EpochMs;
  readonly #weather: Weather;
  readonly #rows = new SortedTree<RowKey, Kept>(undefined, compareKeys);
  readonly #alarms = new LateIndex();
  /** By the rows' names, the latest write last; empty where the weather never asks for it. */
  readonly #former = new Map<string, Former>();
  readonly #transactions = new Map<string, { readonly writes: readonly Write[]; readonly at: EpochMs }>();

  constructor(now: () => EpochMs, weather: Weather, pause: (ms: number) => Promise<unknown>) {
    this.#now = now;
    this.#weather = weather;
    this.pause = pause;
  }

  async get(keys: readonly RowKey[]): Promise<{ readonly rows: readonly Row[]; readonly unread: readonly RowKey[] }> {
    checkRequest({ kind: 'get', keys });
    const isBusy = this.#busy(keys.map(({ partition }) => partition));
    const rows: Row[] = [];
    const unread: RowKey[] = [];
    let bytes = 0;
    for (const [nth, key] of keys.entries()) {
      const kept = isBusy[nth] === true ? null : this.#find(key);
      bytes += kept?.bytes ?? 0;
      if (isBusy[nth] === true || (kept !== null && bytes > ROW_LIMITS.getBytes)) unread.push(key);
      else if (kept !== null) rows.push(rowOf(key, kept.fields));
    }
    return { rows, unread };
  }

  async range(range: Range): Promise<Page> {
    checkRequest({ kind: 'range', range });
    this.#busy([range.partition]);
    const rows: Row[] = [];
    const over: RowKey[] = [];
    let bytes = 0;
    for (const [key, kept] of inOrder(this.#shown(range), range)) {
      if (rows.length === range.limit) break;
      if (this.#isOver(kept)) {
        over.push(key);
        continue;
      }
      bytes += kept.bytes;
      if (bytes > ROW_LIMITS.pageBytes) break;
      rows.push(rowOf(key, range.keysOnly === true ? {} : kept.fields));
    }
    for (const key of over) this.#find(key);
    const isEnd = bytes <= ROW_LIMITS.pageBytes && rows.length !== range.limit;
    return { rows, next: isEnd ? null : (rows.at(-1)?.key ?? null) };
  }

  async write(write: Write): Promise<Refusal | null> {
    checkRequest({ kind: 'write', write });
    this.#busy([write.key.partition]);
    const refusals = this.#carryOut([write], this.#weather.conflicts?.([write]));
    const isRepeated = refusals === null && this.#weather.repeats?.([write]) === true;
    return (isRepeated ? this.#carryOut([write]) : refusals)?.[0] ?? null;
  }

  async transact(token: string, writes: readonly Write[]): Promise<readonly (Refusal | null)[] | null> {
    checkRequest({ kind: 'transact', token, writes });
    for (const { key } of writes) this.#busy([key.partition]);
    if (this.#isDone(token, writes)) return null;
    const refusals = this.#carryOut(writes, this.#weather.conflicts?.(writes));
    if (refusals !== null) return refusals;
    this.#transactions.set(token, { writes, at: this.#now() });
    // A repeat would find its token.
    this.#weather.repeats?.(writes);
    return null;
  }

  async batch(writes: readonly Write[]): Promise<readonly Write[]> {
    checkRequest({ kind: 'batch', writes });
    const isBusy = this.#busy(writes.map(({ key }) => key.partition));
    this.#carryOut(writes.filter((_, nth) => isBusy[nth] === false));
    return writes.filter((_, nth) => isBusy[nth] === true);
  }

  async alarms(range: AlarmRange): Promise<AlarmPage> {
    checkRequest({ kind: 'alarms', range });
    this.#busy([`alarms ${range.shard}`]);
    const alarms: AlarmPlace[] = [];
    for (const place of this.#alarms.range(range, this.#now())) {
      alarms.push(place);
      if (alarms.length === range.limit) break;
    }
    for (const { key } of alarms) this.#find(key);
    return { alarms, next: alarms.length === range.limit ? (alarms.at(-1) ?? null) : null };
  }

  storedBytes(body: Uint8Array): number {
    return packedBytes(body);
  }

  /** The row. DynamoDB's removal of expired rows happens here. */
  #find(key: RowKey): Kept | null {
    const kept = this.#rows.get(key) ?? null;
    if (kept === null || !this.#isOver(kept)) return kept;
    this.#keep(key, null);
    return null;
  }

  /** DynamoDB has removed it by now. */
  #isOver({ fields: { [FIELD.ttl]: ttl } }: Kept): boolean {
    const lateMs = this.#weather.expiryLateMs;
    return lateMs !== undefined && typeof ttl === 'number' && this.#now() >= ttl * 1000 + lateMs;
  }

  /** All rows, or, as far as the range goes, how they were a moment ago. */
  #shown(range: Range): Tree {
    const staleMs = range.isEventual === true ? (this.#weather.staleMs?.(range) ?? 0) : 0;
    if (staleMs === 0) return this.#rows;
    const shown = this.#rows.clone();
    for (const { key, kept, at } of this.#former.values()) {
      if (key.partition !== range.partition || this.#now() >= plusMs(at, staleMs)) continue;
      if (kept === null) shown.delete(key);
      else shown.set(key, kept);
    }
    return shown;
  }

  /** Carries out all writes, or none and says why. `conflict`: which of them meets a transaction in progress. */
  #carryOut(writes: readonly Write[], conflict: number | null = null): readonly (Refusal | null)[] | null {
    const refusals = writes.map((write, nth) => (nth === conflict ? CONFLICT : this.#refusalOf(write)));
    if (refusals.some((refusal) => refusal !== null)) return refusals;
    const changes = writes.map((write) => [write.key, this.#after(write)] as const);
    for (const [key, fields] of changes) this.#keep(key, fields);
    return null;
  }

  #refusalOf({ key, condition, returnOld }: Write): Refusal | null {
    const fields = this.#find(key)?.fields ?? null;
    if (condition === undefined || holds(condition, fields)) return null;
    return { kind: 'condition', row: returnOld === true && fields !== null ? rowOf(key, fields) : null };
  }

  /** What the row will be. */
  #after(write: Write): Fields | null {
    const fields = this.#find(write.key)?.fields ?? null;
    switch (write.kind) {
      case 'put':
        return copyOf(write.fields);
      case 'update': {
        const updated = { ...fields, ...copyOf(write.set) };
        for (const name of write.remove ?? []) delete updated[name];
        checkRow(write.key, updated);
        return updated;
      }
      case 'delete':
        return null;
      case 'check':
        return fields;
      default:
        return unreachable(write);
    }
  }

  #keep({ partition, sort }: RowKey, fields: Fields | null): void {
    const key = { partition, sort };
    const before = this.#rows.get(key) ?? null;
    if (fields === (before?.fields ?? null)) return;
    const now = this.#now();
    if (this.#weather.staleMs !== undefined) {
      forget(this.#former, now, FORMER_MS);
      this.#former.delete(nameOf(key));
      this.#former.set(nameOf(key), { key, kept: before, at: now });
    }
    if (fields === null) this.#rows.delete(key);
    else this.#rows.set(key, { fields, bytes: rowBytes(key, fields) });
    this.#alarms.changed(key, before?.fields ?? null, fields, now, () => this.#weather.indexLagMs?.(key) ?? 0);
  }

  #isDone(token: string, writes: readonly Write[]): boolean {
    forget(this.#transactions, this.#now(), TOKEN_MS);
    const done = this.#transactions.get(token);
    if (done !== undefined && !isDeepStrictEqual(done.writes, writes))
      throw new IdempotentParameterMismatchException(`token ${token} names another transaction`);
    return done !== undefined;
  }

  /** Which of these partitions are busy. If all of them are, the request fails. */
  #busy(partitions: readonly string[]): readonly boolean[] {
    const isBusy = partitions.map((partition) => this.#weather.throttles?.(partition) === true);
    if (!isBusy.includes(false)) throw new ThrottlingException(partitions.join(', '));
    return isBusy;
  }
}

const CONFLICT: Refusal = { kind: 'conflict' };

/** Removes what is older. The oldest are the first. */
function forget(entries: Map<string, { readonly at: EpochMs }>, now: EpochMs, afterMs: number): void {
  for (const [name, { at }] of entries) {
    if (now < plusMs(at, afterMs)) return;
    entries.delete(name);
  }
}

function* inOrder(rows: Tree, { partition, from, to, reverse, after }: Range): Generator<[RowKey, Kept]> {
  const first = after ?? { partition, sort: reverse === true ? to : from };
  const isAfter = after !== undefined && after !== null;
  const all = reverse === true ? rows.entriesReversed(first, undefined, isAfter) : rows.entries(first);
  for (const [key, kept] of all) {
    const isOutside = reverse === true ? comesBefore(key.sort, from) : comesBefore(to, key.sort);
    if (key.partition !== partition || isOutside) return;
    if (!isAfter || key.sort !== first.sort) yield [key, kept];
  }
}

/** A row for the caller to keep. */
const rowOf = (key: RowKey, fields: Fields): Row => ({ key: { ...key }, fields: copyOf(fields) });

const copyOf = (fields: Fields): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Uint8Array ? new Uint8Array(value) : value]),
  );
