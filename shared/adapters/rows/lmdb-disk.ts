import { type RootDatabase, type RootDatabaseOptionsWithPath, open } from 'lmdb';
import { growFile } from '../lmdb/file-space.ts';
import { StoreFileError, diskFull, isDiskFull, markMade, prepareLmdbFile } from '../lmdb/lmdb-file.ts';

/** Changes that reach the disk together, all or none. null: the row is removed. */
type Batch = {
  readonly changes: Map<string, Buffer | null>;
  readonly done: Promise<void>;
  readonly settle: (error: unknown) => void;
};

type Stretch = {
  readonly from: string;
  /** Left out; so is `from` in reverse order. */
  readonly to: string;
  readonly reverse?: boolean;
};

/**
 * An LMDB file that belongs to this process alone: bytes by texts, in order of the texts' UTF-8. A change is visible to decisions
 * at once, and to reads when it is on the disk. All changes of one turn of the event loop share one flush, and so do those that
 * are made while an earlier flush is under way.
 */
export class LmdbDisk {
  readonly path: string;
  /** What keys and rows mean. */
  readonly format: number;
  readonly #db: RootDatabase<Buffer, string>;
  #next: Batch = newBatch();
  #flushing: Batch | null = null;
  #isScheduled = false;
  #isClosed = false;
  #commits = 0;

  /**
   * @param path of the file; created with mode 0600, in the newest format, where it does not exist
   * @param oldest format that the caller knows
   * @throws StoreFileError where the file is none of ours, torn, or of another format; errors of the disk
   */
  constructor(path: string, oldest = FORMAT) {
    prepareLmdbFile(path);
    this.path = path;
    [this.#db, this.format] = openDatabase(path, oldest);
    markMade(path);
  }

  /** What is on the disk. */
  get(text: string): Buffer | undefined {
    this.checkOpen();
    return this.#db.get(text);
  }

  /** What the newest change says, stored or not. */
  newest(text: string): Buffer | undefined {
    this.checkOpen();
    for (const batch of [this.#next, this.#flushing]) {
      const change = batch?.changes.get(text);
      if (change !== undefined) return change ?? undefined;
    }
    return this.#db.get(text);
  }

  /** What is on the disk, read while it is used. */
  *range({ from, to, reverse = false }: Stretch): Generator<readonly [text: string, bytes: Buffer]> {
    this.checkOpen();
    const range = reverse ? { start: to, end: from, reverse } : { start: from, end: to };
    for (const { key, value } of this.#db.getRange(range)) yield [key, value];
  }

  /** The same without the bytes. */
  *texts({ from, to }: Stretch): Generator<string> {
    this.checkOpen();
    for (const key of this.#db.getKeys({ start: from, end: to })) yield key;
  }

  /** Changes all of it; {@link stored} says when it is on the disk. */
  change(changes: ReadonlyMap<string, Buffer | null>): void {
    this.checkOpen();
    for (const [text, bytes] of changes) this.#next.changes.set(text, bytes);
  }

  /**
   * Resolves when every change until now is on the disk.
   *
   * @throws errors of the disk; then none of the changes that were not there are made
   */
  async stored(): Promise<void> {
    if (this.#next.changes.size === 0) return this.#flushing?.done;
    if (!this.#isScheduled && this.#flushing === null) {
      this.#isScheduled = true;
      setImmediate(() => void this.#flush());
    }
    return this.#next.done;
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
    await this.stored().catch(() => undefined); // its callers learn of it
    await this.#db.close();
  }

  /** LMDB itself would end the process. */
  checkOpen(): void {
    if (this.#isClosed) throw new Error(`${this.path} is closed`);
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
      growFile(this.path, this.#endBytesAfter(changes));
      const each: Promise<unknown>[] = [];
      const all = this.#db.batch(() => {
        for (const [text, bytes] of changes)
          each.push(bytes === null ? this.#db.remove(text) : this.#db.put(text, bytes));
      });
      await Promise.all([all, ...each]);
      this.#commits++;
      return null;
    } catch (error) {
      return causeOf(error, this.path);
    }
  }
}

/** A file of a later format is refused; those of earlier ones are taken over. */
const FORMAT = 3;
const FORMAT_KEY = 'FORMAT';

/** Opens what {@link prepareLmdbFile} has checked. Writes the format into an empty file; closes a file of another. */
function openDatabase(path: string, oldest: number): readonly [RootDatabase<Buffer, string>, format: number] {
  const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
    path,
    permissionsMode: 0o600,
    noSubdir: true,
    mapSize: MAP_BYTES,
    encoding: 'binary',
    keyEncoder: TEXT_KEYS,
    cache: false,
    // A commit is answered when it is on the disk, not before.
    overlappingSync: false,
    // Batches are made here; those that the package makes of its own leave a rejected promise behind on a full disk.
    eventTurnBatching: false,
  };
  const db = open<Buffer, string>(options);
  const [first] = db.getKeys({ start: '\0', limit: 1 });
  if (first === undefined) db.putSync(FORMAT_KEY, formatRow(FORMAT));
  const format = formatIn(db.get(FORMAT_KEY));
  if (format !== null && format >= oldest && format <= FORMAT) return [db, format];
  void db.close();
  throw new StoreFileError(`${path} ${faultInFormat(format)}`);
}

function faultInFormat(format: number | null): string {
  if (format === null) return "is not a store of Muster's; give --data another folder";
  if (format < FORMAT)
    return `has format ${format}, of an earlier version of Muster: only \`muster local\` takes it over`;
  return `has format ${format}; this version of Muster knows ${FORMAT}: install a newer one, or give --data another folder`;
}

/** Every release can read it: a byte 1, four of zeros, the format as a 64-bit number. */
const FORMAT_BYTES = 13;
const FORMAT_AT = 5;
function formatRow(format: number): Buffer {
  const bytes = Buffer.alloc(FORMAT_BYTES);
  bytes.writeUInt8(1, 0);
  bytes.writeDoubleBE(format, FORMAT_AT);
  return bytes;
}
const formatIn = (bytes: Buffer | undefined): number | null =>
  bytes?.[0] === 1 && bytes.length === FORMAT_BYTES ? bytes.readDoubleBE(FORMAT_AT) : null;

/** Texts as their UTF-8. The package's own form of text is another one for control characters. */
const TEXT_KEYS = {
  /** The package takes another buffer after a RangeError. */
  writeKey(key: string, target: Buffer, at: number): number {
    const room = target.length - at;
    if (key.length * 3 > room && Buffer.byteLength(key) > room) throw new RangeError('the key does not fit');
    return at + target.write(key, at, 'utf8');
  },
  readKey: (target: Buffer, from: number, to: number): string => target.toString('utf8', from, to),
};

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
