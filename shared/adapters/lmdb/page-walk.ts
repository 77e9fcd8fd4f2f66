/** What a meta page says of the trees of its file. */
export type Trees = {
  readonly pageBytes: number;
  readonly lastPage: number;
  /** The last one; no page can be of a later. */
  readonly transaction: number;
  /** null: the tree is empty. */
  readonly free: Tree | null;
  readonly main: Tree | null;
};
export type Tree = { readonly root: number; readonly depth: number };

/** Fills a buffer with what the file holds from the beginning of a page on. */
type ReadPage = (into: Buffer, page: number) => void;

/**
 * Why the pages of an LMDB file are not as LMDB writes them; null: they are. LMDB trusts its pages: a damaged one ends the
 * process with a signal, or makes it write over rows. So each page that a tree leads to must say its own number and kind and
 * hold its nodes, with keys in order, and no page may be used twice, or be used and free. What rows hold is not looked at. The
 * layout is that of `MDB_page`, `MDB_node`, and `MDB_IDL` in the version that the npm package brings.
 *
 * @param read reads pages up to `lastPage`
 */
export function faultInPages(trees: Trees, read: ReadPage): string | null {
  const pages = new Pages(trees, read);
  try {
    if (trees.main !== null) new Walk(pages, trees.main, false).run();
    if (trees.free !== null) new Walk(pages, trees.free, true).run();
    return null;
  } catch (error) {
    if (error instanceof PageFault) return error.message;
    throw error;
  }
}

class PageFault extends Error {}

/** Sizes and places in bytes. What a page says of its own places is counted from the end of its header. */
const HEADER = { bytes: 24, transaction: 8, flags: 18, lower: 20, upper: 22, count: 20 } as const;
const NODE = { bytes: 8, flags: 4, keyBytes: 6 } as const;
/** Where a large value is: its first page, a transaction, how many pages. */
const PLACE = { bytes: 24, transaction: 8, count: 16 } as const;
const IS_PLACE = 0x01;
const KINDS = { branch: 0x01, leaf: 0x02, overflow: 0x04 } as const;
/** Of a page's flags those that say what it is; others are for pages in memory. */
const KIND_MASK = 0x6f;
const DEPTH_MAX = 32;

/** The pages of a file, and which of them have been named. */
class Pages {
  readonly pageBytes: number;
  readonly #transaction: number;
  readonly #named: Uint8Array;
  readonly #read: ReadPage;

  constructor({ pageBytes, lastPage, transaction }: Trees, read: ReadPage) {
    this.pageBytes = pageBytes;
    this.#transaction = transaction;
    this.#named = new Uint8Array(lastPage + 1);
    this.#read = read;
  }

