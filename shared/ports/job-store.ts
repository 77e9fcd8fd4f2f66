import type { Chunk } from '../domain/scoreboard/board.ts';
import type { EpochMs } from '../domain/base/time.ts';
import type { JobUid } from '../domain/base/ids.ts';
import type { JobParts } from '../domain/manifests/job-parts.ts';
import type { JobIdentity } from '../domain/manifests/job.ts';
import type { LaunchRow } from '../domain/scoreboard/launch-row.ts';
import type { JobManifest, JobStatusDocument } from '../domain/manifests/manifest.ts';
import type { EndedAttempt } from '../domain/planner/plan.ts';
import type { ChunkFold } from '../domain/scoreboard/journal.ts';
import type { Status } from '../domain/scoreboard/status.ts';
import type { LaunchTemplate } from '../domain/task/task.ts';

/** The admitted manifest. */
export type StoredSpec = {
  readonly identity: JobIdentity;
  /** Counts every change. STATUS names the revision that it is based on. */
  readonly revision: number;
  /** Kubernetes' metadata.generation: counts changes to `spec`, and the deletion. */
  readonly generation: number;
  readonly manifest: JobManifest;
  /**
   * What others have written into its status: all of it if another controller runs the Job, otherwise conditions that
   * are not ours. Omitted: nothing.
   */
  readonly said?: JobStatusDocument;
  /**
   * The indexes that count as succeeded from the start, because they have in the Job that this one repeats: canonical text of an
   * index set, which the server has read from that Job's board. Never changes. Omitted: none.
   */
  readonly inherited?: string;
  /**
   * The user who has last changed `spec.suspend`, as Events show the name, so that the pass that suspends or resumes the Job can
   * say who asked for it. Omitted: nobody has changed it, or it is not known who. Earlier releases neither read nor keep it.
   */
  readonly suspendSetBy?: string;
} & JobParts;

/** What capabilities keep of a Job, and nothing else of its row, or of what is wanted of it. */
export const partsOf = ({
  identity: _identity,
  revision: _revision,
  generation: _generation,
  manifest: _manifest,
  said: _said,
  inherited: _inherited,
  suspendSetBy: _suspendSetBy,
  ...parts
}: Partial<StoredSpec>): JobParts => parts;

/** No capability keeps anything of it: it is a Job of `batch/v1` and nothing else. */
export const isPlain = (spec: StoredSpec): boolean => Object.keys(partsOf(spec)).length === 0;

export type StoredChunk = { readonly version: number; readonly chunk: Chunk };

/** `ownerUid`: uid of the object that created the Job and takes it along when it is deleted; null: no owner. */
export type NamedJob = {
  readonly namespace: string;
  readonly name: string;
  readonly uid: JobUid;
  readonly ownerUid: string | null;
};

/** The uid of the Job's controller, if it has one. The Job is deleted together with it. */
export function ownerUidOf({ metadata }: JobManifest): string | null {
  const owners = metadata.ownerReferences ?? [];
  return (owners.find(({ controller }) => controller === true) ?? owners[0])?.uid ?? null;
}

/** A chunk to store as version `expectedVersion + 1`; 0: none is stored yet. */
export type ChunkWrite = ChunkFold;

/** Every store finds alarms by the minute, rounded up. */
export const ALARM_STEP_MS = 60_000;

/** `lost`: another writer committed first, or a transaction conflicted. Nothing was written: read and decide again. */
export type Commit = { readonly kind: 'committed' } | { readonly kind: 'lost' };

/** The record of an ended attempt: history that no decision reads. */
export type AttemptRecord = EndedAttempt;
export type { LaunchRow, LaunchSlot } from '../domain/scoreboard/launch-row.ts';

/**
 * All stored Jobs. Reads are strongly consistent. Each writing method is one atomic, conditional request, named after
 * the transition. A call that throws may or may not have taken effect, and may be repeated.
 */
