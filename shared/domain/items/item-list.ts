/** A work list: index i of its Job works on row i. Every row has a value for each column. */
export type ItemList = { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** The most items of a list. */
export const ITEMS_MAX = 1_000_000;
/** The most columns of a list. Each is a variable of a task, and of all of them a launch has room for some hundred. */
export const COLUMNS_MAX = 256;
/** The longest item, in bytes of UTF-8: what an item adds to a launch must fit RunTask's 8,192 characters. */
export const ITEM_BYTES_MAX = 6_144;
/** The column of a list whose only column has no name. */
export const ONLY_COLUMN = 'ITEM';

const RESULT_NAME_BYTES_MAX = 60;
const INDEX_DIGITS = 6;

/** An item in one line, as tasks and people see it: its values, with tabs between them. */
export const itemLine = (row: readonly string[]): string => row.join('\t');

/**
 * The name of an index's result, such as `000001-Äpfel.txt`: the same for every attempt, unique by its number also where capitals
 * do not count, and good as a file name everywhere: letters of all scripts (NFC), digits, dots, dashes. It has at most 60 bytes.
 */
export function resultName(index: number, line: string): string {
  const slug = line
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    .replace(/^[-\p{M}]+/u, '');
  return firstBytes(`${String(index).padStart(INDEX_DIGITS, '0')}-${slug}`, RESULT_NAME_BYTES_MAX).replace(/-+$/, '');
}

/** The beginning of a text, in whole letters with their marks. */
function firstBytes(text: string, max: number): string {
  let kept = '';
  for (const [letter] of text.matchAll(/[^]\p{M}*/gu)) {
    if (Buffer.byteLength(kept + letter) > max) break;
    kept += letter;
  }
  return kept;
}

/** What a task has anyway; a column of this name would hide it. */
const TAKEN: readonly string[] = ['JOB_COMPLETION_INDEX'];
const RESERVED = 'MUSTER_';
/** The one name of a resource that is no identifier: a column may have it, so that lists can say what each item needs. */
const RESOURCE = 'ephemeral-storage';

/**
 * What is wrong with a column's name, which is also the name of a variable; null: nothing.
 *
 * @param before the columns to its left
 */
export function columnFault(name: string, before: ReadonlySet<string> = NONE): string | null {
  if (name === '') return 'a column needs a name';
  const shown = JSON.stringify(name);
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name !== RESOURCE)
    return `the column ${shown} must be a variable's name: letters, digits, and _, no digit first`;
  if (name.startsWith(RESERVED)) return `the column ${shown} needs another name: ${RESERVED}… is reserved for Muster`;
  if (TAKEN.includes(name)) return `the column ${shown} needs another name: every task has this variable anyway`;
  return before.has(name) ? `the column ${shown} occurs twice` : null;
}

const NONE: ReadonlySet<string> = new Set();

/** The first fault of a list's columns; null: there is none. */
export function columnsFault(columns: readonly string[]): string | null {
  if (columns.length === 0) return 'a list needs a column';
  const many = columnCountFault(columns.length);
  if (many !== null) return many;
  const before = new Set<string>();
  for (const name of columns) {
    const fault = columnFault(name, before);
    if (fault !== null) return fault;
    before.add(name);
  }
  return null;
}

/** What is wrong with a number of columns that is too high; null: nothing. */
export const columnCountFault = (columns: number): string | null =>
  columns > COLUMNS_MAX ? `${columns} columns are more than the limit of ${COLUMNS_MAX}` : null;

const UTF8 = new TextEncoder();

/**
 * What is wrong with an item; null: nothing.
 *
 * @param index its index in the list
 * @param columns how many values it must have
 */
export function itemFault(row: readonly string[], index: number, columns: number): string | null {
  const item = `item ${index + 1} (index ${index})`;
  if (row.length !== columns)
    return `${item} has ${counted(row.length, 'value')}; the list has ${counted(columns, 'column')}`;
  const fault = lineFault(itemLine(row));
  return fault === null ? null : `${item} ${fault}`;
}

/** Why a row cannot be one of a batch, whose variables have a line for each item; null: it can. */
export function lineBreakFault(columns: readonly string[], row: readonly string[]): string | null {
  const at = row.findIndex((value) => value.includes('\n'));
  return at === -1
    ? null
    : `column ${columns[at] ?? at + 1}: has a line break, and line breaks separate the items of a batch`;
}

/** What is wrong with an item's line, or with a part of it; null: nothing. */
export function lineFault(line: string): string | null {
  if (line.includes('\0')) return 'contains NUL';
  if (/\p{Surrogate}/u.test(line)) return 'is not valid Unicode (half of a surrogate pair)';
  const bytes = line.length * 3 <= ITEM_BYTES_MAX ? 0 : UTF8.encode(line).length;
  return bytes > ITEM_BYTES_MAX ? `has ${bytes} bytes; the limit is ${ITEM_BYTES_MAX}` : null;
}

/** `1 value`, `2 values`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** How many items equal an earlier one. That is allowed. */
export function duplicatesIn({ rows }: ItemList): number {
  // NUL occurs in no item, so it keeps values apart.
  return rows.length - new Set(rows.map((row) => row.join('\0'))).size;
}
