import { type ItemList, ITEMS_MAX, columnsFault, duplicatesIn, itemFault } from '../../domain/items/item-list.ts';

/** What is wrong with a list's text. `line` and `column` count from 1; `column` counts characters. */
export type ListFault = { readonly line: number; readonly column?: number; readonly message: string };

export type ParsedList =
  /** `duplicates`: how many items equal an earlier one */
  | { readonly kind: 'ok'; readonly list: ItemList; readonly duplicates: number }
  | { readonly kind: 'bad'; readonly faults: readonly ListFault[] };

/** A row and the line on which it begins. */
export type NumberedRow = { readonly line: number; readonly row: readonly string[] };

/** Rows, or why the text has no clear rows. */
export type ReadRows =
  /** `columns`: their names, where each row says them itself */
  | { readonly kind: 'rows'; readonly rows: readonly NumberedRow[]; readonly columns?: readonly string[] }
  | { readonly kind: 'bad'; readonly faults: readonly ListFault[] };

/** Nobody reads more, and a file of another format has one on every line. */
const FAULTS_MAX = 20;

export function badList(faults: readonly ListFault[]): { readonly kind: 'bad'; readonly faults: readonly ListFault[] } {
  const more = faults.length - FAULTS_MAX;
  const last = faults[FAULTS_MAX];
  if (last === undefined) return { kind: 'bad', faults };
  return { kind: 'bad', faults: [...faults.slice(0, FAULTS_MAX), { line: last.line, message: `and ${more} more` }] };
}

/**
 * The list of these columns and rows, if all of them are right.
 *
 * @param headLine where the columns come from
 * @param allowsEmpty a list without items is right, too
 */
export function listOfRows(
  columns: readonly string[],
  headLine: number,
  rows: readonly NumberedRow[],
  allowsEmpty = false,
): ParsedList {
  const columnFault = columnsFault(columns);
  if (columnFault !== null) return badList([{ line: headLine, message: columnFault }]);
  if (rows.length === 0 && !allowsEmpty) return badList([{ line: headLine, message: 'the list has no items' }]);
  const [excess] = rows.slice(ITEMS_MAX);
  if (excess !== undefined)
    return badList([{ line: excess.line, message: `${rows.length} items are more than the limit of ${ITEMS_MAX}` }]);
  const faults = rows.flatMap(({ line, row }, index) => {
    const message = itemFault(row, index, columns.length);
    return message === null ? [] : [{ line, message }];
  });
  if (faults.length > 0) return badList(faults);
  const list = { columns, rows: rows.map(({ row }) => row) };
  return { kind: 'ok', list, duplicates: duplicatesIn(list) };
}

const STRICT = new TextDecoder('utf-8', { fatal: true });

/** The text of a file, without a byte order mark; or the lines that are not UTF-8. */
export function decodeList(bytes: Uint8Array): string | readonly ListFault[] {
  try {
    return STRICT.decode(bytes);
  } catch {
    return linesOfBytes(bytes).flatMap((line, i) =>
      isUtf8(line) ? [] : [{ line: i + 1, message: 'is not valid UTF-8' }],
    );
  }
}

/** A byte of a newline is never a part of another character in UTF-8. */
function linesOfBytes(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from <= bytes.length; ) {
    const newline = bytes.indexOf(0x0a, from);
    const end = newline === -1 ? bytes.length : newline;
    lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return lines;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    STRICT.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The lines of a text: it is split at newlines only; `\r` before a newline and a last newline are dropped. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export const emptyLine = (line: number): ListFault => ({ line, message: 'is empty' });
