import { isDeepStrictEqual } from 'node:util';
import { comesBefore } from '../../domain/base/text-order.ts';
import { type EpochMs, plusMs } from '../../domain/base/time.ts';
import { unreachable } from '../../domain/base/invariant.ts';
import { holds } from '../../store/rows/condition.ts';
import {
  type AlarmPage,
  type AlarmRange,
  FIELD,
  type Fields,
  type Page,
  type Range,
  type Refusal,
  type Row,
  type RowKey,
  type Rows,
  type Write,
} from '../../store/rows/row.ts';
import { SortedTree, compareKeys } from './key-order.ts';
import { LateIndex } from './late-index.ts';
import {
  ROW_LIMITS,
  checkAlarmRange,
  checkBatch,
  checkKeys,
  checkRange,
  checkRow,
  checkSingle,
  checkTransaction,
  rowBytes,
} from './row-limits.ts';
import { ThrottlingException, type Weather } from './weather.ts';

/** A token names its transaction for this long after it was carried out (aws.md 2.1). */
const TOKEN_MS = 10 * 60_000;
/** No weather shows a row as it was longer ago. */
const FORMER_MS = 10 * 60_000;

/** A row as it is kept: nobody else has its objects. `fields` null: it was deleted, and is kept for what it was before. */
type Kept = {
  readonly key: RowKey;
  readonly fields: Fields | null;
  readonly bytes: number;
  /** What it was before its latest write, which was at this time; only where the weather may ask for it. */
  readonly former: { readonly fields: Fields | null; readonly at: EpochMs } | null;
};

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
  readonly #transactions = new Map<string, { readonly writes: readonly Write[]; readonly until: EpochMs }>();

  constructor(now: () => EpochMs, weather: Weather, pause: (ms: number) => Promise<unknown>) {
    this.#now = now;
    this.#weather = weather;
    this.pause = pause;
  }

  async get(keys: readonly RowKey[]): Promise<{ readonly rows: readonly Row[]; readonly unread: readonly RowKey[] }> {
    checkKeys(keys);
    const { calm, busy } = this.#byThrottle(keys, (key) => key);
    const rows: Row[] = [];
    const unread = [...busy];
    let bytes = 0;
    for (const key of calm) {
      const kept = this.#find(key);
      if (kept === undefined || kept.fields === null) continue;
      bytes += kept.bytes;
      if (bytes > ROW_LIMITS.getBytes) unread.push(key);
      else rows.push(rowOf(kept.key, kept.fields));
    }
    return { rows, unread };
  }

  async range(range: Range): Promise<Page> {
    if (!checkRange(range)) return { rows: [], next: null };
    this.#refuseIfBusy(range.partition);
    const staleMs = range.isEventual === true ? (this.#weather.staleMs?.(range) ?? 0) : 0;
    const rows: Row[] = [];
    const gone: RowKey[] = [];
    let bytes = 0;
    for (const kept of this.#inOrder(range)) {
      if (rows.length === range.limit) break;
      const isGone = this.#isGone(kept);
      if (isGone) gone.push(kept.key);
      const fields = isGone ? null : this.#shown(kept, staleMs);
      if (fields === null) continue;
      bytes += fields === kept.fields ? kept.bytes : rowBytes(kept.key, fields);
      if (bytes > ROW_LIMITS.pageBytes) break;
      rows.push(rowOf(kept.key, range.keysOnly === true ? {} : fields));
    }
    for (const key of gone) this.#find(key);
    const isEnd = bytes <= ROW_LIMITS.pageBytes && rows.length !== range.limit;
    return { rows, next: isEnd ? null : (rows.at(-1)?.key ?? null) };
  }

  async write(write: Write): Promise<Refusal | null> {
    checkSingle(write);
    this.#refuseIfBusy(write.key.partition);
    if (this.#conflict([write]) !== null) return { kind: 'conflict' };
    const refusal = this.#carryOut(write);
    const isRepeated = refusal === null && this.#weather.repeats?.([write]) === true;
    return isRepeated ? this.#carryOut(write) : refusal;
  }

  async transact(token: string, writes: readonly Write[]): Promise<readonly (Refusal | null)[] | null> {
    checkTransaction(writes);
    for (const { key } of writes) this.#refuseIfBusy(key.partition);
    if (this.#isDone(token, writes)) return null;
    const nth = this.#conflict(writes);
    const refusals = writes.map((write, each) => (each === nth ? CONFLICT : this.#refusalOf(write)));
    if (refusals.some((refusal) => refusal !== null)) return refusals;
    const changes = writes.map((write) => ({ key: write.key, fields: this.#after(write) }));
    for (const { key, fields } of changes) this.#keep(key, fields);
    this.#transactions.set(token, { writes, until: plusMs(this.#now(), TOKEN_MS) });
    // A repeat finds its token.
    if (this.#weather.repeats?.(writes) === true) this.#isDone(token, writes);
    return null;
  }

  async batch(writes: readonly Write[]): Promise<readonly Write[]> {
    checkBatch(writes);
    const { calm, busy } = this.#byThrottle(writes, ({ key }) => key);
    for (const write of calm) this.#keep(write.key, this.#after(write));
    return busy;
  }

  async alarms(range: AlarmRange): Promise<AlarmPage> {
    checkAlarmRange(range);
    this.#refuseIfBusy(`alarms ${range.shard}`);
    const alarms: AlarmPage['alarms'][number][] = [];
    for (const place of this.#alarms.range(range, this.#now())) {
      alarms.push(place);
      if (alarms.length === range.limit) break;
    }
    for (const { key } of alarms) this.#find(key);
    return { alarms, next: alarms.length === range.limit ? (alarms.at(-1) ?? null) : null };
  }

  storedBytes(body: Uint8Array): number {
    return body.length;
  }

  /** What is kept of the row. DynamoDB's removal of expired rows happens here. */
  #find(key: RowKey): Kept | undefined {
    const kept = this.#rows.get(key);
    if (kept === undefined || !this.#isGone(kept)) return kept;
    if (kept.fields === null) this.#rows.delete(key);
    else this.#keep(key, null);
    return this.#rows.get(key);
  }

  /** DynamoDB has removed it by now, or nobody can ask any more for what it was before it was deleted. */
  #isGone({ fields, former }: Kept): boolean {
    if (fields === null) return former === null || this.#now() >= plusMs(former.at, FORMER_MS);
    const ttl = fields[FIELD.ttl];
    const lateMs = this.#weather.expiryLateMs;
    return lateMs !== undefined && typeof ttl === 'number' && this.#now() >= ttl * 1000 + lateMs;
  }

  #shown({ fields, former }: Kept, staleMs: number): Fields | null {
    return former !== null && this.#now() < plusMs(former.at, staleMs) ? former.fields : fields;
  }

  *#inOrder({ partition, from, to, reverse, after }: Range): Generator<Kept> {
    const first = after ?? { partition, sort: reverse === true ? to : from };
    const isAfter = after !== undefined && after !== null;
    const all = reverse === true ? this.#rows.entriesReversed(first, undefined, isAfter) : this.#rows.entries(first);
    for (const [key, kept] of all) {
      const isOutside = reverse === true ? comesBefore(key.sort, from) : comesBefore(to, key.sort);
      if (key.partition !== partition || isOutside) return;
      if (!isAfter || key.sort !== first.sort) yield kept;
    }
  }

  #carryOut(write: Write): Refusal | null {
    const refusal = this.#refusalOf(write);
    if (refusal === null) this.#keep(write.key, this.#after(write));
    return refusal;
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
        const updated: Record<string, Fields[string]> = { ...fields, ...copyOf(write.set) };
        for (const name of write.remove ?? []) delete updated[name];
        checkRow(write, rowBytes(write.key, updated));
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

  #keep(key: RowKey, fields: Fields | null): void {
    const before = this.#rows.get(key)?.fields ?? null;
    if (fields === before) return;
    const now = this.#now();
    const kept: Kept = {
      key: { partition: key.partition, sort: key.sort },
      fields,
      bytes: fields === null ? 0 : rowBytes(key, fields),
      former: this.#weather.staleMs === undefined ? null : { fields: before, at: now },
    };
    if (fields === null && kept.former === null) this.#rows.delete(key);
    else this.#rows.set(kept.key, kept);
    this.#alarms.changed(kept.key, before, fields, now, () => this.#weather.indexLagMs?.(kept.key) ?? 0);
  }

  #isDone(token: string, writes: readonly Write[]): boolean {
    const now = this.#now();
    for (const [each, { until }] of this.#transactions) {
      if (now < until) break;
      this.#transactions.delete(each);
    }
    const done = this.#transactions.get(token);
    if (done !== undefined && !isDeepStrictEqual(done.writes, writes))
      throw new IdempotentParameterMismatchException(`token ${token} names another transaction`);
    return done !== undefined;
  }

  #conflict(writes: readonly Write[]): number | null {
    return this.#weather.conflicts?.(writes) ?? null;
  }

  #refuseIfBusy(partition: string): void {
    if (this.#weather.throttles?.(partition) === true) throw new ThrottlingException(partition);
  }

  #byThrottle<T>(
    all: readonly T[],
    keyOf: (one: T) => RowKey,
  ): { readonly calm: readonly T[]; readonly busy: readonly T[] } {
    const isBusy = all.map((one) => this.#weather.throttles?.(keyOf(one).partition) === true);
    if (!isBusy.includes(false)) throw new ThrottlingException(all.map((one) => keyOf(one).partition).join(', '));
    return { calm: all.filter((_, n) => isBusy[n] === false), busy: all.filter((_, n) => isBusy[n] === true) };
  }
}

const CONFLICT: Refusal = { kind: 'conflict' };

/** A row for the caller to keep. */
const rowOf = ({ partition, sort }: RowKey, fields: Fields): Row => ({
  key: { partition, sort },
  fields: copyOf(fields),
});

const copyOf = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Uint8Array ? new Uint8Array(value) : value]),
  );
