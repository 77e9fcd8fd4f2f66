import type { CronJobManifest, CronJobStatusDocument } from '../domain/cron-manifest.ts';
import type { ManagedFieldsEntry } from '../../../domain/manifests/manifest.ts';
import { checkCronJob, readCronJob } from './cron-admission.ts';
import type { StoredCronJob } from './cron-update.ts';
import { USUAL_OFFER } from '../../../schema/job/host-name-rules.ts';

/** What the server knows about a CronJob in addition to its manifest. */
export type CronJobStanding = {
  readonly uid: string;
  readonly creationTimestamp: string;
  readonly generation: number;
  readonly managedFields: readonly ManagedFieldsEntry[];
  /** When its deletion began; null: it is not being deleted. */
  readonly deletion: { readonly at: string } | null;
  readonly status: CronJobStatusDocument;
};

/**
 * A CronJob as it is stored: as it is shown, without its resourceVersion. Its scheduler writes its status, and so may clients.
 */
export function cronJobDocument(manifest: CronJobManifest, standing: CronJobStanding) {
  const { uid, creationTimestamp, generation, managedFields, deletion, status } = standing;
  const { managedFields: _before, ...metadata } = manifest.metadata;
  return {
    apiVersion: manifest.apiVersion,
    kind: manifest.kind,
    metadata: {
      ...metadata,
      uid,
      generation,
      creationTimestamp,
      ...(deletion === null ? {} : { deletionTimestamp: deletion.at, deletionGracePeriodSeconds: 0 }),
      ...(managedFields.length === 0 ? {} : { managedFields }),
    },
    spec: manifest.spec,
    status,
  };
}

/** Reads a stored document, with the current defaults. Throws if it is not a CronJob. */
export function storedCronJob(document: {
  readonly metadata: { readonly uid: string; readonly [field: string]: unknown };
}): StoredCronJob {
  const read = readCronJob(document, 'Ignore');
  if (read.kind === 'undecodable') throw new Error(`a stored CronJob cannot be read: ${read.message}`);
  const { name = '', namespace = '', generateName } = read.object.metadata ?? {};
  const { manifest } = checkCronJob(read.object, { name, namespace, generateName }, null, USUAL_OFFER);
  const { uid, deletionTimestamp } = document.metadata;
  return { manifest, uid, deleting: deletionTimestamp !== undefined };
}
