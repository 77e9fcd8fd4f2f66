import {
  type ItemList,
  ITEMS_MAX,
  ONLY_COLUMN,
  columnsFault,
  counted,
  itemFault,
} from '../../shared/domain/items/item-list.ts';
import { usageFailure } from '../shell/failure.ts';
import { listIn, shownFile } from './list-file.ts';
import type { ListFlags, ReadFile } from './line-flags.ts';

// The input sources of GNU parallel, after the command: `::: a b`, `:::: FILE`, `:::+ c d`, `::::+ FILE`.

const TOKENS = [':::', ':::+', '::::', '::::+'] as const;
type Token = (typeof TOKENS)[number];

/** One token and the words up to the next one. */
export type Source = { readonly token: Token; readonly words: readonly string[] };

/** The words of a command line: the command, and the sources behind it. */
export function splitSources(words: readonly string[]): {
  readonly command: readonly string[];
  readonly sources: readonly Source[];
} {
  const tokenOf = (word: string): Token | undefined => TOKENS.find((token) => token === word);
  const command: string[] = [];
  const sources: { token: Token; words: string[] }[] = [];
  for (const word of words) {
    const token = tokenOf(word);
    const last = sources.at(-1);
    if (token !== undefined) sources.push({ token, words: [] });
    else if (last === undefined) command.push(word);
    else last.words.push(word);
  }
  return { command, sources };
}

/** Words after `:::` that look like options: they are items, which may be a slip. Text: what to say; null: there is none. */
export function optionsAmongItems(sources: readonly Source[]): string | null {
  const found = sources
    .filter(({ token }) => !token.startsWith('::::'))
    .flatMap(({ words }) => words.filter((word) => /^--?[A-Za-z]/.test(word)));
  const [first] = found;
  if (first === undefined) return null;
  const others = found.length === 1 ? 'is an item' : `and ${found.length - 1} more are items`;
  return `${first} ${others} here, because of the ::: before; options of muster run come before --`;
}

/** Rows of one or, with `--colsep`, several columns. */
type Table = readonly (readonly string[])[];

/**
 * The items of sources: all combinations, the first source slowest; a source with `+` goes along with the one before it. The
 * columns are `ITEM`, or `ITEM_1`, `ITEM_2`, and so on, unless `--columns` names them.
 */
export function itemsOfSources(sources: readonly Source[], flags: ListFlags, readFile: ReadFile): ItemList {
  const groups: Table[] = [];
  for (const { table, isLinked, said } of sources.flatMap((source) => tablesOf(source, flags, readFile))) {
    if (!isLinked) {
      groups.push(table);
      continue;
    }
    const before = groups.pop();
    if (before === undefined) throw usageFailure(`${said}: there is no source before it to go along with`);
    if (before.length !== table.length)
      throw usageFailure(
        `${said} has ${counted(table.length, 'value')}, and the source before it has ${before.length}`,
      );
    groups.push(before.map((row, i) => [...row, ...(table[i] ?? [])]));
  }
  const count = groups.reduce((product, table) => product * table.length, 1);
  if (count > ITEMS_MAX) throw usageFailure(`${count} items are more than the limit of ${ITEMS_MAX}`);
  const rows = groups.reduce<Table>(
    (product, table) => product.flatMap((row) => table.map((own) => [...row, ...own])),
    [[]],
  );
  const width = rows[0]?.length ?? flags.columns?.length ?? groups.length;
  const columns =
    flags.columns ?? (width === 1 ? [ONLY_COLUMN] : Array.from({ length: width }, (_, i) => `${ONLY_COLUMN}_${i + 1}`));
  if (columns.length !== width)
    throw usageFailure(`--columns has ${counted(columns.length, 'name')}, and there are ${width} columns`);
  const fault = columnsFault(columns) ?? rows.map((row, i) => itemFault(row, i, width)).find((each) => each !== null);
  if (fault !== undefined && fault !== null) throw usageFailure(fault);
  return { columns, rows };
}

type ReadSource = { readonly table: Table; readonly isLinked: boolean; readonly said: string };

/** A source of words, or one for each file. */
function tablesOf({ token, words }: Source, flags: ListFlags, readFile: ReadFile): readonly ReadSource[] {
  const isLinked = token.endsWith('+');
  const [first] = words;
  if (first === undefined && token.startsWith('::::')) throw usageFailure(`${token} needs a file after it`);
  if (!token.startsWith('::::')) return [{ table: split(words, flags, token), isLinked, said: token }];
  return words.map((file) => {
    const said = `${token} ${shownFile(file)}`;
    const { skipEmpty = false, allowEmpty: allowsEmpty = false } = flags;
    const options = { format: 'lines', header: false, columns: [ONLY_COLUMN], skipEmpty, allowsEmpty } as const;
    const { rows } = listIn(readFile(file), options, shownFile(file));
    return {
      table: split(
        rows.map(([line = '']) => line),
        flags,
        said,
      ),
      isLinked,
      said,
    };
  });
}

/** What only a regular expression would have; a `\t` is a tab, because nobody can type one. */
const REGEX = /[\\[\](){}*+?^$]/;

function split(values: readonly string[], { colsep }: ListFlags, said: string): Table {
  if (colsep === undefined) return values.map((value) => [value]);
  const separator = colsep === '\\t' ? '\t' : colsep;
  if (separator === '' || REGEX.test(separator))
    throw usageFailure(`--colsep ${colsep}: it is taken as it is, not as a regular expression: , or \\t, for example`);
  const rows = values.map((value) => value.split(separator));
  const width = rows[0]?.length ?? 0;
  const odd = rows.findIndex((row) => row.length !== width);
  if (odd !== -1)
    throw usageFailure(
      `${said}: value ${odd + 1} has ${counted(rows[odd]?.length ?? 0, 'column')}, and value 1 has ${width}`,
    );
  return rows;
}
