import { CsvError, parse } from 'csv-parse/sync';
import { type ListFault, type NumberedRow, type ReadRows, emptyLine } from './item-text.ts';

/**
 * The rows of a CSV text (RFC 4180): commas between values; a value in double quotes may hold commas, newlines, and doubled
 * quotes, and stays as it is written. A broken quote is a fault at its place.
 */
export function rowsOfCsv(text: string, skipEmpty: boolean): ReadRows {
  const rows: NumberedRow[] = [];
  const faults: ListFault[] = [];
  // Offsets in bytes: csv-parse's own count of lines is wrong where a value holds newlines.
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  let line = 1;
  const take = (row: string[], end: number): void => {
    if (isEmptyLine(bytes.subarray(at, end))) {
      if (!skipEmpty) faults.push(emptyLine(line));
    } else rows.push({ line, row });
    line += newlinesIn(bytes, at, end);
    at = end;
  };
  try {
    parse(bytes, {
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true, // rows of another length are counted with their lines, for all formats alike
      on_record: (row: string[], info: { readonly bytes: number }) => {
        take(row, info.bytes);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    faults.push(brokenQuote(new TextDecoder().decode(bytes.subarray(at)), line, Number(error['index'])));
  }
  return faults.length > 0 ? { kind: 'bad', faults } : { kind: 'rows', rows };
}

/** A value in quotes that is empty is a value. */
const isEmptyLine = (line: Uint8Array): boolean =>
  line.length <= 2 && line.every((byte) => byte === 0x0a || byte === 0x0d);

function newlinesIn(bytes: Uint8Array, from: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(0x0a, from); at !== -1 && at < end; at = bytes.indexOf(0x0a, at + 1)) count++;
  return count;
}

/** The fault of a row whose values before `broken` are well formed. */
function brokenQuote(row: string, firstLine: number, broken: number): ListFault {
  let start = 0;
  for (let i = 0; i < broken; i++)
    start = (row[start] === '"' ? closingQuote(row, start) : row.indexOf(',', start) - 1) + 2;
  const close = row[start] === '"' ? closingQuote(row, start) : null;
  if (close === null)
    return {
      ...placeIn(row, row.indexOf('"', start), firstLine),
      message: 'a quote within a value: quote the whole value, and double the quotes in it',
    };
  return close === -1
    ? { ...placeIn(row, start, firstLine), message: 'this quote is never closed' }
    : {
        ...placeIn(row, close + 1, firstLine),
        message: 'a comma or a newline must follow the closing quote; double a quote that is part of the value',
      };
}

/** The position of the quote that closes the one at `open`; -1: none does. */
function closingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at !== -1; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at;
  return -1;
}

function placeIn(row: string, at: number, firstLine: number): { readonly line: number; readonly column: number } {
  const before = row.slice(0, at).split('\n');
  return { line: firstLine + before.length - 1, column: (before.at(-1) ?? '').length + 1 };
}
