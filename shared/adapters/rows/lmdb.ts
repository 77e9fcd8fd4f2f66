import type { EpochMs } from '../../domain/base/time.ts';
import { isNewerFormat } from '../../domain/base/newer-format.ts';
import { comesBefore } from '../../domain/base/text-order.ts';
import { UnreadableRow } from '../../domain/base/unreadable-row.ts';
import { holds } from '../../store/rows/condition.ts';
import {
  type AlarmPage,
  type AlarmPlace,
  type AlarmRange,
  type Fields,
  type Page,
  type Range,
  type Refusal,
  type Row,
  type RowKey,
  type Rows,
  type Write,
} from '../../store/rows/row.ts';
import { LmdbDisk } from './lmdb-disk.ts';
import {
  FIRST_ROW,
  NOTHING,
  alarmIn,
  alarmText,
  alarmsOf,
  cannotBeKey,
  checkRow,
  decodeRow,
  encodeRow,
  isOver,
  keyOf,
  mayHaveAlarm,
  ordered,
  textOf,
} from './lmdb-layout.ts';
import { packedBytes } from './row-limits.ts';

/** A page holds about as much: some milliseconds of work. DynamoDB's pages have the same size. */
const PAGE_BYTES = 1024 * 1024;
/** What every row takes beside its bytes. */
const ROW_BYTES = 100;

/** Rows that one step looks at: some milliseconds of work. */
const SLICE_ROWS = 2_000;

/** Comes after all texts that begin with what it follows. */
const LAST = '\u{10ffff}';

/**
 * Rows in an LMDB file that belongs to this process alone. A write is decided at once, on the newest rows, and answered when it,
 * and everything that it was decided on, is on the disk. All writes of one turn of the event loop share one flush. A plain read
 * sees what is on the disk, nothing else: no caller acts on a change that a crash could take back.
 */
export class LmdbRows implements Rows {
  readonly #disk: LmdbDisk;
  readonly #now: () => EpochMs;
  /** Requests of one call share a flush, however many they are. */
  readonly atOnce = Number.POSITIVE_INFINITY;

  /**
   * @param file open, or its path: created with mode 0600 where it does not exist
   * @param now the clock by which {@link removeExpired} removes
   * @throws StoreFileError where the file is none of ours, torn, or of another format; errors of the disk
   */
  constructor(file: string | LmdbDisk, now: () => EpochMs) {
    this.#disk = typeof file === 'string' ? new LmdbDisk(file) : file;
    this.#now = now;
  }

