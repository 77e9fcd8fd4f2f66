import type { EpochMs, JobUid, TaskArn } from '../domain/brand.ts';
import type { AttemptId } from '../domain/fact.ts';

/**
 * What is known of names: which Jobs have reserved how many, and what is registered of each index. Reads are strongly
 * consistent; each write is one conditional request.
 */
export type HostStore = {
  /**
   * Reserves `count` names for a Job, if it has not as many already; `full` says how many are left, those that it has
   * included, and changes nothing.
   */
  reserve(
    uid: JobUid,
    count: number,
    max: number,
    at: EpochMs,
  ): Promise<{ readonly kind: 'reserved' } | { readonly kind: 'full'; readonly left: number }>;
  /** When nothing of the Job's is registered any more. Idempotent. */
  release(uid: JobUid): Promise<void>;
  /** Every reservation: the Jobs that have names, or whose names are yet to be removed. */
  reservations(): Promise<readonly Reservation[]>;

  /** Names of indexes 10·row .. 10·row+9, and the version that guards the next write; 0: no row. */
  readHosts(uid: JobUid, row: number): Promise<HostRow>;
  /** All rows of a Job that exist, in order. */
  listHosts(uid: JobUid): Promise<readonly HostRow[]>;
  /** Writes the row if its version is still `row.version`; an empty row is removed. `lost` comes with the row as it is. */
  writeHosts(
    uid: JobUid,
    row: HostRow,
    expireAt: EpochMs,
  ): Promise<{ readonly kind: 'written'; readonly row: HostRow } | { readonly kind: 'lost'; readonly row: HostRow }>;
};

/** Why a Job cannot have its names: `left` of `max` are not reserved by others, it needs more. */
export type NoHosts = {
  readonly kind: 'noHosts';
  readonly needed: number;
  readonly left: number;
  readonly max: number;
};

/** `at`: of the first one of this Job. */
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
  /** Tasks that are registered, or may be: written before the call. Normally one; two while one replaces the other. */
  readonly tasks: readonly HostTask[];
};

export type HostTask = {
  /** With the index, the attempt that it is. */
  readonly attempt: AttemptId['attempt'];
  readonly nonce: AttemptId['nonce'];
  readonly taskArn: TaskArn;
  readonly ip: string;
  /** Since when somebody is registering it; null: it is registered, or nobody is at it. */
  readonly calledAt: EpochMs | null;
  /** Cloud Map has said so. */
  readonly registered: boolean;
};
