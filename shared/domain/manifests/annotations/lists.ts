import { ITEM_NAMINGS } from '../../../capabilities/lists/annotation-rows.ts';
import type { ItemNaming, JobAnnotation, Need } from './annotation.ts';
import { FLAG } from './annotation-values.ts';

const ITEMS = 'muster.run/items';
const MATRIX = 'muster.run/matrix';
const PINNED_ITEMS = 'muster.run/pinned-items';

/** Ways to name an object that has the items. */
export const NAMINGS: readonly ItemNaming[] = Object.values<ItemNaming>(ITEM_NAMINGS);

/** Ways to give a work list. */
export const LIST_KEYS: readonly string[] = [ITEMS, ...NAMINGS.map(({ key }) => key), MATRIX];

/** How a Job names what has its items; null: it does not. */
export const namingOf = (annotations: Readonly<Record<string, unknown>> | undefined): ItemNaming | null =>
  NAMINGS.find(({ key }) => annotations?.[key] !== undefined) ?? null;

/** The annotation that has pinned a Job's items, and what it names. */
export const pinnedBy = (
  annotations: Readonly<Record<string, unknown>> | undefined,
): Pick<ItemNaming, 'key' | 'names'> =>
  namingOf(annotations) ?? NAMINGS[0] ?? { key: PINNED_ITEMS, names: 'work list' };

const A_LIST: Need = { anyOf: LIST_KEYS, called: `a work list: ${LIST_KEYS.slice(0, -1).join(', ')} or ${MATRIX}` };

/** Items of one index: what a task may get in one launch is limited anyway. */
const BATCH_MAX = 1_000;

/** Parses a number of items, from 2 up; null: any other text. */
export function parseBatch(text: string): number | null {
  const batch = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  return batch >= 2 && batch <= BATCH_MAX ? batch : null;
}

/** A Job's work list, except a matrix. `job-items-rules.ts` reads the lists themselves. */
export const OF_LISTS = {
  items: { key: ITEMS, explains: 'a work list: a line of columns, then a line for each item', immutable: 'always' },
  ...ITEM_NAMINGS,
  batch: {
    key: 'muster.run/batch',
    explains: 'how many items each index gets',
    parse: parseBatch,
    rule: `must be a whole number of items between 2 and ${BATCH_MAX}`,
    needs: [A_LIST],
    immutable: 'always',
  },
  resourcesFromItems: {
    key: 'muster.run/resources-from-items',
    explains: 'true: columns say what tasks need',
    ...FLAG,
    needs: [A_LIST],
    immutable: 'always',
  },
  imageFromItems: {
    key: 'muster.run/image-from-items',
    explains: 'true: a column says the image',
    ...FLAG,
    needs: [A_LIST],
    immutable: 'always',
  },
  pinnedItems: {
    key: PINNED_ITEMS,
    explains: 'the items that the Job was created with',
    setBy: 'server',
    immutable: 'ruled',
    leftOutOf: ['rerun', 'submission'],
  },
} as const satisfies Readonly<Record<string, JobAnnotation>>;

/** A work list as a matrix whose combinations are the items. */
export const OF_MATRICES = {
  matrix: {
    key: MATRIX,
    explains: 'a work list of all combinations of values',
    immutable: 'always',
  },
} as const satisfies Readonly<Record<string, JobAnnotation>>;
