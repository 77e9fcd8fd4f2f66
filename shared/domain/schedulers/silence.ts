import type { EpochMs } from '../base/time.ts';
import type { StoredKind } from '../kinds/api-kinds.ts';

/** Objects of a kind that may never make a Job although nobody has stopped them. */
export type SilenceRow = {
  readonly kind: StoredKind;
  /** Why a stored object never does; null: it does, or somebody has stopped it. */
  readonly whySilent: (
    document: { readonly metadata: { readonly uid: string; readonly [field: string]: unknown } },
    now: EpochMs,
  ) => string | null;
};
