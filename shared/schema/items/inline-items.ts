import { messageOf } from '../../domain/base/error-text.ts';
import type { ItemList } from '../../domain/items/item-list.ts';
import {
  type ListFault,
  type NumberedRow,
  type ParsedList,
  badList,
  emptyLine,
  linesOf,
  listOfRows,
} from './item-text.ts';

// The text of the annotation `muster.run/items`.

/**
 * Reads an inline list: the first line has the columns, separated by a tab or single spaces; then comes a line an item. An item's
 * line that starts with `[` is a JSON array of strings. In a list of one column any other line is the value, whole. Otherwise the
 * values are separated by tabs, or, in a line without a tab, by single spaces.
 */
export function parseInlineItems(text: string): ParsedList {
  const [head, ...lines] = linesOf(text);
  if (head === undefined || head === '') return badList([{ line: 1, message: 'must name the columns' }]);
  const columns = head.split(head.includes('\t') ? '\t' : ' ');
  const rows: NumberedRow[] = [];
  const faults: ListFault[] = [];
  for (const [i, content] of lines.entries()) {
    const line = i + 2;
    const row = valuesOf(content, columns.length);
    if (row === null) faults.push(emptyLine(line));
    else if (typeof row === 'string') faults.push({ line, message: row });
    else rows.push({ line, row });
  }
  return faults.length > 0 ? badList(faults) : listOfRows(columns, 1, rows);
}

/** An item's values; null: the line is empty; a text: what is wrong with it. */
function valuesOf(line: string, columns: number): readonly string[] | string | null {
  if (line === '') return null;
  if (line.startsWith('[')) return arrayOf(line);
  if (columns === 1) return [line];
  return line.split(line.includes('\t') ? '\t' : ' ');
}

function arrayOf(line: string): readonly string[] | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return `starts with [ and is no JSON array: ${messageOf(error)}`;
  }
  const isOfStrings = Array.isArray(value) && value.every((each): each is string => typeof each === 'string');
  return isOfStrings ? (value as readonly string[]) : 'must be a JSON array of strings';
}

/** The text of an inline list, which reads back as the same list. */
export const formatInlineItems = ({ columns, rows }: ItemList): string =>
  [columns.join('\t'), ...rows.map(lineOf)].map((line) => `${line}\n`).join('');

function lineOf(row: readonly string[]): string {
  const line = row.join('\t');
  const isPlain =
    line !== '' &&
    !line.startsWith('[') &&
    !line.includes('\n') &&
    !line.endsWith('\r') &&
    (row.length === 1 || row.every((value) => !value.includes('\t')));
  return isPlain ? line : JSON.stringify(row);
}
