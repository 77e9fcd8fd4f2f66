import type { JobUid } from '../domain/base/ids.ts';
import type { AttemptId } from '../domain/base/fact.ts';
import type { NamespaceStanding } from '../domain/spec/namespace.ts';
import type { Status } from '../domain/scoreboard/status.ts';
import type { NoHosts } from './host-store.ts';
import type { StoredSpec } from './job-store.ts';

export type CreatedJob =
  | { readonly kind: 'created'; readonly status: Status }
  | { readonly kind: CreationRefusal }
  | NoHosts;

/** `taken`: the namespace has a Job of that name. The others say what is wrong with the namespace. */
export type CreationRefusal = 'taken' | Exclude<NamespaceStanding, 'open'>;

/** What users say of a Job: its manifest, and what they have written into its status. */
export type WantedJob = Pick<StoredSpec, 'manifest' | 'said'>;

/** A Job as it was when a change of it was decided. */
export type SeenJob = { readonly spec: StoredSpec; readonly status: Status };

export type ChangedJob = { readonly kind: 'changed' | 'lost' | 'gone' } | NoHosts;

export type DeletedJob = { readonly kind: 'deleted' | 'terminating' | 'gone' };

/** What a user may do to a Job. Each commits first, then tells the feed and wakes the Job, so that it is seen at once. */
export type JobCommands = {
  /** Nothing is stored where it is refused. */
  createJob(spec: StoredSpec): Promise<CreatedJob>;
  /** Why {@link createJob} would refuse a Job of this name at this moment; null: it would not. */
  creationRefusal(namespace: string, name: string): Promise<CreationRefusal | null>;
  /** `lost`: another user has changed it since it was seen. */
  changeJob(seen: SeenJob, wanted: WantedJob, what: 'metadata' | 'spec'): Promise<ChangedJob>;
  /** Tells the feed whatever of this status it does not know yet. */
  publishJob(spec: StoredSpec, status: Status): Promise<void>;
  /** Deletes a Job; `terminating`: something holds it, so its users see it until that has let go. */
  deleteJob(uid: JobUid, propagation: 'Background' | 'Foreground'): Promise<DeletedJob>;
  /** Asks the task of an active attempt to stop; its Pod is gone once it has. */
  deletePod(uid: JobUid, id: AttemptId, how: 'deleted' | 'evicted'): Promise<void>;
};
