import type { CronJobManifest } from '../domain/cron-manifest.ts';
import type { CronJobRow } from './cron-job-row.ts';
import type { StoredObject } from '../../../ports/object-store.ts';
import { storedCronJob } from '../schema/cron-document.ts';
import type { Deps } from '../../../control/process/deps.ts';

/** A CronJob with its scheduler's row. */
export type SeenCron = {
  readonly row: CronJobRow;
  readonly object: StoredObject;
  readonly manifest: CronJobManifest;
};

/** The CronJob that a row is for; null: it is gone, and now its row is, too. */
export async function readCron(row: CronJobRow, { crons, objects, clock }: Deps): Promise<SeenCron | null> {
  const { uid } = row;
  const object = await objects.read('CronJob', row.key);
  if (object !== null && object.document.metadata.uid === uid)
    return { row, object, manifest: storedCronJob(object.document).manifest };
  // The row is there before the CronJob is; its alarm tells when it should have come.
  if (row.alarmAt === null || row.alarmAt <= clock.now()) await crons.remove(uid);
  return null;
}
