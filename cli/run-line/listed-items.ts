import { CLIENT_LIMITS, generateMatrix, numbersOf } from '../../shared/domain/items/generate-items.ts';
import { type ItemList, columnsFault, counted } from '../../shared/domain/items/item-list.ts';
import { formatOfFile } from '../../shared/schema/items/list-formats.ts';
import { usageFailure } from '../shell/failure.ts';
import { listIn, shownFile } from './list-file.ts';
import type { EnvFlag } from '../shell/env-flags.ts';
import type { ListFlags, ReadFile } from './line-flags.ts';

/** The items that options say. */
export type ListedItems = {
  readonly list: ItemList;
  /** What to tell the user about them. */
  readonly notes: readonly string[];
  /** From `--array 1-9%4`; null: not said. */
  readonly parallelism: number | null;
  /** Variables that are the same for all items. */
  readonly env: readonly EnvFlag[];
};

const plain = (list: ItemList, notes: readonly string[] = []): ListedItems => ({
  list,
  notes,
  parallelism: null,
  env: [],
});

/** `NAME=VALUES` in its two parts. */
function named(option: string, text: string): readonly [name: string, values: string] {
  const at = text.indexOf('=');
  if (at < 1) throw usageFailure(`${option} ${text}: write NAME=VALUES`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function refuseColumns(option: string, columns: readonly string[]): void {
  const fault = columnsFault(columns);
  if (fault !== null) throw usageFailure(`${option}: ${fault}`);
}

const PER_COMPLETION_ENV = '--per-completion-env';

/**
 * `--per-completion-env K="a b c"`, `K=@FILE`, or `K=@-`, each a column; all have the same number of values.
 *
 * Inline values are words. A file has an item a line. The 2016 design also has a file with all items in one line, so a file of
 * just one line is taken as words, which a note says.
 */
export function perCompletionEnv(texts: readonly string[], flags: ListFlags, readFile: ReadFile): ListedItems {
  const given = texts.map((text) => named(PER_COMPLETION_ENV, text));
  const columns = given.map(([name]) => name);
  refuseColumns(PER_COMPLETION_ENV, columns);
  const notes: string[] = [];
  const values = given.map(([name, text]) => {
    const read = valuesOf(name, text, flags, readFile);
    notes.push(...read.notes);
    return read.values;
  });
  const [first = []] = values;
  if (values.some((each) => each.length !== first.length)) {
    const lengths = columns.map((name, i) => {
      const count = values[i]?.length ?? 0;
      return i === 0 ? `${name} has ${counted(count, 'value')}` : `${name} ${count}`;
    });
    throw usageFailure(`${PER_COMPLETION_ENV}: all need the same number of values: ${lengths.join(', ')}`);
  }
  return plain({ columns, rows: first.map((_, index) => values.map((each) => each[index] ?? '')) }, notes);
}

function valuesOf(
  name: string,
  text: string,
  flags: ListFlags,
  readFile: ReadFile,
): { readonly values: readonly string[]; readonly notes: readonly string[] } {
  const { format, skipEmpty = false, allowEmpty: allowsEmpty = false } = flags;
  const options = { header: false, columns: [name], skipEmpty, allowsEmpty };
  const column = ({ rows }: ItemList): readonly string[] => rows.map(([value = '']) => value);
  if (!text.startsWith('@'))
    return {
      values: column(listIn(text, { ...options, format: 'words' }, `${PER_COMPLETION_ENV} ${name}`)),
      notes: [],
    };
  if (format !== undefined && format !== 'lines' && format !== 'words')
    throw usageFailure(`${PER_COMPLETION_ENV} ${name}: --format ${format} is for --items; a column is lines or words`);
  const file = text.slice(1);
  const from = shownFile(file);
  const bytes = readFile(file);
  const values = column(listIn(bytes, { ...options, format: format ?? 'lines' }, from));
  const [only = ''] = values;
  if (format !== undefined || values.length > 1 || !/[ \t]/.test(only.trim())) return { values, notes: [] };
  const words = column(listIn(bytes, { ...options, format: 'words' }, from));
  const note = `${from} has one line: its ${words.length} words are the items; --format lines makes the line one item`;
  return { values: words, notes: [note] };
}

/** `--items @FILE`; the format is that of the name, or `--format`. */
export function itemsOfFile(text: string, flags: ListFlags, readFile: ReadFile): ListedItems {
  if (!text.startsWith('@') || text === '@')
    throw usageFailure(`--items ${text}: write @FILE, or @- for standard input`);
  const file = text.slice(1);
  const { header = false, columns, skipEmpty = false, allowEmpty: allowsEmpty = false, batch } = flags;
  const format = flags.format ?? formatOfFile(file);
  if (format === null) throw usageFailure(`--items ${text}: say what it is: --format lines, words, csv, tsv, or jsonl`);
  const options = {
    format,
    header,
    skipEmpty,
    allowsEmpty,
    isBatched: batch !== undefined,
    ...(columns === undefined ? {} : { columns }),
  };
  return plain(listIn(readFile(file), options, shownFile(file)));
}

/** `--matrix node=18,20 --matrix os=a,b`: all combinations; the first name changes slowest. `os=` has none. */
export function itemsOfMatrix(texts: readonly string[]): ListedItems {
  const notes: string[] = [];
  const values = texts.map((text) => {
    const [name, joined] = named('--matrix', text);
    const each = joined === '' ? [] : joined.split(',').flatMap((part) => spelledOut(text, part));
    const [, first, last] = /^(\d+)-(\d+)$/.exec(joined) ?? [];
    if (first !== undefined && last !== undefined)
      notes.push(`${name} has one value, ${joined}; for the numbers from ${first} to ${last}, write ${first}..${last}`);
    if (each.includes('')) throw usageFailure(`--matrix ${text}: ${name} has an empty value`);
    return { name, values: each };
  });
  const columns = values.map(({ name }) => name);
  if (values.some((each) => each.values.length === 0)) {
    refuseColumns('--matrix', columns);
    return plain({ columns, rows: [] });
  }
  const made = generateMatrix({ values }, CLIENT_LIMITS);
  if (made.kind === 'ok') return plain(made.list, notes);
  throw usageFailure(made.faults.map(({ message }) => `--matrix: ${message}`).join('\n'));
}

/** The numbers of a part such as `1..9` or `1..9..2`, as a shell's braces count; else the part itself. */
function spelledOut(text: string, part: string): readonly string[] {
  const [, first, last, by = '1'] = /^(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?$/.exec(part) ?? [];
  if (first === undefined || last === undefined) return [part];
  if ([first, last, by].some((each) => each.startsWith('-')))
    throw usageFailure(`--matrix ${text}: ${part} counts up from 0 or more; write other numbers out, as in -1,0,1`);
  const read = numbersOf(`${first}-${last}:${by}`, CLIENT_LIMITS.items);
  if (read.kind === 'bad') throw usageFailure(`--matrix ${text}: ${read.message}`);
  return read.numbers.map(String);
}

/** Slurm's name of the number of an array's task. */
const ARRAY_COLUMN = 'SLURM_ARRAY_TASK_ID';

/** `--array 3,7,10-20:2%4`, as sbatch has it: numbers, and after `%` how many run at once. */
export function itemsOfArray(text: string): ListedItems {
  const [, range = '', atOnce] = /^([^%]*)(?:%(.*))?$/s.exec(text) ?? [];
  if (atOnce !== undefined && !/^[1-9]\d{0,8}$/.test(atOnce))
    throw usageFailure(`--array ${text}: after % comes how many run at once, such as %4`);
  if (range === '') return plain({ columns: [ARRAY_COLUMN], rows: [] });
  const read = numbersOf(range, CLIENT_LIMITS.items);
  if (read.kind === 'bad') throw usageFailure(`--array: ${read.message}`);
  const numbers = read.numbers.toSorted((a, b) => a - b);
  const twice = numbers.find((number, i) => number === numbers[i - 1]);
  if (twice !== undefined) throw usageFailure(`--array ${text}: ${twice} occurs twice`);
  return {
    list: { columns: [ARRAY_COLUMN], rows: read.numbers.map((number) => [`${number}`]) },
    notes: [],
    parallelism: atOnce === undefined ? null : Number(atOnce),
    env: [
      { name: 'SLURM_ARRAY_TASK_COUNT', value: `${numbers.length}` },
      { name: 'SLURM_ARRAY_TASK_MIN', value: `${numbers[0] ?? 0}` },
      { name: 'SLURM_ARRAY_TASK_MAX', value: `${numbers.at(-1) ?? 0}` },
    ],
  };
}
