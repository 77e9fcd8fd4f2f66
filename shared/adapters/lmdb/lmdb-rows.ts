import { type RootDatabase, type RootDatabaseOptionsWithPath, open } from 'lmdb';
import type { EpochMs } from '../../domain/base/time.ts';
import { growFile } from './file-space.ts';
import { StoreFileError, diskFull, isDiskFull, markMade, prepareLmdbFile } from './lmdb-file.ts';
import { isShortEnough } from './lmdb-keys.ts';
import { EMPTY, type Row, type RowWrite, decodeRow, encodeRow, isExpired, unreadable } from './lmdb-row.ts';
import { ifReadable } from '../../domain/base/unreadable-row.ts';
import { isNewerFormat } from '../../domain/base/newer-format.ts';

/** What a decision may read and change: rows as all decisions before it have left them, stored or not. */
export type Transaction = {
  /** null: there is none, or its time has passed. */
  get(key: string): Row | null;
  put(key: string, row: RowWrite): void;
  remove(key: string): void;
};

type RangeOptions = {
  readonly reverse?: boolean;
  readonly skipUnreadable?: boolean;
  readonly onNewer?: ((key: string) => void) | undefined;
};

/** null: a row of a later release, whose key `onNewer` has got. */
function unlessNewer(key: string, read: () => Row | null, onNewer: RangeOptions['onNewer']): Row | null {
  try {
    return read();
  } catch (error) {
    if (onNewer === undefined || !isNewerFormat(error)) throw error;
    onNewer(key);
    return null;
  }
}

/** Changes that reach the disk together, all or none. null: the row is removed. */
type Batch = {
  readonly changes: Map<string, Buffer | null>;
  readonly done: Promise<void>;
  readonly settle: (error: unknown) => void;
};

/**
 * Rows in an LMDB file that belongs to this process alone. A decision is made at once, on the newest rows, and answered
 * when its changes are on the disk. All decisions of one turn of the event loop share one flush, and so do those that are
 * made while an earlier flush is under way. A plain read sees what is on the disk, nothing else: no caller acts on a change
 * that a crash could take back.
 */
export class LmdbRows {
  readonly #db: RootDatabase<Buffer, string>;
  readonly #now: () => EpochMs;
  readonly #path: string;
  #next: Batch = newBatch();
  #flushing: Batch | null = null;
  #isScheduled = false;
  #isClosed = false;
  #commits = 0;

