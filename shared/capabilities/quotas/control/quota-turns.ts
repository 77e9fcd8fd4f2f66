import type { EpochMs } from '../../../domain/base/time.ts';
import type { Answer, Asked } from '../domain/decide-room.ts';
import type { CountedUsage, Quota, Settled } from '../domain/quota.ts';
import { Batches } from '../../../control/process/batches.ts';

/** A namespace that was counted: its quotas as they were before, by uid, and what its objects count for. */
export type NamespaceCount = { readonly read: ReadonlyMap<string, Quota>; readonly counted: CountedUsage };

/** What a turn at a namespace's quotas is for. `settle`: for what has become of earlier reservations. */
export type QuotaErrand =
  | { readonly kind: 'ask'; readonly asked: Asked }
  | { readonly kind: 'count'; readonly count: NamespaceCount }
  | { readonly kind: 'settle' };

/** By the uid of the quota. */
export type SettledIn = Settled & { readonly quota: string };

/** What one process knows of quotas, by namespace. All of its writers of a namespace's quotas take turns. */
export type QuotaTurns = {
  /** null: it was no question. */
  readonly batches: Batches<QuotaErrand, Answer | null>;
  /** What has become of reservations, to be written with the next turn. */
  readonly settled: Map<string, readonly SettledIn[]>;
  /** When this process has counted last because a request was refused. */
  readonly countedAt: Map<string, EpochMs>;
};

export const createQuotaTurns = (): QuotaTurns => ({
  batches: new Batches(),
  settled: new Map(),
  countedAt: new Map(),
});
