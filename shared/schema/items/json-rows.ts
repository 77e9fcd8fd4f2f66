import { messageOf } from '../../domain/base/error-text.ts';
import { columnCountFault } from '../../domain/items/item-list.ts';
import { alteredText } from '../text/altered-numbers.ts';
import { readJsonText } from '../text/json-text.ts';
import { type ListFault, type NumberedRow, type ReadRows, emptyLine, linesOf } from './item-text.ts';

type Options = { readonly header: boolean; readonly columns?: readonly string[]; readonly skipEmpty: boolean };

/**
 * The rows of lines of JSON: each an array of values, an object with a value for each column, or a single value. Values are
 * strings, numbers, and booleans. Objects name their columns; without names given, those of the first count.
 */
export function rowsOfJsonLines(text: string, { header, columns, skipEmpty }: Options): ReadRows {
  const rows: NumberedRow[] = [];
  const faults: ListFault[] = [];
  let names: readonly string[] | null = columns ?? null;
  for (const [i, content] of linesOf(text).entries()) {
    const line = i + 1;
    if (content.trim() === '') {
      if (!skipEmpty) faults.push(emptyLine(line));
      continue;
    }
    const read = valueOf(content);
    if (read.kind === 'ok' && isObject(read.value) && !header && names === null) {
      names = Object.keys(read.value);
      const fault = columnCountFault(names.length);
      if (fault !== null) return { kind: 'bad', faults: [{ line, message: fault }] };
    }
    const row = read.kind === 'ok' ? rowOf(read.value, names) : read;
    if (row.kind === 'ok') rows.push({ line, row: row.value });
    else faults.push({ line, message: row.message });
  }
  if (faults.length > 0) return { kind: 'bad', faults };
  return { kind: 'rows', rows, ...(names === null ? {} : { columns: names }) };
}

type Read<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'bad'; readonly message: string };

const bad = (message: string) => ({ kind: 'bad', message }) as const;

function valueOf(content: string): Read<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    return bad(`is not JSON: ${messageOf(error)}`);
  }
  const {
    strays: {
      told: [twice],
    },
    altered: [altered],
  } = readJsonText(content);
  if (twice !== undefined) return bad(`the field ${JSON.stringify(twice.path)} occurs twice`);
  return altered === undefined ? { kind: 'ok', value } : bad(alteredText(altered.text));
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The values of a line, as texts. `columns`: null where no names are known. */
function rowOf(value: unknown, columns: readonly string[] | null): Read<readonly string[]> {
  if (!isObject(value))
    return textsOf(Array.isArray(value) ? value.map((each, i) => [`value ${i + 1}`, each]) : [['the value', value]]);
  if (columns === null) return bad('is an object, which names its columns itself: leave the header out');
  const unknown = Object.keys(value).find((name) => !columns.includes(name));
  if (unknown !== undefined) return bad(`${JSON.stringify(unknown)} is none of the columns ${columns.join(', ')}`);
  const missing = columns.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return bad(`the column ${JSON.stringify(missing)} is missing`);
  return textsOf(columns.map((name) => [JSON.stringify(name), value[name]]));
}

function textsOf(values: readonly (readonly [name: string, value: unknown])[]): Read<readonly string[]> {
  const wrong = values.find(([, value]) => !['string', 'number', 'boolean'].includes(typeof value));
  if (wrong === undefined) return { kind: 'ok', value: values.map(([, value]) => String(value)) };
  return bad(`${wrong[0]} must be a string, a number, or a boolean`);
}
