import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { LmdbDisk } from '../../../shared/adapters/rows/lmdb-disk.ts';
import { FIRST_ROW, keyOf } from '../../../shared/adapters/rows/lmdb-layout.ts';
import { newRowOf } from './format-2.ts';

/** The oldest format that is taken over. */
const OLDEST = 2;

/** Rows that become durable together: some milliseconds of work. */
const SLICE_ROWS = 2_000;
const SLICE_BYTES = 4 * 1024 * 1024;

/** Every so many rows a line says how far it is: every few seconds. */
const ROWS_PER_LINE = 200_000;

type Say = (line: string) => void;

/** Names of rows that one line says. */
const NAMED_MAX = 10;

/**
 * Opens the file at `path`. One of an earlier format is taken over: its rows are written to a file beside it, which takes its
 * place when it is whole. So a crash, or a full disk, leaves the file as it was, for the next start. A row that cannot be decoded
 * is kept as it is.
 *
 * @param say gets lines about what is done
 * @throws StoreFileError where the file is none of ours, torn, or of a later format; NewerFormatError for a row of a later
 * release in a file of an earlier one; errors of the disk
 */
export async function openTakenOver(path: string, say: Say): Promise<LmdbDisk> {
  const draft = `${path}-draft`;
  removeDraft(draft);
  const disk = new LmdbDisk(path, OLDEST);
  if (disk.format !== OLDEST) return disk;
  try {
    say(`${path} is from an earlier version of Muster: its rows are taken over`);
    const { count, unreadable, names } = await writeDraft(disk, draft, say);
    await disk.close();
    putInPlace(draft, path);
    say(`${count} rows were taken over`);
    const named = names.join(', ') + (unreadable > names.length ? ', …' : '');
    if (unreadable > 0) say(`${unreadable} of them cannot be decoded and stay as they are: ${named}`);
  } catch (error) {
    await disk.close();
    removeDraft(draft);
    throw error;
  }
  return new LmdbDisk(path);
}

/** Before all alarms, which are before {@link FIRST_ROW}. */
const FIRST = '\0';
const LAST = '\u{10ffff}';

/** `names`: of the first that cannot be decoded. */
type Taken = { readonly count: number; readonly unreadable: number; readonly names: readonly string[] };

/** Writes every row, and every alarm, to a new file, a slice at a time. */
async function writeDraft(old: LmdbDisk, draft: string, say: Say): Promise<Taken> {
  const next = new LmdbDisk(draft);
  try {
    const names: string[] = [];
    let unreadable = 0;
    let count = 0;
    let from = FIRST;
    for (let isMore = true; isMore; await next.stored()) {
      isMore = false;
      let [sliceRows, sliceBytes] = [0, 0];
      for (const [text, bytes] of old.range({ from, to: LAST })) {
        from = `${text}\0`;
        if (text === 'FORMAT') continue;
        const isAlarm = text < FIRST_ROW;
        const row = isAlarm ? bytes : newRowOf(text, bytes);
        next.change(new Map([[text, row ?? bytes]]));
        if (row === null && ++unreadable <= NAMED_MAX) names.push(nameIn(text));
        if (!isAlarm && ++count % ROWS_PER_LINE === 0) say(`${count} rows were taken over so far`);
        sliceBytes += bytes.length;
        isMore = ++sliceRows === SLICE_ROWS || sliceBytes >= SLICE_BYTES;
        if (isMore) break;
      }
    }
    return { count, unreadable, names };
  } finally {
    await next.close();
  }
}

/** As it is given to `--discard-row`. */
function nameIn(text: string): string {
  const key = keyOf(text);
  return key === null ? text : `${key.partition} ${key.sort}`;
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
