import type { CronJobManifest, CronJobStatusDocument } from '../domain/cron-manifest.ts';
import { readCronJob } from './cron-admission.ts';
import { type CronJobUpdate, type StoredCronJob, admitCronJobUpdate } from './cron-update.ts';
import { given } from '../../../schema/object/given.ts';
import type { FieldValidation } from '../../../schema/object/read-object.ts';
import type { CronJobStatusShape } from './cron-status-shape.ts';

export type CronJobStatusUpdate =
  | Exclude<CronJobUpdate, { readonly kind: 'ok' }>
  | {
      readonly kind: 'ok';
      /** With the new metadata. */
      readonly manifest: CronJobManifest;
      readonly status: CronJobStatusDocument;
      readonly warnings: readonly string[];
      readonly changed: 'nothing' | 'metadata';
    };

/**
 * Admits a document as the new status of a stored CronJob, as Kubernetes does at the path `status`: it also takes the
 * metadata, ignores the spec, and accepts any readable status.
 */
export function admitCronJobStatus(
  stored: StoredCronJob,
  document: unknown,
  { fieldValidation }: { readonly fieldValidation: FieldValidation },
): CronJobStatusUpdate {
  const read = readCronJob(document, fieldValidation);
  if (read.kind === 'undecodable') return read;
  const { metadata, status } = read.object;
  const { manifest, uid } = stored;
  const whole = { ...manifest, metadata: { ...metadata, uid: metadata?.uid ?? uid } };
  const update = admitCronJobUpdate(stored, whole, { fieldValidation: 'Ignore' });
  if (update.kind !== 'ok') return update;
  const changed = update.changed === 'nothing' ? 'nothing' : 'metadata';
  return { ...update, status: status === undefined ? {} : statusOf(status), warnings: read.warnings, changed };
}

/** The status in the form that Go writes. */
const statusOf = ({
  active = [],
  lastScheduleTime,
  lastSuccessfulTime,
}: CronJobStatusShape): CronJobStatusDocument => ({
  ...(active.length === 0 ? {} : { active: active.map((job) => given({ ...job })) }),
  ...given({ lastScheduleTime, lastSuccessfulTime }),
});
