import * as z from 'zod';
import { jobSpecShape } from './job-shape.ts';
import { flag, int32, int64, opt, text } from './json-fields.ts';
import { objectMetadataShape } from './object-metadata.ts';
import { metadataShape } from './pod-shape.ts';
import { cronJobStatusShape } from './status-shape.ts';

/** What a `batch/v1` CronJob looks like from outside: every field that Kubernetes 1.34 knows. */

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
  // Looked at by its own path only, but it must be readable.
  status: opt(cronJobStatusShape),
});

export type CronJobShape = z.output<typeof CronJobShape>;
export type CronJobSpecShape = z.output<typeof cronJobSpecShape>;
export type JobTemplateShape = z.output<typeof jobTemplateShape>;
