import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { LmdbDisk } from '../../../shared/adapters/rows/lmdb-disk.ts';
import { changesOf } from '../../../shared/adapters/rows/lmdb-layout.ts';
import { isNewerFormat } from '../../../shared/domain/base/newer-format.ts';
import { discardOldRow } from './discard-old-row.ts';
import { decodeOldRow, unreadableOld } from './format-1.ts';
import { newRowsOf } from './new-rows.ts';

/** The oldest format that is taken over. */
const OLDEST = 1;

/** Rows that become durable together: some milliseconds of work. */
const SLICE_ROWS = 2_000;
const SLICE_BYTES = 4 * 1024 * 1024;

/** Every so many rows a line says how far it is: every few seconds. */
const ROWS_PER_LINE = 200_000;

type Say = (line: string) => void;

/** An open file, and whether the row that was to be discarded is gone. */
type Opened = { readonly disk: LmdbDisk; readonly isDiscarded: boolean };

/** Says that a row was discarded, with what belonged to it: `count` rows in total. */
export const sayGone = (say: Say, row: string, count: number): void =>
  say(`row ${row} is gone${count > 1 ? `, with ${count - 1} more that belonged to it` : ''}`);

/**
 * Opens the file at `path`. One of an earlier format is taken over: its rows are written to a file beside it, which takes its
 * place when it is whole. So a crash, or a full disk, leaves the file as it was, for the next start.
 *
 * @param discard a row that goes before, by its key of that earlier format; null: none
 * @param say gets lines about what is done
 * @throws StoreFileError where the file is none of ours, torn, or of a later format; UnreadableRow where a row cannot be taken
 * over; errors of the disk
 */
export async function openTakenOver(path: string, discard: string | null, say: Say): Promise<Opened> {
  const draft = `${path}-draft`;
  removeDraft(draft);
  const disk = new LmdbDisk(path, OLDEST);
  if (disk.format !== OLDEST) return { disk, isDiscarded: false };
  try {
    if (discard !== null) sayGone(say, discard, await discardOldRow(disk, discard));
    say(`${path} is from an earlier version of Muster: its rows are taken over`);
    const count = await writeDraft(disk, draft, say);
    await disk.close();
    putInPlace(draft, path);
    say(`${count} rows were taken over`);
    return { disk: new LmdbDisk(path), isDiscarded: discard !== null };
  } catch (error) {
    await disk.close();
    removeDraft(draft);
    throw error;
  }
}

/** Writes every row to a new file; returns how many were read. */
async function writeDraft(old: LmdbDisk, draft: string, say: Say): Promise<number> {
  const next = new LmdbDisk(draft);
  try {
    let count = 0;
    for (let from: string | null = FIRST; from !== null; ) {
      const slice: Slice = sliceOf(old, from);
      for (const [key, bytes] of slice.rows) next.change(changesFor(old.path, key, bytes));
      await next.stored();
      const lines = Math.floor(count / ROWS_PER_LINE);
      count += slice.rows.length;
      if (Math.floor(count / ROWS_PER_LINE) > lines) say(`${count} rows were taken over so far`);
      from = slice.next;
    }
    return count;
  } finally {
    await next.close();
  }
}

const FIRST = '\u0001';
const LAST = '\u{10ffff}';

type Slice = { readonly rows: readonly (readonly [key: string, bytes: Buffer])[]; readonly next: string | null };

function sliceOf(old: LmdbDisk, from: string): Slice {
  const rows: (readonly [string, Buffer])[] = [];
  let bytes = 0;
  for (const each of old.range({ from, to: LAST })) {
    if (rows.length >= SLICE_ROWS || bytes >= SLICE_BYTES) return { rows, next: each[0] };
    if (each[0] !== 'FORMAT') rows.push(each);
    bytes += each[1].length;
  }
  return { rows, next: null };
}

function changesFor(path: string, key: string, bytes: Buffer): ReadonlyMap<string, Buffer> {
  try {
    return changesOf(newRowsOf(key, decodeOldRow(key, bytes)));
  } catch (error) {
    throw isNewerFormat(error) ? error : unreadableOld(key, path, error);
  }
}

/** The rename is what makes the new file count. */
function putInPlace(draft: string, path: string): void {
  sync(draft);
  renameSync(draft, path);
  sync(dirname(path));
  removeDraft(draft);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** What a start has left that did not come to its end. */
function removeDraft(draft: string): void {
  for (const file of [draft, `${draft}-lock`, `${draft}-made`]) rmSync(file, { force: true });
}
