import { ITEM_CARRIERS } from '../../shared/capabilities/lists/cli/run-objects.ts';
import { type ItemList } from '../../shared/domain/items/item-list.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { formatInlineItems } from '../../shared/schema/items/inline-items.ts';
import { usageFailure } from '../shell/failure.ts';
import type { ItemCarrier } from './item-carrier.ts';

/** A manifest has at most 256 KiB, and the rest of it needs some. */
const TEXT_BYTES_MAX = 200 * 1024;
const INLINE_ITEMS_MAX = 10_000;

/** A list that is too large for a manifest, and what brings it. */
export type Carried = { readonly list: ItemList; readonly by: ItemCarrier };

/** What a manifest says about a list; `carried`: the list, if what has the name in the manifest has to bring it. */
export type ListInManifest = {
  readonly annotations: Readonly<Record<string, string>>;
  readonly carried: Carried | null;
};

/**
 * What a manifest says about its list: the items, or the name of what has them.
 *
 * @throws Failure (invalid command line) when there are too many, and nothing can bring them
 */
export function listInManifest(list: ItemList, name: string): ListInManifest {
  const text = list.rows.length > INLINE_ITEMS_MAX ? null : formatInlineItems(list);
  if (text !== null && Buffer.byteLength(text) <= TEXT_BYTES_MAX)
    return { annotations: { [ANNOTATIONS.items]: text }, carried: null };
  const [by] = ITEM_CARRIERS;
  if (by === undefined) throw usageFailure(`${list.rows.length} items are too much for a manifest`);
  return { annotations: { [by.key]: name }, carried: { list, by } };
}