  /**
   * @param path of the file; created with mode 0600 where it does not exist
   * @throws StoreFileError where the file is none of ours, or torn; errors of the disk
   */
  constructor(path: string, now: () => EpochMs) {
    prepareLmdbFile(path);
    this.#now = now;
    this.#path = path;
    const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
      path,
      permissionsMode: 0o600,
      noSubdir: true,
      mapSize: MAP_BYTES,
      encoding: 'binary',
      cache: false,
      // A commit is answered when it is on the disk, not before.
      overlappingSync: false,
      // Batches are made here; those that the package makes of its own leave a rejected promise behind on a full disk.
      eventTurnBatching: false,
    };
    this.#db = open<Buffer, string>(options);
    const fault = this.#format();
    if (fault !== null) throw new StoreFileError(`${path} ${fault}`);
    markMade(path);
  }

  /** The row on the disk; null: there is none, or its time has passed. */
  read(key: string): Row | null {
    this.#checkOpen();
    return isShortEnough(key) ? this.#alive(key, this.#db.get(key)) : null;
  }

  /**
   * Rows on the disk with keys from `from` to `to`, in order of their keys, or in reverse order.
   *
   * @throws UnreadableRow, unless such rows are to be skipped; NewerFormatError, unless `onNewer` gets their keys
   */
  *range(
    from: string,
    to: string,
    { reverse = false, skipUnreadable = false, onNewer }: RangeOptions = {},
  ): Generator<readonly [key: string, row: Row]> {
    this.#checkOpen();
    if (!isShortEnough(from)) return;
    // LMDB leaves out the end.
    const range = reverse
      ? this.#db.getRange({ start: to, end: from, reverse })
      : this.#db.getRange({ start: from, end: `${to}\0` });
    for (const { key, value } of range) {
      const read = (): Row | null => this.#alive(key, value);
      const row = unlessNewer(key, skipUnreadable ? () => ifReadable(read) : read, onNewer);
      if (row !== null) yield [key, row];
    }
  }

  /** Keys of rows on the disk from `from` to `to`, in order. What a row holds is not needed, so it may be unreadable. */
  *keys(from: string, to: string): Generator<string> {
    this.#checkOpen();
    if (!isShortEnough(from)) return;
    for (const { key, value } of this.#db.getRange({ start: from, end: `${to}\0` }))
      if (this.#isAlive(key, value)) yield key;
  }

  get path(): string {
    return this.#path;
  }

  /**
   * Decides, and stores what was decided.
   *
   * @returns what `decide` returned, once that and everything that it has read is on the disk
   * @throws what `decide` throws, and then nothing is stored; errors of the disk, and then nothing is stored either
   */
  async transact<T>(decide: (rows: Transaction) => T): Promise<T> {
    this.#checkOpen();
    const changes = new Map<string, Buffer | null>();
    const get = (key: string): Row | null => this.#alive(key, changes.has(key) ? changes.get(key) : this.#newest(key));
    const answer = decide({
      get,
      put(key, { ttl, ...row }) {
        changes.set(key, encodeRow({ ...row, ttl: ttl === undefined ? (get(key)?.ttl ?? null) : ttl }));
      },
      remove: (key) => void changes.set(key, null),
    });
    for (const [key, bytes] of changes) this.#next.changes.set(key, bytes);
    await this.#stored();
    return answer;
  }

  /** Removes every row whose time has passed, a slice at a time, so that the process stays responsive. */
  async removeExpired(): Promise<number> {
    let removed = 0;
    let after = '';
    for (;;) {
      this.#checkOpen();
      const keys: string[] = [];
      let seen = 0;
      for (const { key, value } of this.#db.getRange({ start: `${after}\0`, limit: SLICE_ROWS })) {
        seen++;
        after = key;
        if (!this.#isAlive(key, value)) keys.push(key);
      }
      await this.transact((rows) => {
        for (const key of keys) if (rows.get(key) === null) rows.remove(key);
      });
      removed += keys.length;
      if (seen < SLICE_ROWS) return removed;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Bytes of the file that hold rows, and all of its bytes: what rows have left is used again, never given back. */
  size(): { readonly usedBytes: number; readonly fileBytes: number } {
    const stats = this.#db.getStats() as Stats;
    const free = stats.free.entryCount === 0 ? 0 : stats.free.treeLeafPageCount;
    const used = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages + free;
    return { usedBytes: used * stats.pageSize, fileBytes: (stats.lastPageNumber + 1) * stats.pageSize };
  }

  /** How often this process has written to the disk. */
  get commits(): number {
    return this.#commits;
  }

  /** Resolves when everything is on the disk and the file is closed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#stored().catch(() => undefined); // its callers learn of it
    await this.#db.close();
  }

  /** Writes the format into an empty file; else, what is wrong with that of this file. */
  #format(): string | null {
    const bytes = this.#db.get(FORMAT_KEY);
    const [first] = this.#db.getKeys({ limit: 1 });
    if (bytes === undefined && first !== undefined) return "is not a store of Muster's; give --data another folder";
    if (bytes === undefined) this.#db.putSync(FORMAT_KEY, encodeRow({ version: FORMAT, ttl: null, body: EMPTY }));
    const version = bytes === undefined ? FORMAT : decodeRow(FORMAT_KEY, bytes).version;
    if (version <= FORMAT) return null;
    return `has format ${version}; this version of Muster knows ${FORMAT}: install a newer one, or give --data another folder`;
  }

  /** LMDB itself would end the process. */
  #checkOpen(): void {
    if (this.#isClosed) throw new Error(`${this.#path} is closed`);
  }

  #newest(key: string): Buffer | null | undefined {
    for (const batch of [this.#next, this.#flushing]) {
      const change = batch?.changes.get(key);
      if (change !== undefined) return change;
    }
    return this.#db.get(key);
  }

  #alive(key: string, bytes: Buffer | null | undefined): Row | null {
    if (bytes === undefined || bytes === null) return null;
    const from = { key, path: this.#path };
    let row: Row;
    try {
      row = decodeRow(key, bytes);
    } catch (error) {
      throw isNewerFormat(error) ? error : unreadable(from, error);
    }
    return isExpired(row, this.#now()) ? null : { ...row, from };
  }

  /** Also of a row that cannot be decoded. */
  #isAlive(key: string, bytes: Buffer): boolean {
    return ifReadable(() => (this.#alive(key, bytes) === null ? 'gone' : 'alive')) !== 'gone';
  }

  /** Resolves when every change until now is on the disk. */
  async #stored(): Promise<void> {
    if (this.#next.changes.size === 0) return this.#flushing?.done;
    if (!this.#isScheduled && this.#flushing === null) {
      this.#isScheduled = true;
      setImmediate(() => void this.#flush());
    }
    return this.#next.done;
  }

  /** Writes batches until there is none left. Never rejects: their callers learn of errors. */
  async #flush(): Promise<void> {
    this.#isScheduled = false;
    while (this.#next.changes.size > 0) {
      const batch = this.#next;
      this.#flushing = batch;
      this.#next = newBatch();
      const error = await this.#write(batch.changes);
      this.#flushing = null;
      batch.settle(error);
      if (error === null) continue;
      // What was decided meanwhile was decided on rows that there are not.
      const { settle } = this.#next;
      this.#next = newBatch();
      settle(error);
    }
  }

  /** Where the file ends at most when these changes are in it: each may copy a page and split it. */
  #endBytesAfter(changes: Batch['changes']): number {
    const { pageSize, lastPageNumber, treeBranchPageCount, treeLeafPageCount } = this.#db.getStats() as Stats;
    let bytes = 0;
    for (const row of changes.values()) bytes += row?.length ?? 0;
    const pages = lastPageNumber + 2 * Math.min(changes.size, treeBranchPageCount + treeLeafPageCount) + SPARE_PAGES;
    return pages * pageSize + 2 * bytes;
  }

  /** null: it is on the disk. Else why it is not; then nothing of it is. */
  async #write(changes: Batch['changes']): Promise<unknown> {
    try {
      growFile(this.#path, this.#endBytesAfter(changes));
      const each: Promise<unknown>[] = [];
      const all = this.#db.batch(() => {
        for (const [key, bytes] of changes) each.push(bytes === null ? this.#db.remove(key) : this.#db.put(key, bytes));
      });
      await Promise.all([all, ...each]);
      this.#commits++;
      return null;
    } catch (error) {
      return causeOf(error, this.#path);
    }
  }
}

/**
 * Why a commit failed. The package tells in a promise beside its error; LMDB says EIO for a write that came out short, as
 * on a full disk.
 */
async function causeOf(error: unknown, path: string): Promise<unknown> {
  const cause = await Promise.resolve((error as { readonly commitError?: unknown } | null)?.commitError).catch(
    (reason: unknown) => reason,
  );
  if (isDiskFull(path)) return diskFull(path, error);
  return cause ?? error ?? new Error(`${path} was not written`);
}

/** What keys and rows mean. A file of a later format is refused. */
const FORMAT = 1;
const FORMAT_KEY = 'FORMAT';

/** Rows that one step of {@link LmdbRows.removeExpired} looks at: some milliseconds of work. */
const SLICE_ROWS = 2_000;

/** Addresses, not memory. While a file outgrows its map, LMDB keeps the old map beside the new one. */
const MAP_BYTES = 1024 ** 3;

/** For the path from the root, and for the list of pages that a commit sets free. */
const SPARE_PAGES = 64;

/** What LMDB counts (its `mdb_stat` and `mdb_envinfo`). */
type Stats = {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly lastPageNumber: number;
  readonly free: { readonly entryCount: number; readonly treeLeafPageCount: number };
};

function newBatch(): Batch {
  let settle: Batch['settle'] = () => undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === null ? resolve() : reject(error as Error));
  });
  done.catch(() => undefined); // a batch that nobody waits for must not end the process
  return { changes: new Map(), done, settle };
}
