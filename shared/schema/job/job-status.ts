import type { JobManifest, JobStatusDocument } from '../../domain/manifests/manifest.ts';
import type { FieldError } from '../object/field-error.ts';
import { given } from '../object/given.ts';
import { type FieldValidation, type Undecodable, readJobDocument } from './job-reading.ts';
import { jobStatusErrors } from './job-status-rules.ts';
import { type StoredJob, admitJobUpdate, documentOf } from './job-update.ts';
import { type JobStatusShape, jobStatusShape } from '../object/status-shape.ts';

export type JobStatusUpdate =
  | {
      readonly kind: 'ok';
      /** With the new metadata. */
      readonly manifest: JobManifest;
      readonly status: JobStatusDocument;
      readonly warnings: readonly string[];
      readonly changed: 'nothing' | 'metadata';
    }
  | { readonly kind: 'invalid'; readonly name: string; readonly errors: readonly FieldError[] }
  | Undecodable;

/**
 * Admits a document as the new status of a stored Job, as Kubernetes does at the path `status`: it also takes the
 * metadata, and ignores the spec.
 *
 * @param before the status that is shown
 */
export function admitJobStatus(
  stored: StoredJob,
  before: JobStatusDocument,
  document: unknown,
  { fieldValidation }: { readonly fieldValidation: FieldValidation },
): JobStatusUpdate {
  const read = readJobDocument(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, status = jobStatusShape.parse({}) } = read.job;
  const update = admitJobUpdate(stored, { ...documentOf(stored), metadata }, { fieldValidation: 'Ignore' });
  if (update.kind === 'undecodable') return update;
  const after = statusOf(status);
  const errors = [
    ...(update.kind === 'invalid' ? update.errors : []),
    ...jobStatusErrors(stored.manifest.spec, before, after),
  ];
  if (update.kind === 'invalid' || errors.length > 0)
    return { kind: 'invalid', name: stored.manifest.metadata.name, errors };
  const changed = update.changed === 'nothing' ? 'nothing' : 'metadata';
  return { kind: 'ok', manifest: update.manifest, status: after, warnings: read.warnings, changed };
}

/** The status in the form that Go writes, without zero values of fields that are not pointers. */
function statusOf(said: JobStatusShape): JobStatusDocument {
  const { conditions = [], startTime, completionTime, active, succeeded, failed, terminating, ready } = said;
  const { completedIndexes, failedIndexes, uncountedTerminatedPods: uncounted } = said;
  return {
    ...(conditions.length === 0 ? {} : { conditions: conditions.map(conditionOf) }),
    ...given({ startTime, completionTime }),
    ...given({ active: active || undefined, succeeded: succeeded || undefined, failed: failed || undefined }),
    ...given({ terminating, completedIndexes: completedIndexes || undefined, failedIndexes }),
    ...(uncounted === undefined
      ? {}
      : {
          uncountedTerminatedPods: given({ succeeded: filled(uncounted.succeeded), failed: filled(uncounted.failed) }),
        }),
    ...given({ ready }),
  };
}

const conditionOf = ({
  type = '',
  status = '',
  lastProbeTime,
  lastTransitionTime,
  reason,
  message,
}: NonNullable<JobStatusShape['conditions']>[number]) => ({
  type,
  status,
  ...given({ lastProbeTime, lastTransitionTime, reason: reason || undefined, message: message || undefined }),
});

const filled = <T>(list: readonly T[] | undefined): readonly T[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;
