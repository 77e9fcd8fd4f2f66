import type { JobUid } from '../domain/base/ids.ts';
import type { EpochMs } from '../domain/base/time.ts';

/** A Job that waits for another one of its namespace. */
export type Waiter = {
  readonly namespace: string;
  /** The name of the Job that it waits for; there may be none yet. */
  readonly upstream: string;
  readonly uid: JobUid;
  /** Its own name. */
  readonly name: string;
  /** Its indexes wait for indexes, so that every success counts, not only the other Job's end. */
  readonly byIndex: boolean;
};

/** Says which Job one waits for. */
export type WaiterKey = Pick<Waiter, 'namespace' | 'upstream' | 'uid'>;

/**
 * Who waits for whom: one row for each pair. Rows are hints of whom to wake. A Job whose row is lost looks again by itself, and one
 * that is woken in vain finds nothing to do.
 */
export type Waiters = {
  /** Notes waiters, any number. Noting one twice stores one. Rows vanish some time after `expireAt`. */
  add(waiters: readonly Waiter[], expireAt: EpochMs): Promise<void>;
  /** Forgets them. Idempotent. */
  remove(keys: readonly WaiterKey[]): Promise<void>;
  /** All that wait for the Job of this name, or for the one that will get it; in any order. */
  list(namespace: string, upstream: string): Promise<readonly Waiter[]>;
};
