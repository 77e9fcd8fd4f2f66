import * as z from 'zod';
import { jobSpecShape } from '../../../schema/job/job-shape.ts';
import { flag, int32, int64, opt, text } from '../../../schema/object/json-fields.ts';
import { objectMetadataShape } from '../../../schema/object/object-metadata.ts';
import { metadataShape } from '../../../schema/object/metadata-shape.ts';
import { cronJobStatusShape } from './cron-status-shape.ts';

/** A `batch/v1` CronJob as clients write it, with every field of Kubernetes 1.34. */

const jobTemplateShape = z.strictObject({
  metadata: opt(metadataShape),
  spec: opt(jobSpecShape).transform((given) => given ?? jobSpecShape.parse({})),
});

const cronJobSpecShape = z.strictObject({
  schedule: text,
  timeZone: text,
  startingDeadlineSeconds: int64,
  concurrencyPolicy: text,
  suspend: flag,
  jobTemplate: opt(jobTemplateShape).transform((given) => given ?? jobTemplateShape.parse({})),
  successfulJobsHistoryLimit: int32,
  failedJobsHistoryLimit: int32,
});

export const CronJobShape = z.strictObject({
  apiVersion: text,
  kind: text,
  metadata: opt(objectMetadataShape),
  spec: opt(cronJobSpecShape).transform((given) => given ?? cronJobSpecShape.parse({})),
  // Its rules apply only at the path `status`, but it must be readable everywhere.
  status: opt(cronJobStatusShape),
});

export type CronJobShape = z.output<typeof CronJobShape>;
export type CronJobSpecShape = z.output<typeof cronJobSpecShape>;
export type JobTemplateShape = z.output<typeof jobTemplateShape>;
