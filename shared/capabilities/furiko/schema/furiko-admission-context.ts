import type { EpochMs } from '../../../domain/base/time.ts';
import type { FurikoPart } from '../domain/furiko-job.ts';
import type { JobConfigManifest } from '../domain/job-config.ts';
import type { JobManifest } from '../../../domain/manifests/manifest.ts';
import type { HostFolders } from '../../../domain/task/volumes/host-folders.ts';
import type { HostsOffer } from '../../../schema/job/host-name-rules.ts';
import type { AdmissionContext } from '../../../schema/job/job-manifest.ts';
import type { StoredJob } from '../../../schema/job/job-update.ts';
import type { FieldError } from '../../../schema/object/field-error.ts';
import type { Extent, ObjectUpdate } from '../../../schema/object/object-update.ts';
import type { FieldValidation, Undecodable } from '../../../schema/object/read-object.ts';

/** What the server knows when a client creates a Furiko Job. */
export type FurikoAdmissionContext = AdmissionContext & {
  readonly now: EpochMs;
  /** The JobConfig that the Job names; null: it names none. */
  readonly config: NamedConfig | 'absent' | null;
};

export type NamedConfig = { readonly manifest: JobConfigManifest; readonly uid: string };

export type FurikoJobAdmission =
  | {
      readonly kind: 'ok';
      readonly manifest: JobManifest;
      readonly furiko: FurikoPart;
      readonly warnings: readonly string[];
    }
  /** Readable but invalid (422), with all faults. */
  | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
  | Undecodable;

/** A stored Furiko Job that a client changes. */
export type StoredFurikoJob = StoredJob & { readonly furiko: FurikoPart };

export type FurikoJobUpdate =
  | {
      readonly kind: 'ok';
      readonly manifest: JobManifest;
      readonly furiko: FurikoPart;
      readonly changed: Extent;
      readonly warnings: readonly string[];
    }
  | Exclude<FurikoJobAdmission, { readonly kind: 'ok' }>;

export type FurikoUpdateContext = {
  readonly now: EpochMs;
  readonly fieldValidation: FieldValidation;
  readonly hosts?: HostsOffer;
  /** See {@link AdmissionContext}. Only a JobConfig's template has new commands. */
  readonly needsCommand?: boolean;
  readonly hostFolders?: HostFolders;
};

export type JobConfigContext = AdmissionContext & { readonly now: EpochMs };

export type JobConfigAdmission =
  | { readonly kind: 'ok'; readonly manifest: JobConfigManifest; readonly warnings: readonly string[] }
  | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
  | Undecodable;

/** A stored JobConfig that a client changes. */
export type StoredJobConfig = {
  readonly manifest: JobConfigManifest;
  readonly uid: string;
  /** A user has deleted it, and a finalizer holds it. */
  readonly deleting: boolean;
};

export type JobConfigUpdate = ObjectUpdate<JobConfigManifest>;
