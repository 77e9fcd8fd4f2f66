import { ONLY_COLUMN, columnCountFault, counted, lineBreakFault } from '../../domain/items/item-list.ts';
import { rowsOfCsv } from './csv-rows.ts';
import {
  type ListFault,
  type NumberedRow,
  type ParsedList,
  type ReadRows,
  badList,
  decodeList,
  emptyLine,
  linesOf,
  listOfRows,
} from './item-text.ts';
import { rowsOfJsonLines } from './json-rows.ts';
import type { ListFormat } from './list-formats.ts';

export type ListOptions = {
  readonly format: ListFormat;
  /** The first row holds the columns' names. */
  readonly header: boolean;
  /** The columns' names; with `header`, in place of those. A single column without a name is `ITEM`. */
  readonly columns?: readonly string[];
  /** Leave out empty lines, which are faults otherwise. */
  readonly skipEmpty: boolean;
  /** Several items make one variable, a line each: no value may have a line break. */
  readonly isBatched?: boolean;
  /** A list without items is right, too. */
  readonly allowsEmpty?: boolean;
};

/**
 * Reads a work list. No quoting except in CSV and JSON; nothing is ever evaluated.
 *
 * - lines: a line an item, whole
 * - words: an item between blanks and newlines
 * - csv: RFC 4180; tsv: tabs between values, no quoting
 * - jsonl: a line an item: an array, an object with the columns' names, or a single value
 */
export function parseItems(source: string | Uint8Array, options: ListOptions): ParsedList {
  const fault = columnCountFault(options.columns?.length ?? 0);
  if (fault !== null) return badList([{ line: 1, message: fault }]);
  const text = typeof source === 'string' ? source.replace(/^\uFEFF/, '') : decodeList(source);
  if (typeof text !== 'string') return badList(text);
  const broken = nulsIn(text);
  if (broken.length > 0) return badList(broken);
  const read = rowsOf(text, options);
  if (read.kind === 'bad') return badList(read.faults);
  const own = options.columns ?? read.columns;
  return named(read.rows, own === undefined ? options : { ...options, columns: own });
}

function nulsIn(text: string): readonly ListFault[] {
  if (!text.includes('\0')) return [];
  return text.split('\n').flatMap((content, i) => {
    const at = content.indexOf('\0');
    return at === -1 ? [] : [{ line: i + 1, column: at + 1, message: 'contains NUL' }];
  });
}

function rowsOf(text: string, options: ListOptions): ReadRows {
  switch (options.format) {
    case 'words':
      return rowsOfWords(text, options);
    case 'lines':
      return rowsOfLines(text, options.skipEmpty, (line) => [line]);
    case 'tsv':
      return rowsOfLines(text, options.skipEmpty, (line) => line.split('\t'));
    case 'csv':
      return rowsOfCsv(text, options.skipEmpty);
    case 'jsonl':
      return rowsOfJsonLines(text, options);
  }
}

function rowsOfWords(text: string, { header }: ListOptions): ReadRows {
  if (header) return badList([{ line: 1, message: 'a list of words has no header: name its column' }]);
  const rows = text
    .split('\n')
    .flatMap((content, i) =>
      content.split(/[ \t\r]+/).flatMap((word) => (word === '' ? [] : [{ line: i + 1, row: [word] }])),
    );
  return { kind: 'rows', rows };
}

function rowsOfLines(text: string, skipEmpty: boolean, split: (line: string) => readonly string[]): ReadRows {
  const rows: NumberedRow[] = [];
  const faults: ListFault[] = [];
  for (const [i, line] of linesOf(text).entries()) {
    if (line !== '') rows.push({ line: i + 1, row: split(line) });
    else if (!skipEmpty) faults.push(emptyLine(i + 1));
  }
  return faults.length > 0 ? { kind: 'bad', faults } : { kind: 'rows', rows };
}

function named(all: readonly NumberedRow[], options: ListOptions): ParsedList {
  const { format, header, columns, isBatched = false, allowsEmpty } = options;
  const [first] = all;
  const headLine = first?.line ?? 1;
  const head = header ? first?.row : undefined;
  const rows = header ? all.slice(1) : all;
  const width = (head ?? first?.row)?.length ?? 1;
  if (header && first === undefined) return badList([{ line: 1, message: 'there is no header' }]);
  const wanted = columns ?? head ?? (width === 1 ? [ONLY_COLUMN] : null);
  if (wanted === null) {
    const message = `has ${width} values: name the columns, or say that the first ${format === 'jsonl' ? 'array' : 'line'} is a header`;
    return badList([{ line: headLine, message }]);
  }
  if (head !== undefined && wanted.length !== head.length)
    return badList([
      {
        line: headLine,
        message: `the header has ${counted(head.length, 'column')}; ${counted(wanted.length, 'name')} given`,
      },
    ]);
  const broken = isBatched
    ? rows.flatMap(({ line, row }) => {
        const message = lineBreakFault(wanted, row);
        return message === null ? [] : [{ line, message }];
      })
    : [];
  return broken.length > 0 ? badList(broken) : listOfRows(wanted, headLine, rows, allowsEmpty);
}
