import type { EpochMs } from '../../domain/base/time.ts';
import type { JobParts } from '../../domain/manifests/job-parts.ts';
import type { Admission, AdmissionContext } from './job-manifest.ts';

/** A form other than that of `batch/v1` in which a Job may be written. */
export type JobForm = {
  readonly apiVersion: string;
  /** Admits a document without a server: as one whose objects are not there. */
  admit(document: unknown, context: AdmissionContext & { readonly now: EpochMs }): Admission & JobParts;
};