export type JobStore = {
  /**
   * Stores name, spec, and status together, or nothing. `taken`: the name is in use in that namespace. Does not check
   * that the namespace exists.
   */
  createJob(spec: StoredSpec, status: Status): Promise<{ readonly kind: 'created' | 'taken' }>;

  findJob(namespace: string, name: string): Promise<JobUid | null>;
  /**
   * Up to `limit` visible Jobs after `after`, in order of (namespace, name). Namespace null: of all existing
   * namespaces.
   */
  listJobs(page: {
    readonly namespace: string | null;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<{
    readonly jobs: readonly NamedJob[];
    /** Pass it as `after` for the next page; null: this was the last page. */
    readonly next: string | null;
  }>;

  readSpec(uid: JobUid): Promise<StoredSpec | null>;
  readStatus(uid: JobUid): Promise<Status | null>;
  /** The stored chunks. Chunks that are not stored are absent from the map. */
  readChunks(uid: JobUid, nos: readonly number[]): Promise<ReadonlyMap<number, StoredChunk>>;

  /**
   * One conditional write of STATUS if `chunks` is empty, otherwise one transaction with the chunks. Conditions: STATUS
   * is at `status.version - 1`, each chunk at its expected version. At most {@link CHUNKS_PER_PASS_MAX} chunks.
   */
  commitPass(uid: JobUid, status: Status, chunks: readonly ChunkWrite[]): Promise<Commit>;
  /** The same for a user's change of the spec: SPEC with its new revision, and STATUS. */
  commitSpec(spec: StoredSpec, status: Status): Promise<Commit>;
  /** The same for a user's delete: STATUS, and the name becomes free at once. */
  commitDeletion(identity: JobIdentity, status: Status): Promise<Commit>;
  /** Frees the Job's name, if it still belongs to this Job. Idempotent. */
  freeName(identity: JobIdentity): Promise<void>;
  /** Makes a deleted Job's spec, chunks, and STATUS expire some time after `at`. Idempotent. */
  expireJob(uid: JobUid, chunks: number, at: EpochMs): Promise<void>;

  /** Writes records of ended attempts. Writing one twice stores one. They expire some time after `expireAt`. */
  writeAttempts(uid: JobUid, attempts: readonly AttemptRecord[], expireAt: EpochMs): Promise<void>;
  /** Records of the ended attempts of indexes `from`..`to` (inclusive, one chunk), by index and attempt. */
  readAttempts(uid: JobUid, from: number, to: number): Promise<readonly AttemptRecord[]>;

  /** The Job's launch templates, by number, oldest first. A stored template never changes. */
  readTemplates(uid: JobUid): Promise<readonly LaunchTemplate[]>;
  /**
   * Stores the template as number `no` if exactly `no` are stored. Returns the stored templates: the first writer wins.
   */
  addTemplate(uid: JobUid, no: number, template: LaunchTemplate): Promise<readonly LaunchTemplate[]>;

  /** Launch slots of row `row` (indexes 10·row to 10·row+9), and the version that guards the next write; 0: no row. */
  readLaunches(uid: JobUid, row: number): Promise<LaunchRow>;
  /**
   * The existing rows `from`..`to` (row numbers, inclusive, at most 410), to look up the ARNs of many attempts. The
   * reads are eventually consistent, at half the price: read a row again before acting on one of its slots.
   */
  readLaunchRange(uid: JobUid, from: number, to: number): Promise<readonly LaunchRow[]>;
  /** Writes the row if its version is still `row.version`. `lost` returns the current row. */
  writeLaunches(
    uid: JobUid,
    row: LaunchRow,
    expireAt: EpochMs,
  ): Promise<
    { readonly kind: 'written'; readonly row: LaunchRow } | { readonly kind: 'lost'; readonly row: LaunchRow }
  >;

  /** STATUS's version up to which the Job's changes were announced; 0: none were, or that is days ago. */
  readAnnounced(uid: JobUid): Promise<number>;
  /** Says so; a smaller number than the stored one changes nothing. Forgotten some time after `expireAt`. */
  writeAnnounced(uid: JobUid, version: number, expireAt: EpochMs): Promise<void>;

  /**
   * Jobs with an alarm due at `now` or before; null: every Job with an alarm. Alarms appear up to a minute after they
   * are due.
   */
  dueJobs(page: {
    readonly now: EpochMs | null;
    readonly after: string | null;
    readonly limit: number;
  }): Promise<{ readonly uids: readonly JobUid[]; readonly next: string | null }>;
};
