import sortedBtree from 'sorted-btree';
import { comesBefore } from '../../domain/base/text-order.ts';
import type { RowKey } from '../../store/rows/row.ts';

/** Below 0: `a` comes before `b`, by its partition, then by its sort key, each in the order of its UTF-8 bytes. 0: the same key. */
export const compareKeys = (a: RowKey, b: RowKey): number =>
  compareTexts(a.partition, b.partition) || compareTexts(a.sort, b.sort);

const compareTexts = (a: string, b: string): number => (a === b ? 0 : comesBefore(a, b) ? -1 : 1);

type Tree = typeof sortedBtree.default;
const loaded: { readonly default?: Tree } = sortedBtree;
/** A map in the order of its keys. Some loaders have unwrapped what a CommonJS package exports, others have not. */
export const SortedTree: Tree = loaded.default ?? (sortedBtree as unknown as Tree);
