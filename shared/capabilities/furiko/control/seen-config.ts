import type { JobConfigManifest } from '../domain/job-config.ts';
import type { CronRow } from '../../../ports/cron-store.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import { storedJobConfig } from '../schema/job-config-admission.ts';
import type { Deps } from '../../../control/process/deps.ts';

/** A JobConfig with its scheduler's row. */
export type SeenConfig = {
  readonly row: CronRow<'JobConfig'>;
  readonly object: StoredObject;
  /** As it was admitted. */
  readonly manifest: JobConfigManifest;
  readonly isDeleted: boolean;
};

/** The JobConfig that a row is for; null: it is gone, and now its row is, too. */
export async function readConfig(
  row: CronRow<'JobConfig'>,
  { crons, objects, clock }: Deps,
): Promise<SeenConfig | null> {
  const object = await objects.read('JobConfig', row.key);
  if (object !== null && object.document.metadata.uid === row.uid) {
    const { manifest, deleting } = storedJobConfig(object.document);
    return { row, object, manifest, isDeleted: deleting };
  }
  // The row is there before the JobConfig is; its alarm tells when it should have come.
  if (row.alarmAt === null || row.alarmAt <= clock.now()) await crons.remove(row.uid);
  return null;
}
