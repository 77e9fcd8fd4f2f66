import {
  BATCH,
  BOOL,
  INT32,
  INT64,
  REQUIRED,
  STRING,
  TIME,
  ZERO_SHOWN,
  field,
  listOf,
  object,
} from '../../../schema/kinds/field.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

/** CronJobs of `batch/v1`, and their parts. */
export const CRON_JOB_SHAPES = {
  CronJob: {
    openapi: `${BATCH}.CronJob`,
    description: 'A Job that is created at each moment that a schedule names, its slots.',
    apiVersion: 'batch/v1',
    fields: {
      metadata: field(
        1,
        object('ObjectMeta'),
        'Name, namespace, labels and annotations; the name has at most 52 characters.',
      ),
      spec: field(2, object('CronJobSpec'), 'The schedule, and the Job that it creates.'),
      status: field(
        3,
        object('CronJobStatus'),
        'Its active Jobs, and when it last ran. Clients may change it only through the status subresource.',
      ),
    },
  },
  CronJobSpec: {
    openapi: `${BATCH}.CronJobSpec`,
    description: 'A schedule and what it creates.',
    fields: {
      schedule: field(
        1,
        STRING,
        'Five fields as in cron (minute, hour, day of month, month, day of week), or a word such as @daily.',
        REQUIRED,
      ),
      timeZone: field(8, STRING, 'A name from the IANA database, such as Europe/Berlin. Defaults to UTC.', ZERO_SHOWN),
      startingDeadlineSeconds: field(2, INT64, 'Seconds that a run may be late. A later run is skipped.', ZERO_SHOWN),
      concurrencyPolicy: field(
        3,
        STRING,
        'Allow, the default, lets runs overlap. Forbid skips a run while the previous one is active. Replace stops the previous one first.',
      ),
      suspend: field(4, BOOL, 'True creates no new Jobs. Active Jobs continue.', ZERO_SHOWN),
      jobTemplate: field(5, object('JobTemplateSpec'), 'The Job of each run.', REQUIRED),
      successfulJobsHistoryLimit: field(6, INT32, 'The number of completed Jobs to keep. Defaults to 3.', ZERO_SHOWN),
      failedJobsHistoryLimit: field(7, INT32, 'The number of failed Jobs to keep. Defaults to 1.', ZERO_SHOWN),
    },
  },
  JobTemplateSpec: {
    openapi: `${BATCH}.JobTemplateSpec`,
    description: 'The Job that a CronJob creates.',
    fields: {
      metadata: field(
        1,
        object('ObjectMeta'),
        "Labels and annotations of each Job, including Muster's own annotations.",
      ),
      spec: field(2, object('JobSpec'), 'What each Job runs.'),
    },
  },
  CronJobStatus: {
    openapi: `${BATCH}.CronJobStatus`,
    description: 'The state of a schedule.',
    fields: {
      active: field(1, listOf(object('ObjectReference')), 'Jobs of this CronJob that have not ended.'),
      lastScheduleTime: field(4, TIME, 'The scheduled time of the last Job that it created.'),
      lastSuccessfulTime: field(5, TIME, 'When one of its Jobs last completed.'),
    },
  },
} as const satisfies KindTable;
