import type { OverQuota } from './job-commands.ts';
import type { ObjectKey } from './object-store.ts';

/** What the API asks of quotas, apart from Jobs, whose commands ask for themselves. */
export type QuotaCommands = {
  /** Counts what a namespace uses, and writes it into its quotas, unless that takes too long: then the sweep does it. */
  count(namespace: string): Promise<void>;
  /** Stores a new CronJob by `store`, which answers `committed`, if there is room for one more. */
  createCronJob<S extends { readonly kind: string }>(
    uid: string,
    key: ObjectKey,
    store: () => Promise<S>,
  ): Promise<S | OverQuota>;
  /** Why a new CronJob would be refused now; null: there is room. */
  tryCronJob(uid: string, key: ObjectKey): Promise<OverQuota | null>;
};
