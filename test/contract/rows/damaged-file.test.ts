import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LmdbDisk } from '../../../shared/adapters/rows/lmdb-disk.ts';

const dir = mkdtempSync(join(tmpdir(), 'muster-damaged-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** What opening a file says; null: it is open, and closed again. */
async function faultOf(path: string): Promise<string | null> {
  try {
    await new LmdbDisk(path).close();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A store with rows of all sizes, and pages that nothing uses any more. */
let whole: Buffer;
beforeAll(async () => {
  const path = join(dir, 'whole.lmdb');
  const disk = new LmdbDisk(path);
  for (let wave = 0; wave < 6; wave++) {
    for (let n = 0; n < 200; n++) {
      const isGone = wave === 5 && n % 3 === 0;
      const bytes = isGone ? null : Buffer.alloc(n % 20 === 0 ? 9_000 : 15 + n * 2, 'x');
      disk.change(new Map([[`k${String(n).padStart(4, '0')}`, bytes]]));
    }
    await disk.stored();
  }
  await disk.close();
  whole = readFileSync(path);
});

const PAGE_BYTES = 4_096;
const HEADER_BYTES = 24;
const pageAt = (file: Buffer, no: number): Buffer => file.subarray(no * PAGE_BYTES, (no + 1) * PAGE_BYTES);
const newestMeta = (file: Buffer): Buffer =>
  [pageAt(file, 0), pageAt(file, 1)].toSorted((a, b) => Number(b.readBigUInt64LE(152) - a.readBigUInt64LE(152)))[0]!;
const rootOf = (file: Buffer): number => newestMeta(file).readUInt32LE(136);
const freeRootOf = (file: Buffer): number => newestMeta(file).readUInt32LE(88);
const nodeAt = (page: Buffer, n: number): number => HEADER_BYTES + page.readUInt16LE(HEADER_BYTES + 2 * n);
/** The page that a node of the root leads to. */
const childOf = (file: Buffer, n: number): number => {
  const root = pageAt(file, rootOf(file));
  return root.readUInt32LE(nodeAt(root, n));
};
const leafOf = (file: Buffer): Buffer => pageAt(file, childOf(file, 1));
/** Where the first large value of a leaf says which page it begins on. */
const largePlace = (file: Buffer): { readonly leaf: Buffer; readonly at: number } => {
  for (let n = 0; ; n++) {
    const leaf = pageAt(file, childOf(file, n));
    for (let node = 0; node < leaf.readUInt16LE(20) / 2; node++) {
      const at = nodeAt(leaf, node);
      if (leaf.readUInt16LE(at + 4) === 1) return { leaf, at: at + 8 + leaf.readUInt16LE(at + 6) };
    }
  }
};

describe('a file with', () => {
  test('pages as they were written is opened', async () => {
    const path = join(dir, 'copy.lmdb');
    copyFileSync(join(dir, 'whole.lmdb'), path);
    expect(await faultOf(path)).toBeNull();
  });

  test.each<[string, (file: Buffer) => unknown, RegExp]>([
    ['a branch in place of a leaf', (file) => leafOf(file).writeUInt16LE(1, 18), /page \d+ is no leaf page/],
    ['a leaf of zeros', (file) => leafOf(file).fill(0), /page \d+ is no leaf page/],
    ['another page in place of one', (file) => leafOf(file).writeUInt32LE(7_777, 0), /page \d+ is no leaf page/],
    ['a leaf in place of the root', (file) => newestMeta(file).writeUInt16LE(1, 102), /page \d+ is no leaf page/],
    ['a page of a later transaction', (file) => leafOf(file).writeUInt32LE(9_999, 8), /is of transaction 9999/],
    ['a page that lists no nodes', (file) => leafOf(file).writeUInt16LE(0, 20), /page \d+ lists 0 nodes/],
    ['a node beyond its page', (file) => leafOf(file).writeUInt16LE(4_090, 24), /does not hold its node 0/],
    ['a value beyond its page', (file) => leafOf(file).writeUInt16LE(5_000, nodeAt(leafOf(file), 2)), /its node \d+/],
    ['a key that sorts elsewhere', (file) => leafOf(file).write('z', nodeAt(leafOf(file), 2) + 8), /keys out of order/],
    [
      'two ways to a page',
      (file) => pageAt(file, rootOf(file)).writeUInt32LE(childOf(file, 0), nodeAt(pageAt(file, rootOf(file)), 1)),
      /page \d+ is used twice/,
    ],
    [
      'a way beyond its end',
      (file) => pageAt(file, rootOf(file)).writeUInt32LE(999_999, nodeAt(pageAt(file, rootOf(file)), 1)),
      /page 999999 is beyond its end/,
    ],
    [
      'a large value that is elsewhere',
      (file) => largePlace(file).leaf.writeUInt32LE(childOf(file, 0), largePlace(file).at),
      /page \d+ is (used twice|no overflow page)/,
    ],
    [
      'a large value of another length',
      (file) => largePlace(file).leaf.writeUInt32LE(77, largePlace(file).at + 16),
      /page \d+ is not as long as its value/,
    ],
    [
      'a used page that is listed as free',
      (file) => {
        const free = pageAt(file, freeRootOf(file));
        const at = nodeAt(free, 0) + 8 + 8;
        free.writeBigInt64LE(1n, at);
        free.writeBigInt64LE(BigInt(childOf(file, 1)), at + 8);
      },
      /page \d+ is used twice/,
    ],
    [
      'a list of free pages that is cut off',
      (file) => {
        const free = pageAt(file, freeRootOf(file));
        free.writeBigInt64LE(99_999n, nodeAt(free, 0) + 8 + 8);
      },
      /a list of free pages is cut off/,
    ],
    [
      'a large value whose pages say another length',
      (file) => {
        const { leaf, at } = largePlace(file);
        pageAt(file, leaf.readUInt32LE(at)).writeUInt32LE(77, 20);
      },
      /page \d+ is not as long as its value/,
    ],
    [
      'a run of free pages without its first',
      (file) => {
        const free = pageAt(file, freeRootOf(file));
        const at = nodeAt(free, 0) + 8 + 8;
        free.writeBigInt64LE(1n, at);
        free.writeBigInt64LE(-2n, at + 8);
      },
      /a list of free pages is cut off/,
    ],
    [
      'a list of free pages of no transaction',
      (file) => pageAt(file, freeRootOf(file)).writeUInt16LE(7, nodeAt(pageAt(file, freeRootOf(file)), 0) + 6),
      /a key that is no number/,
    ],
    ['a tree that is too high', (file) => newestMeta(file).writeUInt16LE(99, 102), /a tree has 99 levels/],
    ['one meta page', (file) => pageAt(file, 1).fill(0), /page 1 is no meta page/],
    ['the other meta page', (file) => pageAt(file, 0).fill(0), /it is not a store of Muster's|page 0 is no meta page/],
  ])('%s is refused, with what to do', async (name, damage, expected) => {
    const path = join(dir, `${name.replaceAll(' ', '-')}.lmdb`);
    const file = Buffer.from(whole);
    damage(file);
    writeFileSync(path, file);
    const fault = await faultOf(path);
    expect(fault).toMatch(expected);
    expect(fault?.startsWith(`${path} is damaged: `)).toBe(true);
    expect(fault).toContain(`; put a copy of it in its place, or move ${dir} away to begin without its Jobs`);
    expect(readFileSync(path).equals(file)).toBe(true);
  });
});

describe('a file that held rows', () => {
  test.each(['empty', 'missing'] as const)('and is %s is not begun anew', async (how) => {
    const path = join(dir, `lost-${how}.lmdb`);
    expect(await faultOf(path)).toBeNull();
    if (how === 'empty') writeFileSync(path, '');
    else rmSync(path);
    const before = readdirSync(dir).toSorted();
    expect(await faultOf(path)).toBe(
      `${path} is ${how}, and it held Jobs; put a copy of it in its place, or move ${dir} away to begin without its Jobs`,
    );
    expect(readdirSync(dir).toSorted()).toEqual(before);
  });

  test('is one from its first row on: what a start left that ended before that is begun anew', async () => {
    const path = join(dir, 'begun.lmdb');
    writeFileSync(path, '');
    expect(await faultOf(path)).toBeNull();
    writeFileSync(path, '');
    expect(await faultOf(path)).toContain(' is empty, and it held Jobs');
  });
});
