import type { Chunk } from '../domain/scoreboard/board.ts';
import type { EpochMs } from '../domain/base/time.ts';
import type { JobUid } from '../domain/base/ids.ts';
import type { JobIdentity } from '../domain/spec/job.ts';
import type { LaunchRow } from '../domain/scoreboard/launch-row.ts';
import type { JobManifest, JobStatusDocument } from '../domain/spec/manifest.ts';
import type { EndedAttempt } from '../domain/planner/plan.ts';
import type { ChunkFold } from '../domain/scoreboard/journal.ts';
import type { Status } from '../domain/scoreboard/status.ts';
import type { LaunchTemplate } from '../domain/task/task.ts';

/** The admitted manifest. */
export type StoredSpec = {
  readonly identity: JobIdentity;
  /** Counts every change; STATUS names the one that it goes by. */
  readonly revision: number;
  /** Kubernetes' metadata.generation: counts changes of `spec`, and the deletion. */
  readonly generation: number;
  readonly manifest: JobManifest;
  /**
   * What others have written into its status: all of it where another controller runs the Job, else conditions that are
   * none of ours. Left out: nothing.
   */
  readonly said?: JobStatusDocument;
};

export type StoredChunk = { readonly version: number; readonly chunk: Chunk };

/** `ownerUid`: the uid of the object that made it and that it goes with; null: it stands alone. */
export type NamedJob = {
  readonly namespace: string;
  readonly name: string;
  readonly uid: JobUid;
  readonly ownerUid: string | null;
};

/** The object that a Job goes with: the one that controls it, if any does. */
export function ownerUidOf({ metadata }: JobManifest): string | null {
  const owners = metadata.ownerReferences ?? [];
  return (owners.find(({ controller }) => controller === true) ?? owners[0])?.uid ?? null;
}

/** A chunk to be stored as version `expectedVersion + 1`; 0 means that none is stored yet. */
export type ChunkWrite = ChunkFold;

/** Alarms are found by the minute, rounded up, in every store. */
export const ALARM_STEP_MS = 60_000;

/** `lost`: somebody else committed first (or a transaction conflicted), nothing was written; read and decide again. */
export type Commit = { readonly kind: 'committed' } | { readonly kind: 'lost' };

/** The record of an ended attempt: history, never read to decide. */
export type AttemptRecord = EndedAttempt;
export type { LaunchRow, LaunchSlot } from '../domain/scoreboard/launch-row.ts';

/**
 * What is known of Jobs. Reads are strongly consistent. A method that writes is one atomic, conditional request named
 * after the transition; a call that throws may or may not have been carried out, and may be repeated.
 */
export type JobStore = {
  /**
   * Stores name, spec and status together, or nothing. `taken`: the name is in use in that namespace. It does not look at the
   * namespace.
   */
  createJob(spec: StoredSpec, status: Status): Promise<{ readonly kind: 'created' | 'taken' }>;

  findJob(namespace: string, name: string): Promise<JobUid | null>;
  /**
   * Jobs that a user sees, in order of (namespace, name), at most `limit`, after `after`; with namespace null those of
   * all namespaces that there are.
   */
  listJobs(page: {
    readonly namespace: string | null;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<{
    readonly jobs: readonly NamedJob[];
    /** Pass it as `after` for the next page; null: there is none. */
    readonly next: string | null;
  }>;

  readSpec(uid: JobUid): Promise<StoredSpec | null>;
  readStatus(uid: JobUid): Promise<Status | null>;
  /** Chunks that are stored; those that are not are absent from the map. */
  readChunks(uid: JobUid, nos: readonly number[]): Promise<ReadonlyMap<number, StoredChunk>>;

  /**
   * One conditional write of one item if `chunks` is empty, else one transaction: STATUS if its version is
   * `status.version - 1`, each chunk if its version is the expected one. At most {@link CHUNKS_PER_PASS_MAX} chunks.
   */
  commitPass(uid: JobUid, status: Status, chunks: readonly ChunkWrite[]): Promise<Commit>;
  /** The same for a user's change of the spec: SPEC with its new revision, and STATUS. */
  commitSpec(spec: StoredSpec, status: Status): Promise<Commit>;
  /** The same for a user's delete: STATUS, and the name is free at once. */
  commitDeletion(identity: JobIdentity, status: Status): Promise<Commit>;
  /** Lets go of a Job's name, if it is still this Job's. Idempotent. */
  freeName(identity: JobIdentity): Promise<void>;
  /** Lets spec, chunks and status rows of a Job that is over vanish some time after `at`. Idempotent. */
  expireJob(uid: JobUid, chunks: number, at: EpochMs): Promise<void>;

  /** Writes records of ended attempts; writing one twice leaves one. They vanish by themselves some time after `expireAt`. */
  writeAttempts(uid: JobUid, attempts: readonly AttemptRecord[], expireAt: EpochMs): Promise<void>;
  /** Records of the ended attempts of indexes `from`..`to` (inclusive, one chunk), by index and attempt. */
  readAttempts(uid: JobUid, from: number, to: number): Promise<readonly AttemptRecord[]>;

  /** The Job's launch templates, by number, oldest first; each is frozen. */
  readTemplates(uid: JobUid): Promise<readonly LaunchTemplate[]>;
  /** Stores the template as number `no` if there are exactly `no`; the templates as they are then: whoever is first wins. */
  addTemplate(uid: JobUid, no: number, template: LaunchTemplate): Promise<readonly LaunchTemplate[]>;

  /** Launch slots of row `row` (indexes 10·row .. 10·row+9), and the version that guards the next write; 0: no row. */
  readLaunches(uid: JobUid, row: number): Promise<LaunchRow>;
  /**
   * All rows of `from`..`to` (row numbers, inclusive, at most 410) that exist: where the ARNs of many attempts are looked up. They may be a
   * moment old: to be sure costs twice as much, and whoever acts on a slot reads its row again.
   */
  readLaunchRange(uid: JobUid, from: number, to: number): Promise<readonly LaunchRow[]>;
  /** Writes the row if its version is still `row.version`; `lost` comes with the row as it is. */
  writeLaunches(
    uid: JobUid,
    row: LaunchRow,
    expireAt: EpochMs,
  ): Promise<
    { readonly kind: 'written'; readonly row: LaunchRow } | { readonly kind: 'lost'; readonly row: LaunchRow }
  >;

  /** Jobs whose alarm is due at `now` or before; with null, every Job that has an alarm. May be seconds behind, and comes up to a minute late. */
  dueJobs(page: {
    readonly now: EpochMs | null;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<{ readonly uids: readonly JobUid[]; readonly next: string | null }>;
};
