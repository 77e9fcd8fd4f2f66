import type { EpochMs } from '../domain/base/time.ts';
import type { JobUid } from '../domain/base/ids.ts';
import type { ItemPart, ItemRow, PartSummary, SealedContent } from '../domain/items/item-parts.ts';
import type { ContentId } from '../domain/items/job-items.ts';

export type { ContentId } from '../domain/items/job-items.ts';

export type { ItemPart, ItemRow, PartSummary, SealedContent } from '../domain/items/item-parts.ts';

/** Consecutive items of a content; `first`: the number of its first item. */
export type ItemRun = { readonly first: number; readonly rows: readonly ItemRow[] };

export type ContentHead = {
  readonly content: ContentId;
  /** The object that it was made for. */
  readonly namespace: string;
  readonly name: string;
  readonly columns: readonly string[];
  /** Every part has as many items, but for the last: so no two parts can hold the same item. */
  readonly itemsPerPart: number;
  readonly createdAt: EpochMs;
  /** ServiceAccounts under which Jobs may run with it: those that its writer could use. Omitted: all. */
  readonly accounts?: readonly string[] | undefined;
  /** null: it is not sealed, so parts may be added, and no Job may use it. */
  readonly sealed: SealedContent | null;
};

/** How long a content is marked before its rows are deleted: longer than any request that still writes them. */
export const REMOVAL_AFTER_MS = 30 * 60_000;

/**
 * Items that are stored apart, for an object that Jobs name. A content is written in parts, then sealed, and never changes after
 * that. It stays until it is removed, which no Job that has reserved it allows. Every method is safe to repeat.
 */
export type ItemStore = {
  /** Starts a content without items, unless it exists. */
  begin(head: Omit<ContentHead, 'sealed'>): Promise<void>;
  /** null: it does not exist, or is being removed. */
  readHead(content: ContentId): Promise<ContentHead | null>;
  /**
   * Stores part `no`, whose first item is number `no * itemsPerPart`. `conflict`: there is another part of that number;
   * nothing is stored. The caller checks that the content is not sealed and that the part has no more than
   * `itemsPerPart` items.
   */
  writePart(head: ContentHead, part: ItemPart): Promise<{ readonly kind: 'written' | 'conflict' }>;
  /** One part, by its number, whatever there are beside it. null: it is not stored whole. */
  readPart(content: ContentId, no: number): Promise<PartSummary | null>;
  /** All parts that are stored whole, in order. */
  listParts(content: ContentId): Promise<readonly PartSummary[]>;
  /** False: it is gone. A content that is sealed already stays as it is. */
  seal(content: ContentId, sealed: SealedContent): Promise<boolean>;
  /**
   * Some consecutive items that include item `number` of a sealed content. The read is eventually consistent, at half the
   * price: what a sealed content holds was written long before. null: there is no such item.
   */
  readItems(content: ContentId, number: number): Promise<ItemRun | null>;
  /** Keeps the content for a Job. False: it is not sealed, or gone. */
  reserve(content: ContentId, job: JobUid, at: EpochMs): Promise<boolean>;
  /** Called when the Job needs no items any more. */
  release(content: ContentId, job: JobUid): Promise<void>;
  listReservations(content: ContentId): Promise<readonly ItemReservation[]>;
  /** A page of contents that exist or are being removed. `next`: pass it as `after`; null: that was all. */
  listContents(page: {
    readonly after: ContentId | null;
    readonly limit: number;
  }): Promise<{ readonly contents: readonly ContentId[]; readonly next: ContentId | null }>;
  /**
   * Removes a content. `reserved`: a Job needs it, so it stays. `marked`: nobody can find it any more; a call after
   * {@link REMOVAL_AFTER_MS} deletes its rows.
   */
  remove(content: ContentId): Promise<{ readonly kind: 'reserved' | 'marked' | 'removed' }>;
};

export type ItemReservation = { readonly job: JobUid; readonly at: EpochMs };
