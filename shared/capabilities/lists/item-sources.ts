import type { ItemSource } from '../../store/item-source.ts';
import { WORK_LIST_SOURCE } from '../worklists/store/index.ts';

/** Objects that Jobs have their items of, each named by an annotation of its own. */
export const ITEM_SOURCES: readonly ItemSource[] = [WORK_LIST_SOURCE];
