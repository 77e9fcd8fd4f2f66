import { cutToWidth } from './text-width.ts';

/** What the indexes of a Job work on, as lines; null: no list, or not known. */
export type ItemOf = (index: number) => string | null;

/** Columns that an item takes within a sentence or a line of a log. */
const ITEM_COLUMNS_MAX = 24;

/**
 * An item for people, on one line and cut if it is long; of a batch, its first item and how many more there are.
 *
 * @param line the item as its task has it in MUSTER_ITEM
 */
export function shortItem(line: string, columns = ITEM_COLUMNS_MAX): string {
  const [first = '', ...others] = line.split('\n');
  const more = others.length === 0 ? '' : ` +${others.length}`;
  return cutToWidth(visible(first), columns - more.length) + more;
}

/** Control characters and those that turn the direction of what follows would change the rest of the line. */
const visible = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
    .trim();

/** `index 17 (banana.txt)`; without an item `index 17`. */
export function indexText(index: number, item: string | null): string {
  const shown = item === null ? '' : shortItem(item);
  return shown === '' ? `index ${index}` : `index ${index} (${shown})`;
}

/** The same for a text that is in brackets already: `index 17: banana.txt`. */
export function indexWithin(index: number, item: string | null): string {
  const shown = item === null ? '' : shortItem(item);
  return shown === '' ? `index ${index}` : `index ${index}: ${shown}`;
}

/** How many items a text about several indexes names. */
export const ITEMS_NAMED_MAX = 3;

/**
 * The items of several indexes, as the end of a text about them: `: apple.txt, banana.txt, …`; empty if none is known.
 *
 * @param count how many indexes there are
 * @param items the items of the first of them
 */
export function itemsText(count: number, items: readonly (string | null)[]): string {
  const shown = items
    .slice(0, ITEMS_NAMED_MAX)
    .flatMap((item) => (item === null || shortItem(item) === '' ? [] : [shortItem(item)]));
  return shown.length === 0 ? '' : `: ${shown.join(', ')}${count > shown.length ? ', …' : ''}`;
}
