import type { SealedContent } from '../../../ports/item-store.ts';

/** What a WorkList holds, as it is shown. */
export type WorkListStatus = {
  readonly sealed: boolean;
  readonly items?: number;
  readonly bytes?: number;
  readonly sha256?: string;
  readonly longestItem?: number;
};

export const statusOf = ({ count, bytes, sha256, widest }: SealedContent): WorkListStatus => ({
  sealed: true,
  items: count,
  bytes,
  sha256,
  longestItem: widest.line,
});