  /** Something says that it owns `count` pages from `first` on. */
  take(first: number, count = 1): void {
    if (!(first > 1 && count > 0 && first + count <= this.#named.length))
      throw new PageFault(`page ${first} is beyond its end`);
    for (let page = first; page < first + count; page++) {
      if (this.#named[page] === 1) throw new PageFault(`page ${page} is used twice`);
      this.#named[page] = 1;
    }
  }

  /** Reads a page that must be this one, and of this kind. */
  read(into: Buffer, page: number, kind: keyof typeof KINDS): void {
    this.#read(into, page);
    if (longAt(into, 0) !== page || (into.readUInt16LE(HEADER.flags) & KIND_MASK) !== KINDS[kind])
      throw new PageFault(`page ${page} is no ${kind} page`);
    this.#checkTransaction(page, longAt(into, HEADER.transaction));
  }

  /** LMDB takes a page of a later transaction for one that is in memory. */
  #checkTransaction(page: number, of: number): void {
    if (of < 0 || of > this.#transaction) throw new PageFault(`page ${page} is of transaction ${of}`);
  }

  /** Takes the pages of a large value. */
  takeLarge(place: Buffer, bytes: number): { readonly first: number; readonly count: number } {
    const first = longAt(place, 0);
    const count = Math.floor((HEADER.bytes - 1 + bytes) / this.pageBytes) + 1;
    if (longAt(place, PLACE.count) !== count) throw new PageFault(`page ${first} is not as long as its value`);
    this.#checkTransaction(first, longAt(place, PLACE.transaction));
    this.take(first, count);
    const header = Buffer.alloc(HEADER.bytes);
    this.read(header, first, 'overflow');
    if (header.readUInt32LE(HEADER.count) !== count) throw new PageFault(`page ${first} is not as long as its value`);
    return { first, count };
  }

  /** The value in pages that were taken. */
  largeValue(first: number, count: number, bytes: number): Buffer {
    const all = Buffer.alloc(count * this.pageBytes);
    this.#read(all, first);
    return all.subarray(HEADER.bytes, HEADER.bytes + bytes);
  }
}

/** The way through one tree, in the order of its keys. */
class Walk {
  readonly #pages: Pages;
  readonly #tree: Tree;
  /** Keys are numbers of transactions, values lists of pages that nothing uses any more. */
  readonly #isFree: boolean;
  /** A page for each level. */
  readonly #levels: readonly Buffer[];
  /** The key before, and whether a branch has it: then the leaf below may begin with the same. */
  #before: Buffer | null = null;
  #isFromBranch = false;

  constructor(pages: Pages, tree: Tree, isFree: boolean) {
    if (tree.depth < 1 || tree.depth > DEPTH_MAX) throw new PageFault(`a tree has ${tree.depth} levels`);
    this.#pages = pages;
    this.#tree = tree;
    this.#isFree = isFree;
    this.#levels = Array.from({ length: tree.depth }, () => Buffer.alloc(pages.pageBytes));
  }

  run(): void {
    this.#visit(this.#tree.root, 0);
  }

  #visit(no: number, level: number): void {
    const page = this.#levels[level];
    if (page === undefined) return;
    const isLeaf = level === this.#levels.length - 1;
    this.#pages.take(no);
    this.#pages.read(page, no, isLeaf ? 'leaf' : 'branch');
    const lower = page.readUInt16LE(HEADER.lower);
    const upper = page.readUInt16LE(HEADER.upper);
    const nodes = lower / 2;
    let left = page.length - HEADER.bytes - upper;
    const fewest = isLeaf || this.#isFree ? 1 : 2;
    if (!Number.isInteger(nodes) || nodes < fewest || lower > upper || left < 0)
      throw new PageFault(`page ${no} lists ${nodes} nodes`);
    for (let n = 0; n < nodes; n++) {
      const at = HEADER.bytes + page.readUInt16LE(HEADER.bytes + 2 * n);
      if (at < HEADER.bytes + upper || at + NODE.bytes > page.length)
        throw new PageFault(`page ${no} does not hold its node ${n}`);
      const flags = page.readUInt16LE(at + NODE.flags);
      const keyAt = at + NODE.bytes;
      const keyEnd = keyAt + page.readUInt16LE(at + NODE.keyBytes);
      const bytes = isLeaf ? page.readUInt32LE(at) : 0;
      const end = keyEnd + (isLeaf && flags === IS_PLACE ? PLACE.bytes : bytes);
      left -= end - at;
      if (end > page.length || left < 0 || (isLeaf && flags > IS_PLACE))
        throw new PageFault(`page ${no} does not hold its node ${n}`);
      // The first key of a branch stands for all that are lower; nothing reads it.
      if (isLeaf || n > 0) this.#follow(no, page.subarray(keyAt, keyEnd), isLeaf);
      if (isLeaf) this.#value(page.subarray(keyEnd, end), bytes, flags === IS_PLACE);
      else this.#visit(page.readUInt32LE(at) + flags * 2 ** 32, level + 1);
    }
    // The next leaf is read into the same memory.
    if (isLeaf && this.#before !== null) this.#before = Buffer.from(this.#before);
  }

  #follow(no: number, key: Buffer, isLeaf: boolean): void {
    if (this.#isFree && key.length !== 8) throw new PageFault(`page ${no} has a key that is no number`);
    const before = this.#before;
    if (before !== null) {
      const order = this.#isFree ? longAt(key, 0) - longAt(before, 0) : key.compare(before);
      if (order < 0 || (order === 0 && !(isLeaf && this.#isFromBranch)))
        throw new PageFault(`page ${no} has keys out of order`);
    }
    this.#before = isLeaf ? key : Buffer.from(key);
    this.#isFromBranch = !isLeaf;
  }

  #value(held: Buffer, bytes: number, isPlace: boolean): void {
    const large = isPlace ? this.#pages.takeLarge(held, bytes) : null;
    if (!this.#isFree) return;
    const list = large === null ? held : this.#pages.largeValue(large.first, large.count, bytes);
    const length = list.length < 8 ? -1 : longAt(list, 0);
    if (length < 0 || 8 * (length + 1) > list.length) throw new PageFault('a list of free pages is cut off');
    // A page; or minus how many, then the first of them; or 0, which says nothing.
    for (let n = 1; n <= length; n++) {
      const entry = longAt(list, 8 * n);
      if (entry > 0) this.#pages.take(entry);
      else if (entry < 0 && n < length) this.#pages.take(longAt(list, 8 * ++n), -entry);
      else if (entry < 0) throw new PageFault('a list of free pages is cut off');
    }
  }
}

const longAt = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at) + bytes.readInt32LE(at + 4) * 2 ** 32;
