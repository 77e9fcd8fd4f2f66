import * as z from 'zod';
import { Metadata, Moment } from '../../../../cli/client/api-objects.ts';
import { pathsOf } from '../../../../cli/client/kube-client.ts';
import { SCHEDULE_KINDS } from '../kinds/index.ts';

// Objects of the server, as far as the command line reads them.

export const cronJobsPath = pathsOf(SCHEDULE_KINDS.CronJob);

const Texts = z.record(z.string(), z.string()).optional();

export const CronJobSchema = z.object({
  metadata: Metadata,
  spec: z.object({
    schedule: z.string(),
    timeZone: z.string().optional(),
    suspend: z.boolean().default(false),
    jobTemplate: z.object({
      metadata: z.object({ labels: Texts, annotations: Texts }).default({}),
      /** A Job is created with it as it is. */
      spec: z.looseObject({}),
    }),
  }),
  status: z.object({ active: z.array(z.unknown()).default([]), lastScheduleTime: Moment.optional() }).prefault({}),
});
export type CronJob = z.output<typeof CronJobSchema>;
