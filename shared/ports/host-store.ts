import type { EpochMs } from '../domain/base/time.ts';
import type { JobUid, TaskArn } from '../domain/base/ids.ts';
import type { AttemptId } from '../domain/base/fact.ts';

/**
 * The state of names: how many names each Job has reserved, and what is registered for each index. Reads are strongly
 * consistent; each write is one conditional request.
 */
export type HostStore = {
  /**
   * Reserves `count` names for a Job, unless it already has as many. `full` reports how many are left, including its own,
   * and changes nothing.
   */
  reserve(
    uid: JobUid,
    count: number,
    max: number,
    at: EpochMs,
  ): Promise<{ readonly kind: 'reserved' } | { readonly kind: 'full'; readonly left: number }>;
  /** Called when nothing of the Job is registered any more. Idempotent. */
  release(uid: JobUid): Promise<void>;
  /** Every reservation: the Jobs that have names, or whose names have not been removed yet. */
  reservations(): Promise<readonly Reservation[]>;

  /** Names of indexes 10·row to 10·row+9, and the version that guards the next write; 0: no row. */
  readHosts(uid: JobUid, row: number): Promise<HostRow>;
  /** All rows of a Job that exist, in order. */
  listHosts(uid: JobUid): Promise<readonly HostRow[]>;
  /**
   * Writes the row if its version is still `row.version`, and removes it if it is empty. `lost` returns the current
   * row.
   */
  writeHosts(
    uid: JobUid,
    row: HostRow,
    expireAt: EpochMs,
  ): Promise<{ readonly kind: 'written'; readonly row: HostRow } | { readonly kind: 'lost'; readonly row: HostRow }>;
};

/** Why a Job cannot have its names: it needs more than the `left` of `max` that others have not reserved. */
export type NoHosts = {
  readonly kind: 'noHosts';
  readonly needed: number;
  readonly left: number;
  readonly max: number;
};

/** `at`: when the Job first reserved names. */
export type Reservation = { readonly uid: JobUid; readonly count: number; readonly at: EpochMs };

export type HostRow = {
  readonly row: number;
  readonly version: number;
  /** By index, at most ten. */
  readonly hosts: readonly Host[];
};

export type Host = {
  readonly index: number;
  /** The name's service. */
  readonly serviceId: string;
  /** Tasks that are registered, or may be: written before the call. Normally one; two during a replacement. */
  readonly tasks: readonly HostTask[];
};

export type HostTask = {
  /** With the index, identifies its attempt. */
  readonly attempt: AttemptId['attempt'];
  readonly nonce: AttemptId['nonce'];
  readonly taskArn: TaskArn;
  readonly ip: string;
  /** Since when a registration is in progress; null if it is registered or not in progress. */
  readonly calledAt: EpochMs | null;
  /** Cloud Map has confirmed it. */
  readonly registered: boolean;
};
