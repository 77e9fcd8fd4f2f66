import { type ItemList } from '../../shared/domain/items/item-list.ts';
import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { formatInlineItems } from '../../shared/schema/items/inline-items.ts';

/** A manifest has at most 256 KiB, and the rest of it needs some. */
const TEXT_BYTES_MAX = 200 * 1024;
const INLINE_ITEMS_MAX = 10_000;

/** What a manifest says about a list; `carried`: the list, if a WorkList of this name has to bring it. */
export type ListInManifest = {
  readonly annotations: Readonly<Record<string, string>>;
  readonly carried: ItemList | null;
};

/** What a manifest says about its list: the items, or the name of the WorkList that has them. */
export function listInManifest(list: ItemList, workList: string): ListInManifest {
  const text = list.rows.length > INLINE_ITEMS_MAX ? null : formatInlineItems(list);
  return text === null || Buffer.byteLength(text) > TEXT_BYTES_MAX
    ? { annotations: { [ANNOTATIONS.workList]: workList }, carried: list }
    : { annotations: { [ANNOTATIONS.items]: text }, carried: null };
}
