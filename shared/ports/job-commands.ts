import type { JobUid } from '../domain/base/ids.ts';
import type { AttemptId } from '../domain/base/fact.ts';
import type { NamespaceStanding } from '../domain/manifests/namespace.ts';
import type { IndexSet } from '../domain/base/index-set.ts';
import type { IndexAction, IndexEffect } from '../domain/scoreboard/index-changes.ts';
import type { PodId } from '../domain/scoreboard/journal.ts';
import type { Phase, Status } from '../domain/scoreboard/status.ts';
import type { FieldError } from '../schema/object/field-error.ts';
import type { NoHosts } from './host-store.ts';
import type { JobParts } from '../domain/manifests/job-parts.ts';
import type { StoredSpec } from './job-store.ts';

export type CreatedJob =
  /** `spec`: as it was stored. */
  | { readonly kind: 'created'; readonly spec: StoredSpec; readonly status: Status }
  | { readonly kind: CreationRefusal }
  | Unfit
  | NotAllowed
  | NoHosts;

/** Its namespace does not allow it, or has no room for it; `why`: in Kubernetes' words. */
export type NotAllowed = { readonly kind: 'forbidden'; readonly why: string };

/** It does not fit what is there already; all faults. */
export type Unfit = { readonly kind: 'invalid'; readonly errors: readonly FieldError[] };

export type TriedJob =
  | { readonly kind: 'fits'; readonly spec: StoredSpec }
  | Exclude<CreatedJob, { readonly kind: 'created' }>;

/** `taken`: the namespace already has a Job of that name. The other values are problems with the namespace. */
export type CreationRefusal = 'taken' | Exclude<NamespaceStanding, 'open'>;

/** What users write about a Job: its manifest, parts of its status, and what capabilities keep of it, which stays as it is if omitted. */
export type WantedJob = Pick<StoredSpec, 'manifest' | 'said'> & JobParts;

/** The state of a Job on which a change is based. */
export type SeenJob = { readonly spec: StoredSpec; readonly status: Status };

export type ChangedJob = { readonly kind: 'changed' | 'lost' | 'gone' } | NoHosts | NotAllowed;

export type DeletedJob = { readonly kind: 'deleted' | 'terminating' | 'gone' };

/** `isDry`: nothing is stored. */
export type WantedIndexes = { readonly action: IndexAction; readonly indexes: IndexSet; readonly isDry: boolean };

export type IndexChanges =
  | { readonly kind: 'changed'; readonly effects: Readonly<Record<IndexEffect, IndexSet>> }
  | { readonly kind: 'gone' }
  /** Its verdict is decided, or it is being deleted. */
  | { readonly kind: 'over'; readonly phase: Exclude<Phase['kind'], 'running' | 'suspended' | 'regrouping'> }
  | Unfit;

/** The name of the user who asks, as Events show it; null: it is not known who, or there is only one. */
export type Asker = string | null;

/**
 * What a user may do to a Job. Each command commits first, then publishes to the feed and wakes the Job, so that it
 * takes effect at once.
 */
export type JobCommands = {
  /** If it is refused, nothing is stored. */
  createJob(spec: StoredSpec): Promise<CreatedJob>;
  /** Why {@link createJob} would refuse this Job now, or what it would store. Nothing is written. */
  tryCreation(spec: StoredSpec): Promise<TriedJob>;
  /** `lost`: another user has changed the Job since it was read. */
  changeJob(seen: SeenJob, wanted: WantedJob, what: 'metadata' | 'spec', by: Asker): Promise<ChangedJob>;
  /** Why its namespace would not allow this change now; null: it would. Nothing is written. */
  tryChange(seen: SeenJob, wanted: WantedJob): Promise<NotAllowed | null>;
  /** Publishes what the feed does not have yet of this status. */
  publishJob(spec: StoredSpec, status: Status): Promise<void>;
  /** Deletes a Job. `terminating`: a finalizer holds it, so it stays visible until the finalizer is removed. */
  deleteJob(uid: JobUid, propagation: 'Background' | 'Foreground', by: Asker): Promise<DeletedJob>;
  /** Asks the task of an active attempt to stop. The Pod disappears when the task has stopped. */
  deletePod(uid: JobUid, id: AttemptId, how: 'deleted' | 'evicted'): Promise<void>;
  /**
   * Removes Pods that are over from what users see, by one commit: what the Job has counted stays. `lost`: the Job has changed since
   * it was read, and nothing was done.
   */
  removePods(seen: SeenJob, pods: readonly PodId[]): Promise<{ readonly kind: 'removed' | 'lost' }>;
  /** Holds, releases, cancels, or requeues indexes. Repeating it changes nothing more. */
  changeIndexes(uid: JobUid, wanted: WantedIndexes, by: Asker): Promise<IndexChanges>;
};