  async get(keys: readonly RowKey[]): Promise<{ readonly rows: readonly Row[]; readonly unread: readonly RowKey[] }> {
    this.#disk.checkOpen();
    const rows: Row[] = [];
    for (const key of keys) {
      const text = textOf(key);
      const bytes = text === null ? undefined : this.#disk.get(text);
      if (bytes !== undefined) rows.push(this.#row(key, bytes));
    }
    return { rows, unread: [] };
  }

  async range(range: Range): Promise<Page> {
    this.#disk.checkOpen();
    const rows: Row[] = [];
    let bytes = 0;
    for (const [key, value] of this.#entries(range)) {
      const last = rows.at(-1);
      if (last !== undefined && (rows.length === range.limit || bytes >= PAGE_BYTES)) return { rows, next: last.key };
      rows.push(range.keysOnly === true ? this.#keyRow(key, value) : this.#row(key, value));
      bytes += value.length + ROW_BYTES;
    }
    return { rows, next: null };
  }

  async write(write: Write): Promise<Refusal | null> {
    const refusals = this.#decide([write]);
    await this.#disk.stored();
    return refusals?.[0] ?? null;
  }

  /** Any number of writes: the limit of 100 is the table's. The token is not needed, since no answer is lost. */
  async transact(_token: string, writes: readonly Write[]): Promise<readonly (Refusal | null)[] | null> {
    const refusals = this.#decide(writes);
    await this.#disk.stored();
    return refusals;
  }

  async batch(writes: readonly Write[]): Promise<readonly Write[]> {
    this.#decide(writes);
    await this.#disk.stored();
    return [];
  }

  async alarms({ shard, until, limit, after }: AlarmRange): Promise<AlarmPage> {
    this.#disk.checkOpen();
    const prefix = alarmsOf(shard);
    const end = until === null ? null : ordered(Math.max(0, until));
    const afterText = after === null ? null : textOf(after.key);
    const from = after === null || afterText === null ? prefix : `${prefix}${ordered(after.minute)}${afterText}\0`;
    const alarms: AlarmPlace[] = [];
    for (const text of this.#disk.texts({ from, to: prefix + LAST })) {
      const { minute, order, row } = alarmIn(text);
      if (end !== null && order > end) break;
      const key = keyOf(row);
      if (key === null) continue;
      if (alarms.length === limit) return { alarms, next: alarms.at(-1) ?? null };
      alarms.push({ minute, key });
    }
    return { alarms, next: null };
  }

  storedBytes(body: Uint8Array): number {
    return packedBytes(body);
  }

  /** A writer that has lost is answered when the winner is on the disk: it may try at once, after the others' turn. */
  async pause(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /**
   * The first `max` rows in all partitions whose names begin with `prefix`, after a key. Unreadable rows and expired ones are
   * among them.
   */
  slice(prefix: string, after: RowKey | null, max = SLICE_ROWS): readonly Row[] {
    const afterText = after === null ? null : textOf(after);
    const rows: Row[] = [];
    const from = afterText === null ? prefix || FIRST_ROW : `${afterText}\0`;
    for (const [text, bytes] of this.#disk.range({ from, to: prefix + LAST })) {
      const key = keyOf(text);
      if (key !== null && rows.push(this.#row(key, bytes)) >= max) break;
    }
    return rows;
  }

  /** Removes every row whose time has passed, a slice at a time, so that the process stays responsive; returns how many. */
  async removeExpired(): Promise<number> {
    let removed = 0;
    let from = FIRST_ROW;
    for (let seen = SLICE_ROWS; seen === SLICE_ROWS; ) {
      seen = 0;
      const due: string[] = [];
      for (const [text, bytes] of this.#disk.range({ from, to: LAST })) {
        from = `${text}\0`;
        if (keyOf(text) !== null && isOver(bytes, this.#now())) due.push(text);
        if (++seen === SLICE_ROWS) break;
      }
      const changes: Changes = new Map();
      for (const text of due) {
        const newest = this.#disk.newest(text);
        if (newest === undefined || !isOver(newest, this.#now())) continue;
        this.#set(changes, text, newest, null);
        removed++;
      }
      this.#disk.change(changes);
      await this.#disk.stored();
      if (seen === SLICE_ROWS) await this.pause();
    }
    return removed;
  }

  /** Bytes of the file that hold rows, and all of its bytes. */
  size(): { readonly usedBytes: number; readonly fileBytes: number } {
    return this.#disk.size();
  }

  /** How often this process has written to the disk. */
  get commits(): number {
    return this.#disk.commits;
  }
  get path(): string {
    return this.#disk.path;
  }

  /** Resolves when everything is on the disk and the file is closed. Calls that come later throw. */
  async close(): Promise<void> {
    await this.#disk.close();
  }

  *#entries({ partition, from, to, reverse = false, after = null }: Range): Generator<readonly [RowKey, Buffer]> {
    const [first = null, last = null, before = null] = [from, to, after?.sort ?? ''].map((sort) =>
      textOf({ partition, sort }),
    );
    if (first === null || last === null || before === null) return;
    const stretch = reverse
      ? { from: `${partition}\0`, to: after === null ? last : before, reverse }
      : { from: after === null ? first : `${before}\0`, to: `${last}\0` };
    for (const [text, bytes] of this.#disk.range(stretch)) {
      if (reverse && after !== null && text === before) continue;
      const sort = text.slice(partition.length + 1);
      if (reverse && comesBefore(sort, from)) return;
      yield [{ partition, sort }, bytes];
    }
  }

  /** Carries out all writes, or none and says why. What it has changed is not on the disk yet. */
  #decide(writes: readonly Write[]): readonly (Refusal | null)[] | null {
    this.#disk.checkOpen();
    const found = writes.map((write) => {
      const text = textOf(write.key);
      if (text === null) throw cannotBeKey(write.key);
      return { write, text, bytes: this.#disk.newest(text) };
    });
    const refusals = found.map(({ write, bytes }) => this.#refusal(write, bytes));
    if (refusals.some((refusal) => refusal !== null)) return refusals;
    const changes: Changes = new Map();
    for (const { write, text, bytes } of found) {
      if (write.kind === 'put') this.#set(changes, text, bytes, write.fields);
      if (write.kind === 'update') this.#set(changes, text, bytes, this.#updated(write, bytes));
      if (write.kind === 'delete' && bytes !== undefined) this.#set(changes, text, bytes, null);
    }
    this.#disk.change(changes);
    return null;
  }

  /** @throws what {@link Row.fault} says of a row that the condition asks about */
  #refusal({ key, condition, returnOld = false }: Write, bytes: Buffer | undefined): Refusal | null {
    if (condition === undefined) return null;
    const row = bytes === undefined ? null : this.#row(key, bytes);
    const asksForFields = condition.op !== 'absent' && condition.op !== 'exists';
    if (asksForFields && row?.fault !== undefined) throw row.fault;
    return holds(condition, row?.fields ?? null) ? null : { kind: 'condition', row: returnOld ? row : null };
  }

  #updated({ key, set, remove = [] }: Write & { readonly kind: 'update' }, bytes: Buffer | undefined): Fields {
    if (bytes === undefined) return set;
    const row = this.#row(key, bytes);
    if (row.fault !== undefined) throw row.fault;
    const fields = { ...row.fields, ...set };
    for (const name of remove) delete fields[name];
    return fields;
  }

  /** Changes a row and, with it, its place among the alarms. null: it is removed. */
  #set(changes: Changes, text: string, before: Buffer | undefined, fields: Fields | null): void {
    const alarm = fields === null ? null : alarmText(text, fields);
    const old = before !== undefined && mayHaveAlarm(before) ? this.#alarmsOf(text, before) : [];
    for (const each of old) if (each !== alarm) changes.set(each, null);
    if (alarm !== null && !old.includes(alarm)) changes.set(alarm, NOTHING);
    changes.set(text, fields === null ? null : encodeRow(fields));
  }

  /** Where the row is among the alarms. A damaged row does not say so, but they do. */
  #alarmsOf(text: string, bytes: Buffer): readonly string[] {
    try {
      const alarm = alarmText(text, decodeRow(NO_KEY, bytes));
      return alarm === null ? [] : [alarm];
    } catch {
      return [...this.#disk.texts({ from: alarmsOf(0), to: FIRST_ROW })].filter((alarm) => alarmIn(alarm).row === text);
    }
  }

  #row(key: RowKey, bytes: Buffer): Row {
    const unreadable = (cause: unknown): Error => this.#unreadable(key, cause);
    try {
      return { key, fields: decodeRow(key, bytes), unreadable };
    } catch (error) {
      return { key, fields: {}, fault: isNewerFormat(error) ? (error as Error) : unreadable(error) };
    }
  }

  #keyRow(key: RowKey, bytes: Buffer): Row {
    try {
      checkRow(key, bytes);
      return { key, fields: {} };
    } catch {
      return this.#row(key, bytes);
    }
  }

  /** That a row cannot be decoded, and what its owner can do. */
  #unreadable({ partition, sort }: RowKey, cause: unknown): UnreadableRow {
    const name = `${partition} ${sort}`;
    const advice = `put a copy of the file in its place, or stop Muster and start it once with --discard-row '${name}'`;
    return new UnreadableRow(name, this.path, advice, cause);
  }
}

type Changes = Map<string, Buffer | null>;

const NO_KEY: RowKey = { partition: '', sort: '' };
