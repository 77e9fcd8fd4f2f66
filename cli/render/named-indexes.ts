import { shortItem } from '../../shared/domain/base/shown-index.ts';
import { type IndexState, paintOf } from './grid.ts';
import { type Segment, type Theme, widthOf } from './theme.ts';

/** Indexes of one state with what they work on: the first of them. */
export type NamedIndexes = {
  readonly state: IndexState;
  /** How many indexes have the state. */
  readonly count: number;
  readonly first: readonly { readonly index: number; readonly item: string }[];
};

const BETWEEN = '   ';

const ITEM_COLUMNS_MIN = 24;
/** On a wide terminal longer items are whole, if there is room for two beside each other. */
const ENTRIES_MIN = 2;
/** What stands before an item: blanks, and an index of a few digits. */
const AROUND_ITEM = 12;

/** A line for each state: its sign in the grid, and as many indexes with their items as fit, then how many more there are. */
export const namedLines = (
  named: readonly NamedIndexes[],
  columns: number,
  theme: Theme,
): readonly (readonly Segment[])[] =>
  named.filter(({ first }) => first.length > 0).map((each) => lineOf(each, columns, theme));

function lineOf({ state, count, first }: NamedIndexes, columns: number, { glyphs }: Theme): readonly Segment[] {
  const line: Segment[] = [{ text: glyphs[state], paint: paintOf(state) }];
  const itemColumns = Math.max(ITEM_COLUMNS_MIN, Math.floor(columns / ENTRIES_MIN) - AROUND_ITEM);
  for (const [nth, { index, item }] of first.entries()) {
    const entry: Segment[] = [
      { text: `${nth === 0 ? ' ' : BETWEEN}${index} `, paint: 'dim' },
      { text: shortItem(item, itemColumns) },
    ];
    const left = count - nth - 1;
    const room = columns - (left > 0 ? restOf(left).length : 0);
    // The first one is shown in any case, cut if need be.
    if (nth > 0 && widthOf(line) + widthOf(entry) > room) return [...line, { text: restOf(count - nth), paint: 'dim' }];
    line.push(...entry);
  }
  return count > first.length ? [...line, { text: restOf(count - first.length), paint: 'dim' }] : line;
}

const restOf = (count: number): string => `${BETWEEN}+${count}`;
